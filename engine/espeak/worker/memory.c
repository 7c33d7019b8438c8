/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory that a child needs, made ready while it waits for its request.
 *
 * A child begins with the pages of the worker, and the kernel copies each one at the
 * first write to it, and maps each page of the program at the first look. Before the
 * first sound that is some fifty interruptions, which take as long as the synthesis.
 * So a child that has nothing to do yet has it done ahead. Which pages it will write to
 * is seen in a child that spoke before.
 */
#include "protocol.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	MAX_RANGES = 160, /* fit into one write to a pipe */
	MAX_CODE = 4 << 20,
	REHEARSAL_SECONDS = 1
};

/* Bits of an entry of /proc/PID/pagemap. */
#define PRESENT (1ull << 63)
#define ONLY_OURS (1ull << 56)

static struct range {
	char *at;
	size_t length;
	int advice;
} ranges[MAX_RANGES];
static int count;

static void add(char *at, size_t length, int advice)
{
	struct range *last = count ? &ranges[count - 1] : NULL;

	if (last && last->advice == advice && last->at + last->length == at)
		last->length += length;
	else if (count < MAX_RANGES)
		ranges[count++] = (struct range){at, length, advice};
}

/* add_own adds the pages from `at` to `end` that this process shares with no other. */
static void add_own(int pagemap, char *at, char *end)
{
	for (; at < end; at += PAGE) {
		uint64_t entry;
		off_t place = (off_t)((uintptr_t)at / PAGE * sizeof entry);
		if (pread(pagemap, &entry, sizeof entry, place) != sizeof entry)
			return;
		if ((entry & (PRESENT | ONLY_OURS)) == (PRESENT | ONLY_OURS))
			add(at, PAGE, MADV_POPULATE_WRITE);
	}
}

/* look fills `ranges` with what this process, a child that has spoken, needed. */
static void look(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	char line[512];

	count = 0;
	while (maps && pagemap >= 0 && fgets(line, sizeof line, maps)) {
		uintptr_t at, end;
		char mode[5];
		if (sscanf(line, "%lx-%lx %4s", &at, &end, mode) != 3)
			continue;
		if (strcmp(mode, "rw-p") == 0)
			add_own(pagemap, (char *)at, (char *)end);
		else if (mode[0] == 'r' && strchr(line, '/') && end - at <= MAX_CODE)
			add((char *)at, end - at, MADV_POPULATE_READ);
	}
}

void rehearse(const char *loaded)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return;
	if ((pid = fork()) == 0) {
		alarm(REHEARSAL_SECONDS); /* ends the process */
		speak_once(loaded);
		look();
		_exit(write(ends[1], ranges, count * sizeof *ranges) < 0);
	}
	close(ends[1]);
	if (pid > 0) {
		ssize_t n = read(ends[0], ranges, sizeof ranges);
		count = n > 0 ? n / (ssize_t)sizeof *ranges : 0;
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
}

void make_ready(void)
{
	for (int i = 0; i < count; i++)
		madvise(ranges[i].at, ranges[i].length, ranges[i].advice); /* else it is done later, when needed */
}
