package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"vaak/audio/audiotest"
	"vaak/audio/codec"
)

// corpus describes a folder of conversations that tests bring in: two speakers,
// a channel each, who take turns of two seconds.
type corpus struct {
	slug    string
	calls   int
	seconds int    // of each, at 8 kHz
	format  string // "flac", "wav"
	card    string // more lines of the card
	bare    bool   // without what a card needs to be published
	extra   int    // samples at the end of each, so that nobody has measured them before
}

// turnSeconds is how long each of a conversation's turns is.
const turnSeconds = 2

// write makes the folder, or writes over it. The first call has its transcript as
// TextGrid, the others as JSON.
func (c corpus) write(dir string) error {
	terms := "licence: {name: Example Licence}\nprovenance: {creator: {name: Example Lab}}\n"
	if c.bare || strings.Contains(c.card, "licence:") {
		terms = ""
	}
	err := keepFile(filepath.Join(dir, "card.yaml"), []byte(fmt.Sprintf(`slug: %s
title: Calls of %[1]s
description: Two people talk about nothing.
language:
  tag: hi-IN
channels: dual
collection: call-centre
domains: [banking]
sample: call-1
%s%s`, c.slug, c.card, terms)))
	for i := range c.calls {
		name := fmt.Sprint("call-", i+1)
		audio, aerr := c.audio(i)
		transcript, text := name+".json", c.json()
		if i == 0 {
			transcript, text = name+".TextGrid", c.textGrid()
		}
		err = errors.Join(err, aerr,
			keepFile(filepath.Join(dir, "audio", name+"."+c.format), audio),
			keepFile(filepath.Join(dir, "transcripts", transcript), []byte(text)))
	}
	return err
}

func keepFile(path string, data []byte) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600))
}

// audio returns the n-th file, which differs from the others by its length.
func (c corpus) audio(n int) ([]byte, error) {
	const rate = 8000
	length := c.seconds*rate + n + c.extra
	channels := [][]int16{make([]int16, length), make([]int16, length)}
	turn := audiotest.Speech(rate, turnSeconds*rate*8/10)
	for i := 0; (i+1)*turnSeconds <= c.seconds; i++ {
		copy(channels[i%2][i*turnSeconds*rate:], turn)
	}
	if c.format == "flac" {
		return codec.FLACFile(rate, channels...)
	}
	return wavFile(rate, channels), nil
}

// wavFile returns a WAV file of 16 bits.
func wavFile(rate int, channels [][]int16) []byte {
	size := 2 * len(channels) * len(channels[0])
	b := append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+size)), "WAVEfmt \x10\x00\x00\x00\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(channels)))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(2*len(channels)*rate))
	b = binary.LittleEndian.AppendUint16(b, uint16(2*len(channels)))
	b = append(b, "\x10\x00data"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	for i := range channels[0] {
		for _, c := range channels {
			b = binary.LittleEndian.AppendUint16(b, uint16(c[i]))
		}
	}
	return b
}

// json is a transcript that says a word or two in each turn.
func (c corpus) json() string {
	var all []string
	for i := 0; (i+1)*turnSeconds <= c.seconds; i++ {
		all = append(all, fmt.Sprintf(`{"start_s": %d, "end_s": %d.6, "channel": %d, "speaker": "s%[3]d", "text": "नमस्ते hello"}`,
			i*turnSeconds, i*turnSeconds+1, i%2+1))
	}
	return "{\"segments\": [\n" + strings.Join(all, ",\n") + "\n]}\n"
}

// textGrid is the same, as Praat writes it.
func (c corpus) textGrid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0\nxmax = %d\ntiers? <exists>\nsize = 2\nitem []:\n", c.seconds)
	for tier := range 2 {
		var spans []string
		for i := tier; (i+1)*turnSeconds <= c.seconds; i += 2 {
			spans = append(spans, fmt.Sprintf("xmin = %d\nxmax = %d.6\ntext = \"नमस्ते hello\"\n", i*turnSeconds, i*turnSeconds+1))
		}
		fmt.Fprintf(&b, "item [%d]:\nclass = \"IntervalTier\"\nname = \"s%[1]d\"\nxmin = 0\nxmax = %d\nintervals: size = %d\n", tier+1, c.seconds, len(spans))
		for i, s := range spans {
			fmt.Fprintf(&b, "intervals [%d]:\n%s", i+1, s)
		}
	}
	return b.String()
}

// folder makes it in a directory that goes with the test, and returns where.
func (c corpus) folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := c.write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// makeDataset, as `dataset DIR SLUG CALLS FORMAT [bare|LINE OF THE CARD]...`, makes
// a folder of recordings of ten seconds.
func makeDataset(ts *testscript.TestScript, _ bool, args []string) {
	calls, err := strconv.Atoi(args[2])
	c := corpus{slug: args[1], calls: calls, seconds: 10, format: args[3]}
	for _, line := range args[4:] {
		if line == "bare" {
			c.bare = true
			continue
		}
		c.card += line + "\n"
	}
	ts.Check(errors.Join(err, c.write(ts.MkAbs(args[0]))))
}

// showTree, as `tree DIR FILE`, writes the names and sizes of the files in a
// directory to a file; of none there are none.
func showTree(ts *testscript.TestScript, _ bool, args []string) {
	var b strings.Builder
	err := filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size())
		}
		return err
	})
	if !errors.Is(err, fs.ErrNotExist) {
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}

// sameFields, as `same FILE FILE FIELD...`, checks that two records have the same
// values.
func sameFields(ts *testscript.TestScript, _ bool, args []string) {
	var records [2]map[string]any
	for i := range records {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[i])), &records[i]))
	}
	for _, field := range args[2:] {
		if a, b := records[0][field], records[1][field]; a == nil || a != b {
			ts.Fatalf("%s is %v and %v, want the same", field, a, b)
		}
	}
}
