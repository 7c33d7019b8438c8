/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * vaak-espeak-worker: a fork server around libespeak-ng.
 *
 * The library has global state, carries some of it from one call to the next, and
 * aborts on some valid text. So this process initialises it once and sets at most
 * one voice, and every connection is served by a new child process. Each utterance
 * starts from the same state, whatever was spoken before, and a crash ends one
 * utterance only.
 *
 *   vaak-espeak-worker [DATA [VOICE]]
 *
 * It is started with a listening Unix socket as descriptor 3 and a pipe as standard
 * input. It ends when the pipe is closed. When it can serve, it prints one line:
 * "ready <sample rate> <library version>". Running children outlive the worker,
 * because they need nothing but their own connection.
 *
 * With VOICE the worker loads that voice first, so that its children need not. The
 * results are identical to the sample, because it is still the first voice that is
 * set. Such a worker refuses every other voice: set as the second one it would
 * sound different.
 */
#include "protocol.h"

#include <errno.h>
#include <espeak-ng/speak_lib.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LISTENER = 3,
	MAX_CHILDREN = 4096,
	SPARE_FILES = 16,      /* descriptors that are not children's connections */
	EVENTS = 64,           /* handled per call of epoll_wait */
	SEND_BUFFER = 64 << 10 /* bytes that a child can send before the client reads */
};

/* Keys of the event loop that are not process ids of children. */
enum { ON_STDIN = -1, ON_LISTENER = -2, ON_SIGNAL = -3 };

/* A running utterance. The worker keeps a copy of the connection to notice when the
 * client closes it, so that even a child that hangs is killed then. */
static struct child {
	pid_t pid;
	int fd;
} children[MAX_CHILDREN];
static int child_count, capacity;

static const char *loaded = ""; /* the voice that this process has set */
static sigset_t outer_mask; /* the signal mask from before; children get it back */

static void die(const char *what)
{
	fprintf(stderr, "vaak-espeak-worker: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void watch(int epoll, int fd, uint32_t events, int64_t key)
{
	struct epoll_event e = {.events = events, .data.u64 = (uint64_t)key};
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e))
		die("epoll_ctl");
}

/* become_child closes all descriptors but the connection and /dev/null, and speaks. */
static void become_child(int fd)
{
	dup2(STDOUT_FILENO, STDIN_FILENO); /* standard output is /dev/null by now */
	dup2(fd, LISTENER);
	close_range(LISTENER + 1, ~0U, 0);
	sigprocmask(SIG_SETMASK, &outer_mask, NULL);
	_exit(speak(LISTENER, loaded));
}

/* The socket is in the abstract namespace, where anybody may connect. */
static int same_user(int fd)
{
	struct ucred c;
	socklen_t len = sizeof c;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &len) == 0 && c.uid == geteuid();
}

static void serve(int epoll)
{
	int fd = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	if (!same_user(fd) || child_count >= capacity) {
		close(fd);
		return;
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){SEND_BUFFER}, sizeof(int));
	pid_t pid = fork();
	if (pid == 0)
		become_child(fd);
	if (pid < 0) { /* the client sees the end of the connection and tries again */
		close(fd);
		return;
	}
	children[child_count++] = (struct child){pid, fd};
	watch(epoll, fd, EPOLLRDHUP, pid);
}

static struct child *find(pid_t pid)
{
	for (int i = 0; i < child_count; i++)
		if (children[i].pid == pid)
			return &children[i];
	return NULL;
}

static void reap(int signals)
{
	struct signalfd_siginfo si[16];
	/* One signal may stand for several children, so the count means nothing. */
	while (read(signals, si, sizeof si) > 0)
		;
	for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;) {
		struct child *c = find(pid);
		if (!c)
			continue;
		close(c->fd); /* this also removes it from the event loop */
		*c = children[--child_count];
	}
}

/* The client has closed the connection. Its child was not waited for yet, so the
 * process id cannot have been reused. */
static void cancel(int epoll, pid_t pid)
{
	struct child *c = find(pid);
	if (!c)
		return;
	epoll_ctl(epoll, EPOLL_CTL_DEL, c->fd, NULL);
	kill(pid, SIGKILL);
}

/* Each child needs one descriptor in this process. */
static void raise_limits(void)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r))
		die("getrlimit");
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	capacity = r.rlim_cur < MAX_CHILDREN + SPARE_FILES ? (int)r.rlim_cur - SPARE_FILES : MAX_CHILDREN;
}

static int initialise(const char *data)
{
	int rate = espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, 0, data, espeakINITIALIZE_DONT_EXIT);
	if (rate <= 0) {
		fprintf(stderr, "vaak-espeak-worker: espeak-ng data not found; install espeak-ng-data\n");
		exit(1);
	}
	espeak_ListVoices(NULL); /* otherwise every child would scan the voice directory */
	if (*loaded && espeak_SetVoiceByName(loaded) != EE_OK) {
		fprintf(stderr, "vaak-espeak-worker: no voice %s\n", loaded);
		exit(1);
	}
	return rate;
}

int main(int argc, char **argv)
{
	const char *data = argc > 1 && *argv[1] ? argv[1] : NULL;
	if (argc > 2)
		loaded = argv[2];
	if (fcntl(LISTENER, F_SETFL, O_NONBLOCK))
		die("descriptor 3 is not a listening socket");

	/* Block the signal before the library starts its thread, or that would get it. */
	sigset_t mask;
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &outer_mask);
	int rate = initialise(data);

	signal(SIGPIPE, SIG_IGN); /* writing to a closed connection then returns an error */
	/* A terminal or a supervisor sends these to the whole process group. The server
	 * handles them; this process ends when its standard input is closed. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	raise_limits();

	int signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	if (signals < 0 || epoll < 0)
		die("event loop");
	watch(epoll, STDIN_FILENO, 0, ON_STDIN); /* hang-up is always reported */
	watch(epoll, LISTENER, EPOLLIN, ON_LISTENER);
	watch(epoll, signals, EPOLLIN, ON_SIGNAL);

	printf("ready %d %s\n", rate, espeak_Info(NULL));
	fflush(stdout);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		die("/dev/null");
	rehearse(loaded);

	for (;;) {
		struct epoll_event e[EVENTS];
		int n = epoll_wait(epoll, e, EVENTS, -1);
		for (int i = 0; i < n; i++) {
			int64_t key = (int64_t)e[i].data.u64;
			if (key == ON_STDIN)
				return 0;
			if (key == ON_LISTENER)
				serve(epoll);
			else if (key == ON_SIGNAL)
				reap(signals);
			else
				cancel(epoll, (pid_t)key);
		}
	}
}
