/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a child process does: read a request, synthesize, write frames.
 */
#include "protocol.h"

#include <errno.h>
#include <espeak-ng/speak_lib.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	CPU_SECONDS = 30,       /* the longest allowed text takes under one */
	MEMORY_BYTES = 1 << 29, /* the largest dictionary is 9 MiB */
	REQUEST_SECONDS = 10,   /* from the first byte of the request to the last */
	FIRST_FLUSH = 1         /* send the first frame as soon as there is any audio */
};

/* The output of the utterance. It is static because the library's callback gets
 * no user data; a process speaks one utterance only. */
static struct {
	int fd, failed;
	uint32_t samples;    /* made so far */
	uint32_t flush_at;   /* bytes of audio at which the next frame is sent */
	uint32_t audio_len;  /* bytes waiting */
	uint32_t word_count; /* words waiting */
	char audio[MAX_AUDIO_FRAME];
	struct word words[MAX_WORDS];
} out;

static int write_all(struct iovec *v, int n)
{
	while (n > 0) {
		ssize_t w = writev(out.fd, v, n);
		if (w < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		for (; n > 0 && (size_t)w >= v->iov_len; v++, n--)
			w -= v->iov_len;
		if (n > 0) {
			v->iov_base = (char *)v->iov_base + w;
			v->iov_len -= w;
		}
	}
	return 0;
}

static uint32_t head(uint32_t type, uint32_t len)
{
	return type << 24 | len;
}

static int send_frame(uint32_t type, const void *payload, uint32_t len)
{
	uint32_t h = head(type, len);
	struct iovec v[2] = {{&h, sizeof h}, {(void *)payload, len}};

	return write_all(v, 2);
}

static int refuse(const char *why)
{
	return send_frame(FRAME_ERROR, why, strlen(why)) ? 1 : 0;
}

/* flush sends what is waiting: words first, then the audio in which they begin,
 * in one system call. */
static void flush(void)
{
	uint32_t words = out.word_count * sizeof(struct word);
	uint32_t h[2] = {head(FRAME_WORDS, words), head(FRAME_AUDIO, out.audio_len)};
	struct iovec v[4];
	int n = 0;

	if (words) {
		v[n++] = (struct iovec){&h[0], sizeof h[0]};
		v[n++] = (struct iovec){out.words, words};
	}
	if (out.audio_len) {
		v[n++] = (struct iovec){&h[1], sizeof h[1]};
		v[n++] = (struct iovec){out.audio, out.audio_len};
	}
	if (n && write_all(v, n))
		out.failed = 1;
	out.word_count = out.audio_len = 0;
}

static int read_all(int fd, void *p, size_t len)
{
	for (char *c = p; len > 0;) {
		ssize_t n = read(fd, c, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		c += n;
		len -= n;
	}
	return 0;
}

/* await_demand blocks until the client wants another frame. This is where the
 * child spends its time when the listener is slow: it uses no processor. */
static void await_demand(void)
{
	uint32_t bytes;

	if (out.failed || read_all(out.fd, &bytes, sizeof bytes)) {
		out.failed = 1;
		return;
	}
	out.flush_at = bytes < MAX_AUDIO_FRAME ? bytes : MAX_AUDIO_FRAME;
}

static void add_audio(const char *p, uint32_t len)
{
	while (len && !out.failed) {
		uint32_t room = MAX_AUDIO_FRAME - out.audio_len;
		uint32_t n = len < room ? len : room;
		memcpy(out.audio + out.audio_len, p, n);
		out.audio_len += n;
		p += n;
		len -= n;
		if (out.audio_len >= out.flush_at) {
			flush();
			await_demand();
		}
	}
}

/* The library's callback: called with each chunk of samples and the events in it.
 * A result other than 0 stops the synthesis. */
static int on_audio(short *wav, int samples, espeak_EVENT *event)
{
	for (; event->type != espeakEVENT_LIST_TERMINATED && !out.failed; event++) {
		if (event->type != espeakEVENT_WORD)
			continue;
		if (out.word_count == MAX_WORDS)
			flush();
		/* text_position counts from 1. */
		out.words[out.word_count++] = (struct word){
			event->text_position > 0 ? event->text_position - 1 : 0,
			event->length, event->sample};
	}
	if (wav && samples > 0) {
		out.samples += samples;
		add_audio((const char *)wav, samples * sizeof *wav);
	}
	return out.failed;
}

/* on_crash sends what the library had made when it crashed, and then reports the
 * crash. It runs in a signal handler, so it calls nothing but write (signal-safety(7)).
 * `out` is consistent: the crash happened in the library, not in this file. */
static void on_crash(int signal)
{
	uint32_t s = signal;
	flush();
	send_frame(FRAME_CRASH, &s, sizeof s);
	_exit(1);
}

static void catch_crashes(void)
{
	static char stack[16 << 10]; /* the crash may be an overflow of the normal stack */
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction a = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_RESETHAND};
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU};

	sigaltstack(&alternative, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &a, NULL);
}

static void limit(int what, rlim_t n)
{
	/* The soft limit of CPU time sends SIGXCPU; the hard one kills a second later,
	 * which leaves on_crash time to report. */
	struct rlimit r = {n, what == RLIMIT_CPU ? n + 1 : n};
	setrlimit(what, &r);
}

/* Voice names are letters, digits and `+-_`. Anything else could be a path, which
 * the library would open. */
static int valid_voice(const char *s)
{
	return *s && s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_")] == 0;
}

static const char *check(const struct request *r)
{
	if (r->magic != REQUEST_MAGIC)
		return "the request does not begin with its magic number";
	if (r->voice_len == 0 || r->voice_len > MAX_VOICE)
		return "the voice name is empty or too long";
	if (r->text_len == 0 || r->text_len > MAX_TEXT)
		return "the text is empty or too long";
	if (r->rate < espeakRATE_MINIMUM || r->rate > espeakRATE_MAXIMUM)
		return "the rate is out of range";
	if (r->pitch > 99 || r->range > 99 || r->volume > 200)
		return "pitch, range or volume is out of range";
	return NULL;
}

/* Modes of espeak_TextToPhonemes: with a bar between phonemes. */
enum { MNEMONICS = '|' << 8, IPA = 1 << 1 | '|' << 8 };

/* transcribe sends how a text is read, one frame per clause. */
static int transcribe(const char *text, uint32_t len, int mode)
{
	static char frame[sizeof(uint32_t) + MAX_CLAUSE];

	for (const void *rest = text; rest;) {
		const char *phonemes = espeak_TextToPhonemes(&rest, espeakCHARS_UTF8, mode);
		uint32_t n = phonemes ? strnlen(phonemes, MAX_CLAUSE) : 0;
		uint32_t end = rest ? (uint32_t)((const char *)rest - text) : len;
		memcpy(frame, &end, sizeof end);
		if (n)
			memcpy(frame + sizeof end, phonemes, n);
		if (send_frame(FRAME_CLAUSE, frame, sizeof end + n))
			return 1;
	}
	return send_frame(FRAME_END, &out.samples, sizeof out.samples);
}

/* synthesize sends the audio of a text or of phonemes. */
static int synthesize(const struct request *r, const char *text)
{
	uint32_t flags = espeakCHARS_UTF8;

	espeak_SetParameter(espeakRATE, r->rate, 0);
	espeak_SetParameter(espeakPITCH, r->pitch, 0);
	espeak_SetParameter(espeakRANGE, r->range, 0);
	espeak_SetParameter(espeakVOLUME, r->volume, 0);
	espeak_SetSynthCallback(on_audio);
	srand(1); /* the library makes noise with rand(): always the same */
	if (r->flags & FLAG_PHONEMES)
		flags |= espeakPHONEMES;
	if (r->flags & FLAG_END_PAUSE)
		flags |= espeakENDPAUSE;
	if (espeak_Synth(text, r->text_len + 1, 0, POS_CHARACTER, 0, flags, NULL, NULL) != EE_OK)
		return refuse("the engine refused the text");
	flush();
	return out.failed || send_frame(FRAME_END, &out.samples, sizeof out.samples);
}

/* await_request blocks until the request begins. The client may connect long before it
 * has one, so that it need not wait for the fork then. Meanwhile the process has the name
 * IDLE, and ends when the client closes the connection. */
static void await_request(int fd)
{
	struct pollfd request = {.fd = fd, .events = POLLIN};
	char name[16] = {0};

	if (poll(&request, 1, 0) > 0)
		return;
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, IDLE);
	make_ready();
	while (poll(&request, 1, -1) < 0 && errno == EINTR)
		;
	prctl(PR_SET_NAME, name);
}

/* REHEARSED is read in every language without another one's dictionary. */
#define REHEARSED "12, 12."

int speak_once(const char *loaded)
{
	struct request r = {.rate = espeakRATE_NORMAL, .pitch = 50, .range = 50, .volume = 100, .text_len = sizeof REHEARSED - 1};

	if (!*loaded)
		espeak_SetVoiceByName("en");
	out.fd = STDOUT_FILENO; /* /dev/null, which takes the frame and wants no other */
	out.flush_at = FIRST_FLUSH;
	return synthesize(&r, REHEARSED);
}

int speak(int fd, const char *loaded)
{
	struct request r;
	char voice[MAX_VOICE + 1] = {0};
	const char *wrong;
	char *text;
	uint32_t pid = getpid();

	out.fd = fd;
	out.flush_at = FIRST_FLUSH;
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_AS, MEMORY_BYTES);

	if (send_frame(FRAME_HELLO, &pid, sizeof pid))
		return 1;
	await_request(fd);
	alarm(REQUEST_SECONDS); /* SIGALRM ends the process */
	if (read_all(fd, &r, sizeof r))
		return 1;
	if ((wrong = check(&r)))
		return refuse(wrong);
	if (!(text = calloc(1, r.text_len + 1)))
		return 1;
	if (read_all(fd, voice, r.voice_len) || read_all(fd, text, r.text_len))
		return 1;
	alarm(0);

	if (*loaded && strcmp(voice, loaded) != 0)
		return refuse("this worker has another voice");
	if (!*loaded && (!valid_voice(voice) || espeak_SetVoiceByName(voice) != EE_OK))
		return refuse("no such voice");
	catch_crashes(); /* from here on a crash is blamed on the text */
	if (r.flags & FLAG_TRANSCRIBE)
		return transcribe(text, r.text_len, r.flags & FLAG_PHONEMES ? MNEMONICS : IPA);
	return synthesize(&r, text);
}
