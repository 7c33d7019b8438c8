package speech

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
	"vaak/text/frontend"
	"vaak/text/respell"
)

// Reading tells how a request would be read: its languages, and its text in words.
type Reading struct {
	Language   lang.Code // of the request, asked for or detected
	Runs       []ReadRun // in order; empty when nothing is spoken
	Characters int       // of the request's text, as they are charged
	Respelled  int       // how many times a rule of a dictionary applies
	// Respellings are the places where rules apply: spans of bytes of the request's text,
	// ascending, without overlap.
	Respellings []respell.Match
	// Estimated is the estimated duration of the audio, at the request's speed.
	Estimated time.Duration
	Notices   []string
	Unused    []string // parameters of the request that have no effect
}

// ReadRun is a stretch of the text that is read in one language.
type ReadRun struct {
	Language lang.Code
	// Start and End say where it is in the request's text, in code points.
	Start, End int
	Written    string // as the caller sent it
	Spoken     string // as the engine receives it
}

// Spoken returns the whole text as it is read, with one space between words.
func (r Reading) Spoken() string {
	var b strings.Builder
	for _, run := range r.Runs {
		b.WriteString(run.Spoken)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Read tells how a request would be read, without speaking or charging anything. It
// refuses what [Service.Speak] refuses, except for the balance and the load.
func (s *Service) Read(ctx context.Context, req Request) (Reading, error) {
	a, err := s.prepare(ctx, req, nil)
	if err != nil {
		return Reading{}, err
	}
	r := Reading{Language: a.info.Language, Characters: a.info.Characters, Respelled: a.text.Respelled(), Respellings: a.text.Respellings(), Notices: a.info.Notices, Unused: a.info.Unused, Runs: ReadRuns(req.Text, a.text)}
	for _, run := range r.Runs {
		r.Estimated += estimateDuration(run.Language, run.Spoken)
	}
	if len(r.Runs) == 0 {
		r.Estimated = silence
	}
	speed, err := checkSpeed(req.Speed)
	r.Estimated = time.Duration(float64(r.Estimated) / speed)
	return r, err
}

// ReadRuns lists the runs of a prepared text s, with the place in s from which each
// comes.
func ReadRuns(s string, prepared frontend.Prepared) []ReadRun {
	var runs []ReadRun
	// The places mostly ascend, so code points are counted onward from the last place, not
	// from the start each time; that would take quadratic time in long texts.
	at, count := 0, 0 // bytes and code points of s
	place := func(to int) int {
		// A run may come from before the last one; then count from the start again.
		if to < at {
			at, count = 0, 0
		}
		count += utf8.RuneCountInString(s[at:to])
		at = to
		return count
	}
	for run := range prepared.Runs() {
		in := run.Map.Back(text.Span{Start: 0, End: len(run.Text)})
		runs = append(runs, ReadRun{
			Language: run.Language, Start: place(in.Start), End: place(in.End),
			Written: in.In(s), Spoken: run.Text,
		})
	}
	return runs
}
