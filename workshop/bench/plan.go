package main

import (
	"math"
	"time"
)

// plan says how much is measured.
type plan struct {
	name string
	// rounds is how often every measurement is made; tables show medians.
	rounds int

	requests int           // first audio: requests a round, language, length and system
	rest     time.Duration // first audio: pause before a request, when all is idle

	cpuRounds              int // processor: rounds in English
	cpu5000, cpu200, cpu20 int // processor: requests a round, over all clients

	warm, throughput, utilisation time.Duration // before, and in, a stretch

	streams int // clients that leave: streams that run meanwhile
	cancels int // clients that leave: how many
	kills   int // workers killed; each waits longer for its successor

	search, full visit   // streams: a step of the search, and all that is told of
	searches     int     // streams: steps of a search at most
	listeners    int     // streams: so many, instead of a search; 0 searches; live crowd: of each mode
	scale        float64 // streams and memory: of the numbers of streams

	loads     []int // first audio under load: streams that run meanwhile
	underLoad int   // first audio under load: requests at each of them

	slowReaders  int // slow readers: how many
	slowRequests int // slow readers: requests of each of the others, a round

	liveRequests              int           // live latency: sessions a round and row
	liveStarts                int           // live crowd: sessions that begin within a second; also those beside cancelled ones
	liveEager, liveSentence   int           // live crowd: sessions that are fed as fast as they are spoken
	liveArrive, liveSpeech    time.Duration // live crowd: all of those begin within, and then speak for at least
	liveCancels               int           // live cancel: sessions of a row
	liveInterrupted, liveIdle int           // live cancel and memory: sessions, and idle sockets

	records      []int // catalogue: sizes, ascending
	sessions     int   // of agents that leave without a word
	lookups      int   // catalogue: requests of each kind a round and size
	naiveLookups int   // catalogue: the same of the naive server

	recordings                    int           // measure: files that are measured together
	recording                     time.Duration // measure: how long each is
	shortRecording, longRecording time.Duration // measure: files whose memory is compared
}

// scaled returns a number of streams.
func (p plan) scaled(n int) int { return max(int(math.Round(float64(n)*p.scale)), 1) }

var fullPlan = plan{
	name:   "full",
	rounds: 3, requests: 70, rest: 3 * time.Millisecond,
	cpuRounds: 5, cpu5000: 8, cpu200: 120, cpu20: 480,
	warm: 400 * time.Millisecond, throughput: 1200 * time.Millisecond, utilisation: 3 * time.Second,
	streams: 200, cancels: 150, kills: 3,
	search:   visit{arrive: 12 * time.Second, speech: 25 * time.Second, strict: true},
	full:     visit{arrive: 30 * time.Second, speech: 60 * time.Second},
	searches: 4, scale: 1,
	loads: []int{1, 50, 200}, underLoad: 200,
	slowReaders: 20, slowRequests: 40,
	liveRequests: 30, liveStarts: 50, liveEager: 100, liveSentence: 200,
	liveArrive: 4 * time.Second, liveSpeech: 20 * time.Second,
	liveCancels: 150, liveInterrupted: 1000, liveIdle: 500,
	records: []int{10_000, 100_000}, lookups: 12_000, naiveLookups: 120, sessions: 10_000,
	recordings: 4, recording: 30 * time.Minute,
	shortRecording: 10 * time.Minute, longRecording: 5 * time.Hour,
}

var quickPlan = plan{
	name:   "quick: the figures mean little",
	rounds: 1, requests: 5, rest: time.Millisecond,
	cpuRounds: 1, cpu5000: 8, cpu200: 16, cpu20: 40,
	warm: 200 * time.Millisecond, throughput: 300 * time.Millisecond, utilisation: 500 * time.Millisecond,
	streams: 20, cancels: 5, kills: 1,
	search:   visit{arrive: 200 * time.Millisecond, speech: time.Second, strict: true},
	full:     visit{arrive: 200 * time.Millisecond, speech: time.Second},
	searches: 2, scale: 0.01,
	loads: []int{1, 3}, underLoad: 5,
	slowReaders: 3, slowRequests: 3,
	liveRequests: 2, liveStarts: 3, liveEager: 2, liveSentence: 3,
	liveArrive: 300 * time.Millisecond, liveSpeech: 3 * time.Second,
	liveCancels: 4, liveInterrupted: 30, liveIdle: 60,
	records: []int{200, 400}, lookups: 200, naiveLookups: 40, sessions: 100,
	recordings: 2, recording: 20 * time.Second,
	shortRecording: 10 * time.Second, longRecording: 40 * time.Second,
}
