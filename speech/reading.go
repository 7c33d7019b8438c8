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

// Reading is how a request would be read: its languages and its text in words.
type Reading struct {
	Language   lang.Code // of the request, asked for or detected
	Runs       []ReadRun // in order; empty when nothing is spoken
	Characters int       // of the request's text, as they are counted
	Respelled  int       // how often a rule of a dictionary applies
	// Respellings are where: bytes of the request's text, ascending and apart.
	Respellings []respell.Match
	// Estimated is about how long the audio is, at the request's speed.
	Estimated time.Duration
	Notices   []string
	Unused    []string // parameters of the request that change nothing
}

// ReadRun is a stretch of the text that is read in one language.
type ReadRun struct {
	Language lang.Code
	// Start and End say where it is in the request's text, in code points.
	Start, End int
	Written    string // as the caller sent it
	Spoken     string // as an engine is given it
}

// Spoken returns the whole text as it is read, its words parted by one space.
func (r Reading) Spoken() string {
	var b strings.Builder
	for _, run := range r.Runs {
		b.WriteString(run.Spoken)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Read says how a request would be read. Nothing is spoken and nothing charged;
// what Speak refuses is refused.
func (s *Service) Read(ctx context.Context, req Request) (Reading, error) {
	a, err := s.prepare(ctx, req)
	if err != nil {
		return Reading{}, err
	}
	r := Reading{Language: a.info.Language, Characters: a.info.Characters, Respelled: a.text.Respelled(), Respellings: a.text.Respellings(), Notices: a.info.Notices, Unused: a.info.Unused, Runs: ReadRuns(req.Text, a.text)}
	for _, run := range r.Runs {
		r.Estimated += lasts(run.Language, run.Spoken)
	}
	if len(r.Runs) == 0 {
		r.Estimated = silence
	}
	speed, err := checkSpeed(req.Speed)
	r.Estimated = time.Duration(float64(r.Estimated) / speed)
	return r, err
}

// ReadRuns lists the runs of a text that was prepared, with where they come
// from.
func ReadRuns(s string, prepared frontend.Prepared) []ReadRun {
	var runs []ReadRun
	at, count := 0, 0 // bytes and code points of s
	place := func(to int) int {
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
