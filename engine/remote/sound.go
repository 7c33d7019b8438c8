package remote

import (
	"time"

	"vaak/audio"
	"vaak/audio/resample"
	"vaak/engine/remote/wire"
)

const (
	// quietLevel is the least amplitude of sound; what is below is silence: -47 dB.
	quietLevel = 150
	// leadKept is how much silence is kept before the first sound of a sentence.
	leadKept = 20 * time.Millisecond
	// mostSilence is how long an answer may be silent before it counts as one that will stay so.
	mostSilence = 4 * time.Second
)

func isQuiet(s int16) bool { return -quietLevel < s && s < quietLevel }

// trimmer passes the sound of a sentence on without the silence before and behind it: models add
// as much as they like. Silence between sounds is passed on as it came, since quiet sound, such as
// the end of a breath, looks like it. It implements audio.Writer.
type trimmer struct {
	to      func([]int16)
	rate    int
	begun   bool
	quiet   int     // samples of silence that have come since the last sound
	held    []int16 // those of them that may be passed on
	dropped int     // samples before the first that was passed on
}

func (t *trimmer) samples(d time.Duration) int { return int(d * time.Duration(t.rate) / time.Second) }

// WritePCM takes sound. The error is a [wire.Failure] when it stays silent.
func (t *trimmer) WritePCM(pcm []int16) error {
	for len(pcm) > 0 {
		n := 0
		for n < len(pcm) && isQuiet(pcm[n]) {
			n++
		}
		t.hold(pcm[:n])
		if t.quiet > t.samples(mostSilence) {
			return &wire.Failure{Reason: wire.Silent, Detail: "seconds of silence came"}
		}
		if pcm = pcm[n:]; len(pcm) == 0 {
			return nil
		}
		n = lastSound(pcm)
		t.pass()
		t.to(pcm[:n])
		pcm = pcm[n:]
	}
	return nil
}

// hold holds silence back. Of that before the first sound the last little is enough.
func (t *trimmer) hold(pcm []int16) {
	t.quiet += len(pcm)
	t.held = append(t.held, pcm...)
	if most := t.samples(leadKept); !t.begun && len(t.held) > most {
		t.held = append(t.held[:0], t.held[len(t.held)-most:]...)
	}
}

// lastSound returns how many samples come before the silence at the end of pcm, which begins with
// sound.
func lastSound(pcm []int16) int {
	n := len(pcm)
	for isQuiet(pcm[n-1]) {
		n--
	}
	return n
}

// pass passes the silence on that was held back.
func (t *trimmer) pass() {
	if !t.begun {
		t.begun = true
		t.dropped = t.quiet - len(t.held)
	}
	if len(t.held) > 0 {
		t.to(t.held)
	}
	t.quiet, t.held = 0, t.held[:0]
}

// Close does nothing: the end of a sentence knows how much silence follows.
func (t *trimmer) Close() error { return nil }

// tail passes on the silence at the end, at least and at most so much. It fades to zero, which it
// ends with where the model made less.
func (t *trimmer) tail(least, most time.Duration) {
	n := min(max(t.quiet, t.samples(least)), t.samples(most))
	end := t.held[:min(n, len(t.held))]
	for i, s := range end {
		end[i] = int16(int(s) * (len(end) - i) / len(end))
	}
	if len(end) > 0 {
		t.to(end)
	}
	var none [readSamples]int16
	for n -= len(end); n > 0; n -= len(none) {
		t.to(none[:min(n, len(none))])
	}
	t.quiet, t.held = 0, nil
}

// filter returns a writer that brings sound to a rate and trims it.
func (t *trimmer) filter(from int) (audio.Writer, error) { return resample.NewWriter(t, from, t.rate) }

// lastPause returns where the last pause of at least a time in pcm ends; -1 if there is none.
func lastPause(pcm []int16, least int) int {
	run, end := 0, -1
	for i, s := range pcm {
		if isQuiet(s) {
			run++
			continue
		}
		if run >= least {
			end = i
		}
		run = 0
	}
	if run >= least {
		return len(pcm)
	}
	return end
}

// pauses returns the silences of at least a time inside pcm, each with its first sample and the
// first behind it.
func pauses(pcm []int16, least int) [][2]int {
	var all [][2]int
	run, sound := 0, false
	for i, s := range pcm {
		if isQuiet(s) {
			run++
			continue
		}
		if run >= least && sound {
			all = append(all, [2]int{i - run, i})
		}
		run, sound = 0, true
	}
	return all
}
