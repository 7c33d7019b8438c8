// Package unseen finds what may be personal data in what a dataset publishes, so that somebody
// looks at it first: the transcript of the sample, and the names of recordings and speakers.
//
// What it returns has kinds, counts and places, and never the text that was found.
package unseen

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strings"

	"vaak/catalogue/measure/personal"
	"vaak/catalogue/transcript"
)

// Recording is what is looked at of a recording.
type Recording struct {
	ID, Path, Session, Split string
	Speakers, Roles          []string
	File                     string               // of the transcript
	Segments                 []transcript.Segment // of the transcript
}

// placesMost bounds the places of each sort that are named.
const placesMost = 1000

// Personal counts what may be personal data, and says where it is, so that people look at it.
// It never has the text itself.
type Personal struct {
	// Counts are of transcripts.
	Counts map[personal.Kind]int `json:"counts"`
	// Places are in the order of the recordings; the first 1,000.
	Places []Place `json:"places"`
	Names  Names   `json:"names"`
}

// Place is a segment that may hold personal data.
type Place struct {
	Recording string        `json:"recording"`
	File      string        `json:"file"` // of the transcript
	Line      int           `json:"line"` // from 1; 0 is unknown
	StartS    float64       `json:"startS"`
	EndS      float64       `json:"endS"`
	Kind      personal.Kind `json:"kind"`
	Count     int           `json:"count"`
}

// Names counts what may be personal data in names, each of which counts once.
type Names struct {
	Counts map[personal.Kind]int `json:"counts"`
	// Places are where each name is first; the first 1,000.
	Places []NamePlace `json:"places"`
}

// NamePlace is a name that may be personal data.
type NamePlace struct {
	Recording int           `json:"recording"` // number of the recording in the order of ids, from 1
	In        string        `json:"in"`        // "id", "path", "session", "split", "speaker" or "role"
	Kind      personal.Kind `json:"kind"`
	Count     int           `json:"count"`
}

// Counted returns kinds and how many there are, such as "2 email, 1 phone"; "" if there are none.
func Counted(counts map[personal.Kind]int) string {
	var parts []string
	for _, kind := range personal.Kinds {
		if n := counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	return strings.Join(parts, ", ")
}

// Error says that what is published may hold personal data that nobody has said to have
// looked at. Its text has none of it.
type Error struct {
	Found Personal // in what is published alone
}

// placesTold is how many places of each sort an error names.
const placesTold = 10

// Error counts what was found and names the places.
func (e *Error) Error() string {
	var parts []string
	if n := Counted(e.Found.Counts); n != "" {
		parts = append(parts, fmt.Sprintf("the transcript of the sample, which is published whole, may hold personal data (%s)%s", n, segments(e.Found.Places)))
	}
	if n := Counted(e.Found.Names.Counts); n != "" {
		parts = append(parts, fmt.Sprintf("names of recordings or speakers, which are published, may be personal data (%s)%s", n, names(e.Found.Names.Places)))
	}
	return strings.Join(parts, "; ")
}

// segments tells where segments begin, if there are any.
func segments(places []Place) string {
	if len(places) == 0 {
		return ""
	}
	return ": in " + places[0].File + " from " + some(places, func(p Place) string { return fmt.Sprintf("%.1f s", p.StartS) })
}

// names tells whose names, if there are any.
func names(places []NamePlace) string {
	if len(places) == 0 {
		return ""
	}
	return ": " + some(places, func(p NamePlace) string { return fmt.Sprintf("%s of recording %d", p.In, p.Recording) })
}

// some lists the first places.
func some[P any](places []P, tell func(P) string) string {
	var all []string
	for _, p := range places[:min(len(places), placesTold)] {
		all = append(all, tell(p))
	}
	more := ""
	if len(places) > placesTold {
		more = " and more"
	}
	return strings.Join(all, ", ") + more
}

// Look returns what may be personal data in the transcripts and names of all recordings, which
// come in the order of ids. The error is that of ctx.
func Look(ctx context.Context, all iter.Seq[Recording]) (Personal, error) {
	return look(ctx, all, func(Recording) bool { return true })
}

// Published returns an [*Error] if what is published of the recordings, which come in the order of
// ids, may hold personal data: the id, path, session and split of each, and the speakers, their
// roles and the transcript of the sample. sample is the id of the sample; "" is none. Another error is that of
// ctx.
func Published(ctx context.Context, all iter.Seq[Recording], sample string) error {
	return refuse(look(ctx, all, func(r Recording) bool { return sample != "" && r.ID == sample }))
}

// refuse returns an [*Error] if there is something.
func refuse(p Personal, err error) error {
	if err != nil {
		return err
	}
	if len(p.Counts)+len(p.Names.Counts) > 0 {
		return &Error{p}
	}
	return nil
}

// look looks at the names of all recordings, and at the speakers and transcripts of those that are
// whole.
func look(ctx context.Context, all iter.Seq[Recording], whole func(Recording) bool) (Personal, error) {
	l := newLooker()
	for r := range all {
		if err := l.named(ctx, r); err != nil {
			return Personal{}, err
		}
		if whole(r) {
			if err := l.said(ctx, l.number, r); err != nil {
				return Personal{}, err
			}
		}
	}
	return l.found, nil
}

// name is a name in a kind of place.
type name struct{ in, text string }

// looker gathers what was found.
type looker struct {
	found  Personal
	number int           // of recordings so far
	told   map[name]bool // names in which something was found
	last   map[string]string
}

func newLooker() *looker {
	return &looker{
		found: Personal{Counts: map[personal.Kind]int{}, Places: []Place{}, Names: Names{Counts: map[personal.Kind]int{}, Places: []NamePlace{}}},
		told:  map[name]bool{}, last: map[string]string{},
	}
}

// named looks at what recordings.csv has of the next recording.
func (l *looker) named(ctx context.Context, r Recording) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.number++
	l.name(l.number, "id", r.ID)
	l.name(l.number, "path", strings.TrimSuffix(r.Path, path.Ext(r.Path)))
	l.name(l.number, "session", r.Session)
	l.name(l.number, "split", r.Split)
	return nil
}

// said looks at the speakers and the transcript of a recording with a number.
func (l *looker) said(ctx context.Context, number int, r Recording) error {
	for _, s := range r.Speakers {
		l.name(number, "speaker", s)
	}
	for _, s := range r.Roles {
		l.name(number, "role", s)
	}
	for _, s := range r.Segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.name(number, "speaker", s.Speaker)
		l.name(number, "role", s.Role)
		found := personal.Find(s.Text)
		for _, kind := range personal.Kinds {
			n := found[kind]
			if n == 0 {
				continue
			}
			l.found.Counts[kind] += n
			if len(l.found.Places) < placesMost {
				l.found.Places = append(l.found.Places, Place{Recording: r.ID, File: r.File, Line: s.Line,
					StartS: s.Start, EndS: s.End, Kind: kind, Count: n})
			}
		}
	}
	return nil
}

// name looks at a name of the recording with a number.
func (l *looker) name(number int, in, text string) {
	if text == "" || l.last[in] == text { // the same speaker speaks on
		return
	}
	l.last[in] = text
	found := personal.FindName(text)
	if found == nil || l.told[name{in, text}] {
		return
	}
	l.told[name{in, text}] = true
	for _, kind := range personal.Kinds {
		n := found[kind]
		if n == 0 {
			continue
		}
		l.found.Names.Counts[kind] += n
		if len(l.found.Names.Places) < placesMost {
			l.found.Names.Places = append(l.found.Names.Places, NamePlace{Recording: number, In: in, Kind: kind, Count: n})
		}
	}
}
