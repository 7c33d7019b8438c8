package rig

import (
	"math"
	"time"

	"vaak/workshop/bench/listeners"
)

// Plan says how much is measured.
type Plan struct {
	Name string
	// Rounds is how often every measurement is made; tables show medians.
	Rounds int

	Requests int           // first audio: requests a round, language, length and system
	Rest     time.Duration // first audio: pause before a request, when all is idle

	CpuRounds              int // processor: rounds in English
	Cpu5000, Cpu200, Cpu20 int // processor: requests a round, over all clients

	Warm, Throughput, Utilisation time.Duration // before, and in, a stretch

	Streams int // clients that leave: streams that run meanwhile
	Cancels int // clients that leave: how many
	Kills   int // workers killed; each waits longer for its successor

	Search, Full listeners.Visit // streams: a step of the search, the number that it finds
	Searches     int             // streams: steps of a search, and more until a number is good
	Listeners    int             // streams: so many, instead of a search; 0 searches; live crowd: of each mode
	scale        float64         // streams and memory: of the numbers of streams

	Loads     []int // first audio under load: streams that run meanwhile
	UnderLoad int   // first audio under load: requests at each of them

	Writers int // metering: others that write
	Ledger  int // metering: operations of each benchmark of the ledger

	SlowReaders  int // slow readers: how many
	SlowRequests int // slow readers: requests of each of the others, a round

	LiveRequests              int           // live latency: sessions a round and row
	LiveStarts                int           // live crowd: sessions that begin within a second; also those beside cancelled ones
	LiveEager, LiveSentence   int           // live crowd: sessions that are fed as fast as they are spoken
	LiveArrive, LiveSpeech    time.Duration // live crowd: all of those begin within, and then speak for at least
	LiveCancels               int           // live cancel: sessions of a row
	LiveInterrupted, LiveIdle int           // live cancel and memory: sessions, and idle sockets

	Calls      int           // telephony: at once
	CallSpeech time.Duration // telephony: how long each speaks before it is interrupted

	Records      []int // catalogue: sizes, ascending
	Sessions     int   // of agents that leave without a word
	Lookups      int   // catalogue: requests of each kind a round and size
	NaiveLookups int   // catalogue: the same of the naive server

	Decades      []int         // growth: sizes, ascending; a hundredth of them where there cannot be so many
	GrowthBlock  time.Duration // growth: how long requests are made for a figure, some times
	GrowthText   int           // growth: characters that are spoken at each length, about
	GrowthArrive time.Duration // growth: within which most listeners come
	GrowthSpeech time.Duration // growth: which each of them then hears at least

	Peers int // peers: requests a round and length

	Neural []int           // neural voices: listeners of the steps, ascending
	Dear   listeners.Visit // neural voices: of these listeners

	Pooled listeners.Visit // pools: of streams whose cost is measured

	Recordings                    int           // measure: files that are measured together
	Recording                     time.Duration // measure: how long each is
	ShortRecording, LongRecording time.Duration // measure: files whose memory is compared
}

// Scaled returns a number of streams.
func (p Plan) Scaled(n int) int { return max(int(math.Round(float64(n)*p.scale)), 1) }

var FullPlan = Plan{
	Name:   "full",
	Rounds: 3, Requests: 50, Rest: 3 * time.Millisecond,
	CpuRounds: 3, Cpu5000: 4, Cpu200: 60, Cpu20: 240,
	Warm: 300 * time.Millisecond, Throughput: 700 * time.Millisecond, Utilisation: 1500 * time.Millisecond,
	Streams: 200, Cancels: 100, Kills: 3,
	Search:   listeners.Visit{Arrive: 8 * time.Second, Speech: 12 * time.Second, Brief: true, Strict: true},
	Full:     listeners.Visit{Arrive: 21 * time.Second, Speech: 28 * time.Second, Brief: true, Strict: true},
	Searches: 4, scale: 1,
	Loads: []int{1, 50, 200}, UnderLoad: 150,
	Writers: 50, Ledger: 6000,
	SlowReaders: 20, SlowRequests: 40,
	LiveRequests: 5, LiveStarts: 50, LiveEager: 100, LiveSentence: 200,
	LiveArrive: 4 * time.Second, LiveSpeech: 10 * time.Second,
	LiveCancels: 100, LiveInterrupted: 1000, LiveIdle: 500,
	Calls: 50, CallSpeech: 7 * time.Second,
	Records: []int{10_000, 100_000}, Lookups: 4000, NaiveLookups: 60, Sessions: 10_000,
	Decades: []int{100, 1000, 10_000, 100_000}, GrowthBlock: 80 * time.Millisecond, GrowthText: 15_000,
	GrowthArrive: 8 * time.Second, GrowthSpeech: 5 * time.Second,
	Peers:  20,
	Neural: []int{12, 16}, Dear: listeners.Visit{Arrive: 6 * time.Second, Speech: 10 * time.Second},
	Pooled:     listeners.Visit{Arrive: 8 * time.Second, Speech: 12 * time.Second},
	Recordings: 4, Recording: 10 * time.Minute,
	ShortRecording: 10 * time.Minute, LongRecording: 2 * time.Hour,
}

var QuickPlan = Plan{
	Name:   "quick: the figures mean little",
	Rounds: 1, Requests: 5, Rest: time.Millisecond,
	CpuRounds: 1, Cpu5000: 4, Cpu200: 16, Cpu20: 40,
	Warm: 200 * time.Millisecond, Throughput: 300 * time.Millisecond, Utilisation: 500 * time.Millisecond,
	Streams: 20, Cancels: 5, Kills: 1,
	Search:   listeners.Visit{Arrive: 200 * time.Millisecond, Speech: time.Second, Brief: true, Strict: true},
	Full:     listeners.Visit{Arrive: 200 * time.Millisecond, Speech: time.Second, Brief: true, Strict: true},
	Searches: 2, scale: 0.01,
	Loads: []int{1, 3}, UnderLoad: 5,
	Writers: 3, Ledger: 300,
	SlowReaders: 3, SlowRequests: 3,
	LiveRequests: 2, LiveStarts: 3, LiveEager: 2, LiveSentence: 3,
	LiveArrive: 300 * time.Millisecond, LiveSpeech: 3 * time.Second,
	LiveCancels: 4, LiveInterrupted: 30, LiveIdle: 60,
	Calls: 3, CallSpeech: 2 * time.Second,
	Records: []int{200, 400}, Lookups: 200, NaiveLookups: 40, Sessions: 100,
	Decades: []int{100, 1000}, GrowthBlock: 20 * time.Millisecond, GrowthText: 500,
	GrowthArrive: time.Second, GrowthSpeech: time.Second,
	Peers:  3,
	Neural: []int{2}, Dear: listeners.Visit{Arrive: 200 * time.Millisecond, Speech: time.Second},
	Pooled:     listeners.Visit{Arrive: 200 * time.Millisecond, Speech: time.Second},
	Recordings: 2, Recording: 20 * time.Second,
	ShortRecording: 10 * time.Second, LongRecording: 40 * time.Second,
}
