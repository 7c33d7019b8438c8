/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * vaak-espeak-bench measures libespeak-ng alone, to compare the server with.
 *
 * It initialises the library once and speaks one text with one voice repeatedly:
 *
 *   vaak-espeak-bench [-n TIMES] [-f] [-o FILE] [-s RATE] [-p PITCH]
 *                     [-r RANGE] [-a VOLUME] VOICE <TEXT
 *
 *   -n TIMES  how many times to speak the text; default 1
 *   -f        stop each repetition after its first chunk of samples
 *   -o FILE   speak once more without measuring, and write the samples (s16,
 *             native byte order) to FILE
 *   -s RATE, -p PITCH, -r RANGE, -a VOLUME
 *             the library's parameters; default: the library's own
 *
 * The callback does nothing with the samples. Standard output gets one line of
 * JSON for the process, one per repetition, and one at the end:
 *
 *   {"version":"1.51","sample_rate":22050,"init_ns":N,"voice_ns":N}
 *   {"first_ns":N,"wall_ns":N,"cpu_ns":N,"samples":N}
 *   {"max_rss_kib":N}
 *
 * first_ns is the time from the call to the first samples (-1 if there were
 * none), cpu_ns user and system time of the process. The library is not
 * deterministic over repetitions in one process, so samples vary a little.
 * max_rss_kib is the highest resident memory since the program began.
 */
#include <espeak-ng/speak_lib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TEXT = 1 << 20 };

/* State of one repetition. It is static because the library's callback gets no
 * user data. */
static struct {
	int64_t start, first;
	uint64_t samples;
	int first_only;
	FILE *out;
} run;

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t nanoseconds(struct timeval t)
{
	return t.tv_sec * INT64_C(1000000000) + t.tv_usec * INT64_C(1000);
}

static int64_t cpu(void)
{
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return nanoseconds(r.ru_utime) + nanoseconds(r.ru_stime);
}

/* Not ru_maxrss: that also counts the process image from before exec. */
static long max_rss(void)
{
	char line[256];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static void die(const char *what)
{
	fprintf(stderr, "vaak-espeak-bench: %s\n", what);
	exit(1);
}

static int on_audio(short *wav, int samples, espeak_EVENT *event)
{
	(void)event;
	if (!wav || samples <= 0)
		return 0;
	if (run.first < 0)
		run.first = now() - run.start;
	run.samples += samples;
	if (run.out && fwrite(wav, sizeof *wav, samples, run.out) != (size_t)samples)
		die("the samples cannot be written");
	return run.first_only;
}

static void speak(const char *text, size_t len)
{
	run.first = -1;
	run.samples = 0;
	run.start = now();
	if (espeak_Synth(text, len + 1, 0, POS_CHARACTER, 0, espeakCHARS_UTF8, NULL, NULL) != EE_OK)
		die("the engine refused the text");
}

static void repeat(long times, const char *text, size_t len)
{
	for (long i = 0; i < times; i++) {
		int64_t used = cpu();
		speak(text, len);
		int64_t wall = now() - run.start;
		printf("{\"first_ns\":%lld,\"wall_ns\":%lld,\"cpu_ns\":%lld,\"samples\":%llu}\n",
		       (long long)run.first, (long long)wall, (long long)(cpu() - used),
		       (unsigned long long)run.samples);
	}
}

static void dump(const char *path, const char *text, size_t len)
{
	run.first_only = 0;
	if (!(run.out = fopen(path, "wb")))
		die("the file for the samples cannot be made");
	speak(text, len);
	if (fclose(run.out))
		die("the samples cannot be written");
}

static void start(const char *voice)
{
	int64_t begun = now();
	int rate = espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, 0, NULL, espeakINITIALIZE_DONT_EXIT);
	if (rate <= 0)
		die("espeak-ng data not found; install espeak-ng-data");
	int64_t ready = now();
	if (espeak_SetVoiceByName(voice) != EE_OK)
		die("no such voice");
	espeak_SetSynthCallback(on_audio);
	printf("{\"version\":\"%s\",\"sample_rate\":%d,\"init_ns\":%lld,\"voice_ns\":%lld}\n",
	       espeak_Info(NULL), rate, (long long)(ready - begun), (long long)(now() - ready));
}

/* The options of the command line. */
static struct {
	long times;
	const char *out;
	struct {
		int given, value;
	} parameters[espeakRANGE + 1];
} options = {.times = 1};

static void parameter(espeak_PARAMETER which, const char *value)
{
	options.parameters[which].given = 1;
	options.parameters[which].value = strtol(value, NULL, 10);
}

static int parse(int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "n:fo:s:p:r:a:")) != -1;) {
		switch (c) {
		case 'n': options.times = strtol(optarg, NULL, 10); break;
		case 'f': run.first_only = 1; break;
		case 'o': options.out = optarg; break;
		case 's': parameter(espeakRATE, optarg); break;
		case 'p': parameter(espeakPITCH, optarg); break;
		case 'r': parameter(espeakRANGE, optarg); break;
		case 'a': parameter(espeakVOLUME, optarg); break;
		default: return -1;
		}
	}
	return optind == argc - 1 && options.times >= 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	static char text[MAX_TEXT + 1];

	if (parse(argc, argv)) {
		fprintf(stderr, "usage: vaak-espeak-bench [-n TIMES] [-f] [-o FILE] [-s RATE] [-p PITCH] "
		                "[-r RANGE] [-a VOLUME] VOICE <TEXT\n");
		return 2;
	}
	size_t len = fread(text, 1, MAX_TEXT, stdin);

	start(argv[optind]);
	for (int i = 0; i <= espeakRANGE; i++)
		if (options.parameters[i].given && espeak_SetParameter(i, options.parameters[i].value, 0) != EE_OK)
			die("a parameter is out of range");
	repeat(options.times, text, len);
	if (options.out)
		dump(options.out, text, len);

	printf("{\"max_rss_kib\":%ld}\n", max_rss());
	return 0;
}
