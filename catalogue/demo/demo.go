// Package demo makes the demonstration datasets: conversations that two voices, of our own engine
// unless others are named, speak from scripts. Everything that a measurement can find out about them is known.
//
// The floor-transfer offsets, backchannels and pauses of a script are placed on the time line to
// the sample, and the result is returned as a [Truth]. The same engine, scripts and version
// always make the same bytes.
package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"vaak/audio/codec"
	"vaak/catalogue/transcript"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// Speaker speaks texts. Safe for concurrent use.
type Speaker interface {
	Say(ctx context.Context, voice voice.ID, language lang.Code, text string) (Speech, error)
}

// Speech is a text that was spoken.
type Speech struct {
	Rate  int     // Hz
	PCM   []int16 // one channel
	Words []Word  // in the order of the text
}

// Word is a word of a text, as it is written, with the time at which it is heard.
type Word struct {
	Text       string
	Start, End float64 // seconds from the first sample
}

// Words joins the characters of a text into words. starts and ends are when each character begins
// and ends, in seconds.
func Words(characters []string, starts, ends []float64) []Word {
	var words []Word
	open := false
	for i, c := range characters {
		if strings.TrimFunc(c, unicode.IsSpace) == "" {
			open = false
			continue
		}
		if !open {
			words, open = append(words, Word{Start: starts[i]}), true
		}
		w := &words[len(words)-1]
		w.Text, w.End = w.Text+c, ends[i]
	}
	return words
}

// Set is a dataset that was made.
type Set struct {
	Slug          string
	Dir           string // its folder
	Conversations []Conversation
}

// Conversation is a recording of a set.
type Conversation struct {
	ID       string
	Path     string // of the audio file, relative to the folder of the set
	Segments []transcript.Segment
	Truth    Truth
}

//go:embed scripts/*.tsv
var scripts embed.FS

// Slugs returns the slugs of the sets in the order in which [Make] makes them.
func Slugs() []string {
	var slugs []string
	for _, p := range plans() {
		slugs = append(slugs, p.slug)
	}
	return slugs
}

// Generator returns the name of the generator in the records of the sets.
func Generator(version string) string { return "Vaak " + version }

// Config says how the sets are made.
type Config struct {
	Speaker Speaker
	Version string // of the program
	// Voices speak the sets of their native languages, as far as their genders fit the roles;
	// [CheckVoices] says of which there are sets. The voices of the roster speak the rest.
	Voices []voice.Voice
	// Progress, if not nil, is called with the number of conversations that are done, never by two
	// goroutines at once.
	Progress func(done, of int)
}

// CheckVoices returns an error if a voice is native to none of the languages of the sets.
func CheckVoices(voices []voice.Voice) error {
	var codes []lang.Code
	var names []string
	for _, p := range plans() {
		if l, ok := lang.Lookup(p.code); ok && !slices.Contains(codes, p.code) {
			codes, names = append(codes, p.code), append(names, l.Name)
		}
	}
	for _, v := range voices {
		if !slices.Contains(codes, v.Native) {
			l, _ := lang.Lookup(v.Native)
			return fault.BadParameter("voices", "the native language of voice %.100q is %s; the demonstration datasets are in %s", v.Name, l.Name, strings.Join(names, ", "))
		}
	}
	return nil
}

// Make makes all sets, each in a folder of its own in dir.
func Make(ctx context.Context, dir string, c Config) ([]Set, error) {
	m := maker{speaker: c.Speaker, version: c.Version, root: dir, progress: c.Progress}
	for _, p := range plans() {
		m.of += p.takes()
	}
	var sets []Set
	for _, p := range plans() {
		for _, v := range c.Voices {
			if v.Native == p.code {
				p.voices = append(p.voices, v)
			}
		}
		set, err := m.set(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("make %s: %w", p.slug, err)
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// maker makes sets.
type maker struct {
	speaker  Speaker
	version  string
	root     string
	of       int
	progress func(done, of int)

	mu   sync.Mutex
	done int
}

func (m *maker) step() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done++
	if m.progress != nil {
		m.progress(m.done, m.of)
	}
}

// set makes the conversations of a set, one per processor at a time, and then the other files of
// its folder.
func (m *maker) set(ctx context.Context, p plan) (Set, error) {
	set := Set{Slug: p.slug, Dir: filepath.Join(m.root, p.slug), Conversations: make([]Conversation, p.takes())}
	for _, sub := range []string{"audio", "transcripts"} {
		if err := os.MkdirAll(filepath.Join(set.Dir, sub), 0o755); err != nil {
			return Set{}, err
		}
	}
	var (
		failures = make([]error, p.takes())
		next     atomic.Int64
		workers  sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), p.takes()) {
		workers.Go(func() {
			// Workers take the next number from one counter, so a long conversation does
			// not hold up the others. Results have their place by number, and the order in
			// which workers finish does not matter.
			for i := int(next.Add(1)) - 1; i < p.takes(); i = int(next.Add(1)) - 1 {
				set.Conversations[i], failures[i] = m.conversation(ctx, set.Dir, p.dialogue(i))
				m.step()
			}
		})
	}
	workers.Wait()
	if err := errors.Join(failures...); err != nil {
		return Set{}, err
	}
	return set, writeFacts(set, p, m.version)
}

// conversation makes one recording and writes it with its transcript.
func (m *maker) conversation(ctx context.Context, dir string, t dialogue) (Conversation, error) {
	if err := ctx.Err(); err != nil {
		return Conversation{}, err
	}
	lines, err := t.lines()
	if err != nil {
		return Conversation{}, err
	}
	sc, err := stage(ctx, m.speaker, t, lines)
	if err != nil {
		return Conversation{}, fmt.Errorf("%s: %w", t.id, err)
	}
	channels, err := render(sc, t)
	if err != nil {
		return Conversation{}, fmt.Errorf("%s: %w", t.id, err)
	}
	file, err := codec.FLACFile(t.plan.rate, channels...)
	if err != nil {
		return Conversation{}, fmt.Errorf("%s: %w", t.id, err)
	}
	c := Conversation{ID: t.id, Path: "audio/" + t.id + ".flac", Segments: sc.segments(t), Truth: sc.truth()}
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(c.Path)), file, 0o644); err != nil {
		return Conversation{}, err
	}
	return c, writeTranscript(dir, c)
}
