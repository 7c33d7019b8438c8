package main

import "time"

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
}

var fullPlan = plan{
	name:   "full",
	rounds: 3, requests: 70, rest: 3 * time.Millisecond,
	cpuRounds: 5, cpu5000: 8, cpu200: 120, cpu20: 480,
	warm: 400 * time.Millisecond, throughput: 1200 * time.Millisecond, utilisation: 3 * time.Second,
	streams: 200, cancels: 150, kills: 3,
}

var quickPlan = plan{
	name:   "quick: the figures mean little",
	rounds: 1, requests: 5, rest: time.Millisecond,
	cpuRounds: 1, cpu5000: 8, cpu200: 16, cpu20: 40,
	warm: 200 * time.Millisecond, throughput: 300 * time.Millisecond, utilisation: 500 * time.Millisecond,
	streams: 20, cancels: 5, kills: 1,
}
