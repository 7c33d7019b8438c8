package main

import (
	"fmt"
	"strings"
	"time"

	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/speech"
)

const contestants = `Three things are compared, in one run:

- **Bare library**: a loop in C around libespeak-ng (` + "`engine/espeak/worker/bench.c`" + `): one process,
  initialised once, a callback that drops the samples. Nothing can be cheaper with the library as it is installed;
  Vaak's worker has random numbers of its own for it, the same but cheaper (` + "`engine/espeak/worker/noise.c`" + `).
- **Naive server**: the shortest correct HTTP server, which runs ` + "`espeak-ng`" + ` once a request and streams the
  WAV that it writes. Its source stands at the end. It delivers 22,050 Hz and does not resample.
- **Vaak**: ` + "`vaak serve`" + ` with a fresh data directory, an organisation and a key; ` + "`POST /v1/audio/speech`" + ` with
  ` + "`stream: true`, `response_format: pcm`" + `, 24,000 Hz, where no other format is named. Every request is authenticated, admitted,
  counted and settled on a finite plan, as in production.

All three speak with the same voice, Vaak's default for the language: the library's variant of it costs up to a
quarter more or less than its plain voice. The bare library has its speed and pitch too; the naive server has not.`

const clockwork = `Both servers are processes of their own on the loopback interface; the clients are goroutines of the benchmark with
a minimal HTTP/1.1 reader on kept-alive connections, and for live speech with a WebSocket each. Texts are prose written for this purpose, cut at a word
to at most the length named (in code points); a text longer than its passage goes on with the passage's beginning.

Processor time of a server is user and system time of the server process, of its worker process and of all their
children: those that have ended through the ` + "`cutime` and `cstime`" + ` of ` + "`/proc/PID/stat`" + `, those that still run through their
` + "`schedstat`" + `. That of the bare library and of the clients is ` + "`getrusage`" + `, that of the bare
resampler and of the bare encoders the clock of their thread.
Streams at playback speed have the segments of an Ethernet and receive buffers of 128 KiB, as clients on a network do:
over plain loopback the kernel would take minutes of audio off a server's hands, and no stream would ever have to be in time.

A second of audio is counted from the bytes that arrived, at the system's own rate.`

const again = "To reproduce: `make build`, then `make bench` on a machine that does nothing else. The document " +
	"keeps its structure from run to run; only figures change. " +
	"`make bench ARGS='--only SECTION'` prints one section, `make bench ARGS=--quick` tries all of them in little time."

func methodParts(p rig.Plan, took time.Duration) []report.Part {
	var sizes []string
	for _, l := range corpus.Languages {
		for _, n := range speech.Lengths {
			t, err := corpus.New(l, n)
			if err != nil {
				continue // the sections that use it have said so
			}
			sizes = append(sizes, fmt.Sprintf("%s %d", l.Code, len([]rune(t.Text))))
		}
	}
	return []report.Part{
		report.Prose(contestants),
		report.Prose(clockwork),
		voicesTable(),
		report.Prose("Lengths after the cut: " + strings.Join(sizes, ", ") + "."),
		report.Prose(fmt.Sprintf("Unless a section says otherwise, measurements are made in %d rounds, each of which visits all systems; tables show the median of the rounds, "+
			"and ratios are made within a round before their median is taken. 99th percentiles are over all rounds. "+
			"Plan of this run: %s; it took %.0f s.", p.Rounds, p.Name, took.Seconds())),
		report.Prose(again),
	}
}

// voicesTable tells what the library is set to.
func voicesTable() report.Part {
	t := &report.Table{Header: []string{"language", "voice of Vaak", "of the library", "words per minute", "pitch", "range", "volume"}}
	for _, l := range corpus.Languages {
		p := l.Library
		t.Add(l.Name, "`"+string(l.Voice)+"`", "`"+p.Voice+"`", fmt.Sprint(p.Rate), fmt.Sprint(p.Pitch), fmt.Sprint(p.Range), fmt.Sprint(p.Volume))
	}
	return t
}
