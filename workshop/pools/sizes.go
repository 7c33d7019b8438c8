package main

import (
	"fmt"
	"math"
	"strings"

	"vaak/workshop/pools/region"
)

// Measured costs. Times are milliseconds of processor time per second of audio.
const (
	// remotePCM is what a stream of a remote voice costs in pcm. It is the target until
	// `make bench` measures it: put the figure here and run `make pools-write`.
	remotePCM       = 2.0
	remoteIsMeasure = false

	// From docs/performance.md, "Streams at playback speed".
	embeddedPCM = 0.461 + 1.938 // 400 streams
	mp3         = 3.716 - 0.461 // more than pcm, in the server
	opus        = 5.194 - 0.461
)

// The shape of the region.
const (
	cores = 4   // of a replica
	used  = 0.7 // of its cores, and of what a member can make, at most
	zones = 3   // one of which may be lost
)

// replicas returns how many streams a replica carries, and how many replicas carry all
// streams when a zone is lost.
func replicas(ms float64) (streams, count int) {
	streams = int(cores * used * 1000 / ms)
	need := math.Ceil(float64(region.Whole.Streams) / float64(streams))
	return streams, zones * int(math.Ceil(need/(zones-1)))
}

// sizes writes how large the region must be.
func sizes() string {
	var b strings.Builder
	all := float64(region.Whole.Streams)
	note := "target"
	if remoteIsMeasure {
		note = "measured"
	}
	b.WriteString("| voice, format | ms of processor per s of audio | cores busy | streams of a replica | replicas | Gbit/s to clients |\n|---|--:|--:|--:|--:|--:|\n")
	for _, row := range []struct {
		name     string
		ms, kbps float64
	}{
		{"remote, pcm (" + note + ")", remotePCM, 384},
		{"remote, mp3", remotePCM + mp3, 128},
		{"remote, opus", remotePCM + opus, 64},
		{"embedded, pcm", embeddedPCM, 384},
		{"embedded, mp3", embeddedPCM + mp3, 128},
	} {
		streams, count := replicas(row.ms)
		fmt.Fprintf(&b, "| %s | %.1f | %.0f | %d | %d | %.1f |\n", row.name, row.ms, all*row.ms/1000, streams, count, all*row.kbps/1e6)
	}
	b.WriteString("\n| member | s of audio per s | members at work | members, a zone may be lost |\n|---|--:|--:|--:|\n")
	for _, row := range []struct {
		name string
		made float64
	}{
		{"L40S, Qwen3-TTS 1.7B, vLLM-Omni, 16 at once [1]", 18},
		{"L4, Qwen3-TTS 0.6B, 16 at once [2]", 16.6},
		{"A GPU with FastPitch and HiFi-GAN, Riva, 6 at once [3]", 366},
		{"as the simulation assumes", region.Capacity},
	} {
		work := all / (row.made * used)
		fmt.Fprintf(&b, "| %s | %g | %.0f | %.0f |\n", row.name, row.made, math.Ceil(work), math.Ceil(work*zones/(zones-1)))
	}
	return b.String()
}
