package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the transcripts with what the server says")

// TestTranscripts plays testdata/*.txtar: conversations of clients with the real
// service, whose engine hums. The comment of a file ends with the path that is
// dialled. A section "client" is sent, line by line; then all that comes until
// the server is silent for a second is the section "server" that follows. Time
// is that of a bubble.
//
// Lines of clients that are no JSON are: wait DURATION, ping, close, binary.
// What the server says is sorted by context. Frames of audio are abbreviated: how many samples of PCM, of which text, from
// when to when in the frame. Dictionaries are those of newLibrary.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := txtar.Parse(data)
			var got *txtar.Archive
			synctest.Test(t, func(t *testing.T) { got = play(t, want) })
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(want)), string(txtar.Format(got))); diff != "" {
				t.Errorf("%s differs (-want +got):\n%s", file, diff)
			}
		})
	}
}

// play plays the client of a transcript and returns what came of it.
func play(t *testing.T, script *txtar.Archive) *txtar.Archive {
	got, _ := record(t, script)
	return got
}

// record plays a transcript and returns also what was heard, as it was sent.
func record(t *testing.T, script *txtar.Archive) (*txtar.Archive, []received) {
	s := newSite(t, Config{Speech: humming(t), Dictionaries: newLibrary(t)})
	t.Cleanup(pipe(s))
	lines := strings.Fields(string(script.Comment))
	c := s.client(t, lines[len(lines)-1])
	got := &txtar.Archive{Comment: script.Comment}
	for _, f := range script.Files {
		if f.Name != "client" {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			c.perform(strings.TrimSpace(line))
			synctest.Wait() // the server has handled it: what it says does not depend on who is faster
		}
		got.Files = append(got.Files, f, txtar.File{Name: "server", Data: byContext(c.hear())})
	}
	return got, c.heard
}

// perform does what a line of a client says.
func (c *client) perform(line string) {
	c.t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	var err error
	switch word {
	case "":
	case "wait":
		d, perr := time.ParseDuration(rest)
		if perr != nil {
			c.t.Fatal(perr)
		}
		time.Sleep(d) // in the bubble
	case "ping":
		err = c.ws.WriteControl(websocket.PingMessage, []byte("are you there"), time.Now().Add(time.Minute))
	case "close":
		err = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Minute))
	case "binary":
		err = c.ws.WriteMessage(websocket.BinaryMessage, []byte(rest))
	case "latin1":
		err = c.ws.WriteMessage(websocket.TextMessage, []byte("{\"text\":\"caf\xe9\"}"))
	case "repeat": // repeat N CHARACTER: a text of so many
		var n int
		var what string
		if _, err := fmt.Sscan(rest, &n, &what); err != nil {
			c.t.Fatal(err)
		}
		// The server may have had enough before it has all.
		_ = c.ws.WriteMessage(websocket.TextMessage, []byte(`{"text":"`+strings.Repeat(what, n)+`"}`))
	default:
		err = c.ws.WriteMessage(websocket.TextMessage, []byte(line))
	}
	if err != nil && !errors.Is(err, websocket.ErrCloseSent) { // the server may have closed before
		c.t.Fatalf("%s: %v", line, err)
	}
}

// hear returns all that comes until there is silence for a second. Binary frames
// that follow each other are counted together.
func (c *client) hear() []byte {
	var said bytes.Buffer
	samples := 0
	flush := func() {
		if samples > 0 {
			fmt.Fprintf(&said, "pcm %d samples\n", samples)
		}
		samples = 0
	}
	for {
		select {
		case r := <-c.frames:
			c.heard = append(c.heard, r)
			if r.err == nil && r.kind == websocket.BinaryMessage {
				if len(r.data)%2 != 0 {
					c.t.Errorf("a frame of %d bytes splits a sample", len(r.data))
				}
				samples += len(r.data) / 2
				continue
			}
			flush()
			said.WriteString(abbreviate(r) + "\n")
			if r.err != nil {
				return said.Bytes()
			}
		case <-time.After(time.Second):
			flush()
			return said.Bytes()
		}
	}
}

// byContext sorts what was heard by context: what is said in one may overtake
// what is said in another.
func byContext(said []byte) []byte {
	lines := slices.Collect(strings.Lines(string(said)))
	context := func(line string) string {
		if i := strings.LastIndex(line, " of "); strings.HasPrefix(line, "audio") && i > 0 {
			return strings.TrimSpace(line[i+len(" of "):])
		}
		_, id, found := strings.Cut(line, `"contextId":"`)
		if !found {
			return "\xff" // of the socket: the last
		}
		id, _, _ = strings.Cut(id, `"`)
		return id
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(context(a), context(b)) })
	return []byte(strings.Join(lines, ""))
}

// audioFrame is a frame of audio of the dialect as a client reads it.
type audioFrame struct {
	Audio      []byte     `json:"audio"`
	IsFinal    *bool      `json:"isFinal"`
	Alignment  *aligned   `json:"alignment"`
	Normalized *aligned   `json:"normalizedAlignment"`
	ContextID  *string    `json:"contextId"`
	Message    *string    `json:"message"`
	Error      *string    `json:"error"`
	Code       int        `json:"code"`
	Spoken     *spokenFar `json:"spoken"`
	Estimated  bool       `json:"estimated"`
}

type aligned struct {
	Chars     []string `json:"chars"`
	Starts    []int    `json:"charStartTimesMs"`
	Durations []int    `json:"charDurationsMs"`
}

type spokenFar struct {
	Text      string `json:"text"`
	Remaining string `json:"remaining"`
	Offset    int    `json:"char_offset"`
	AudioMs   int    `json:"audio_ms"`
}

func (a *aligned) text() string {
	if a == nil {
		return ""
	}
	return strings.Join(a.Chars, "")
}

// end is when the last character of an alignment ends, in ms of its frame.
func (a *aligned) end() int {
	if a == nil || len(a.Chars) == 0 {
		return 0
	}
	last := len(a.Chars) - 1
	return a.Starts[last] + a.Durations[last]
}

// abbreviate returns what a transcript says of a message.
func abbreviate(r received) string {
	if r.err != nil {
		if e, ok := errors.AsType[*websocket.CloseError](r.err); ok {
			return strings.TrimSpace(fmt.Sprintf("close %d %s", e.Code, e.Text))
		}
		return "the connection broke"
	}
	if r.kind == websocket.PongMessage {
		return "pong " + string(r.data)
	}
	var f audioFrame
	if err := json.Unmarshal(r.data, &f); err != nil || f.Audio == nil {
		return string(r.data)
	}
	line := fmt.Sprintf("audio %d samples", len(f.Audio)/2)
	if f.Alignment != nil {
		line += fmt.Sprintf(", %q %d-%d ms", f.Alignment.text(), f.Alignment.Starts[0], f.Alignment.end())
	}
	if f.Normalized.text() != f.Alignment.text() {
		line += fmt.Sprintf(", read %q", f.Normalized.text())
	}
	if f.Estimated {
		line += ", estimated"
	}
	if f.ContextID != nil {
		line += " of " + *f.ContextID
	}
	return line
}
