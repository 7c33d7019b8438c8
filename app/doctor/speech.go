package doctor

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/internal/checkup"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// What counts as speech of a sentence: a peak of -30 dBFS, and 0.5 s.
const (
	audiblePeak = 1036
	audibleTime = 500 * time.Millisecond
)

// languages checks that every language that is offered speaks its preview text.
func (p *Patient) languages(ctx context.Context) checkup.Finding {
	svc := p.voice.speaker()
	if svc == nil {
		return checkup.Skip("the engine does not start")
	}
	all := slices.DeleteFunc(lang.All(), func(l lang.Language) bool {
		return len(p.Voices.Languages) > 0 && !slices.Contains(p.Voices.Languages, l.Code)
	})
	wrong := make([]string, len(all))
	var heard time.Duration
	var mu sync.Mutex
	var speaking sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	began := time.Now()
	for i, l := range all {
		// One language for each processor at a time. More would measure the queue and not
		// the languages, and the limit of this check is a time.
		room <- struct{}{}
		speaking.Go(func() {
			defer func() { <-room }()
			length, err := audible(ctx, svc, l.Code)
			if err != nil {
				wrong[i] = fmt.Sprintf("%s (%v)", l.Code, err)
			}
			mu.Lock()
			defer mu.Unlock()
			heard += length
		})
	}
	speaking.Wait()
	wrong = slices.DeleteFunc(wrong, func(s string) bool { return s == "" })
	if len(wrong) > 0 {
		return checkup.Fail("Install the package espeak-ng-data whole and of the same version as libespeak-ng1.",
			"%d of %d languages do not speak: %s", len(wrong), len(all), few(wrong))
	}
	f := checkup.Good("all %d speak, %.0f s of audio in %.1f s", len(all), heard.Seconds(), time.Since(began).Seconds())
	f.Figures = map[string]float64{"languages": float64(len(all)), "audio_s": heard.Seconds()}
	return f
}

// audible speaks the preview text of a language and returns the duration of the audio. It
// returns an error if the audio is too quiet or too short to be speech.
func audible(ctx context.Context, svc *speech.Service, code lang.Code) (time.Duration, error) {
	w := &loudness{}
	r, err := svc.Speak(ctx, account.Local, speech.Request{
		Text: voice.PreviewText(code), Language: string(code), Format: audio.Format{Codec: audio.PCM, SampleRate: 24000},
	}, w)
	switch {
	case err != nil:
		return 0, err
	case w.peak < audiblePeak || r.Duration < audibleTime:
		return r.Duration, fmt.Errorf("%.1f s with a peak of %d of 32768", r.Duration.Seconds(), w.peak)
	}
	return r.Duration, nil
}

// loudness takes PCM, whose samples no write splits, and keeps the peak.
type loudness struct{ peak int }

// Write takes samples of 16 bits, little endian.
func (l *loudness) Write(b []byte) (int, error) {
	for i := 0; i+1 < len(b); i += 2 {
		// Widened before the sign changes: the negative of -32768 does not fit into 16
		// bits.
		v := int(int16(binary.LittleEndian.Uint16(b[i:])))
		l.peak = max(l.peak, v, -v)
	}
	return len(b), nil
}

// Bounds of a machine that is fast enough to talk with.
const (
	measuredRuns    = 5
	slowFirstAudio  = 100 * time.Millisecond
	slowRealTime    = 0.05 // twenty streams on a processor, where some hundred are usual
	measuredRate    = 24000
	measuredFormats = 2
)

// speaks streams a sentence through the whole chain and measures the speed.
func (p *Patient) speaks(ctx context.Context) checkup.Finding {
	svc := p.voice.speaker()
	if svc == nil {
		return checkup.Skip("the engine does not start")
	}
	found := make([]checkup.Finding, 0, measuredFormats)
	figures := map[string]float64{}
	for _, c := range []audio.Codec{audio.PCM, audio.MP3} {
		if !slices.Contains(codec.Available(), c) {
			continue // the formats tell
		}
		m, err := clocked(ctx, svc, c)
		if err != nil {
			return checkup.Fail("See what engine and languages say.", "%s: %v", c, err)
		}
		figures[string(c)+"_first_audio_ms"] = float64(m.first.Microseconds()) / 1000
		figures[string(c)+"_real_time_factor"] = m.factor
		found = append(found, speedFinding(c, m))
	}
	f := checkup.Worst(found...)
	f.Figures = figures
	return f
}

// pace is how fast a sentence is spoken: medians of measuredRuns.
type pace struct {
	first  time.Duration // from the request to the first byte
	factor float64       // time that speaking takes, by the time that listening takes
}

func speedFinding(c audio.Codec, m pace) checkup.Finding {
	what := fmt.Sprintf("%s: first audio after %.1f ms, real-time factor %.4f", c, float64(m.first.Microseconds())/1000, m.factor)
	if m.first > slowFirstAudio || m.factor > slowRealTime {
		return checkup.Warn("See what else uses the processors, and whether they are throttled.", "%s, which is slow", what)
	}
	return checkup.Good("%s", what)
}

// clocked measures how fast a sentence is spoken in a format. It speaks once to warm up,
// and then measuredRuns times.
func clocked(ctx context.Context, svc *speech.Service, c audio.Codec) (pace, error) {
	var firsts []time.Duration
	var factors []float64
	for i := range 1 + measuredRuns {
		w := &firstWrite{}
		began := time.Now()
		r, err := svc.Speak(ctx, account.Local, speech.Request{
			Text: voice.PreviewText("en"), Language: "en", Stream: true, Format: audio.Format{Codec: c, SampleRate: measuredRate},
		}, w)
		took := time.Since(began)
		switch {
		case err != nil:
			return pace{}, err
		case w.at.IsZero() || r.Duration <= 0:
			return pace{}, errors.New("there is no audio")
		// The first run starts a worker and loads the voice, which a request in operation
		// seldom waits for.
		case i == 0:
			continue
		}
		firsts = append(firsts, w.at.Sub(began))
		factors = append(factors, took.Seconds()/r.Duration.Seconds())
	}
	slices.Sort(firsts)
	slices.Sort(factors)
	// measuredRuns is odd, so the middle one is the median. A mean would follow one run
	// that another program has delayed.
	return pace{firsts[measuredRuns/2], factors[measuredRuns/2]}, nil
}

// firstWrite takes bytes and remembers when the first came.
type firstWrite struct{ at time.Time }

// Write takes bytes.
func (f *firstWrite) Write(b []byte) (int, error) {
	if f.at.IsZero() && len(b) > 0 {
		f.at = time.Now()
	}
	return len(b), nil
}
