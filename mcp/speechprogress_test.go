package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/mcp"
	"vaak/speech"
)

// progressOf asks for a text to be spoken, with a token, and returns what was
// told meanwhile and the result.
func progressOf(c *client, id int, args map[string]any, token any) ([]string, toolResult) {
	c.t.Helper()
	params := map[string]any{"name": "synthesize_speech", "arguments": args}
	if token != nil {
		params["_meta"] = map[string]any{"progressToken": token}
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(string(b))
	var told []string
	var result []byte
	for result == nil { // what was told later is told with the next, and is not its own
		line := c.receive()
		var n struct {
			Method string
			Params struct {
				ProgressToken   any
				Progress, Total float64
				Message         string
			}
		}
		if err := json.Unmarshal(line, &n); err != nil {
			c.t.Fatal(err)
		}
		if n.Method == "" {
			result = line
			continue
		}
		if n.Method != "notifications/progress" || n.Params.ProgressToken != token {
			c.t.Errorf("told %s, want progress of %v", line, token)
		}
		told = append(told, fmt.Sprintf("%g/%g %s", n.Params.Progress, n.Params.Total, n.Params.Message))
	}
	return told, decodeResult(c.t, result)
}

// TestProgress tells of each sentence to a client that asked, to a file and
// inline, and never a word of the text; it tells nothing to one that did not.
func TestProgress(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{Speech: toned(t), Formats: []audio.Codec{audio.WAV}, OutputDir: t.TempDir()})
	c := connect(t, t.Context(), s)
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	c.receive()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	want := []string{"10/21 1 of 3 sentences", "17/21 2 of 3 sentences", "21/21 3 of 3 sentences"}
	for i, delivery := range []string{"file", "inline"} {
		told, r := progressOf(c, i+1, map[string]any{"text": "Kumquats. Alpha! Beta", "delivery": delivery}, "token-"+delivery)
		if diff := cmp.Diff(want, told); diff != "" || r.IsError {
			t.Errorf("%s: told (-want +got)\n%s\n%s", delivery, diff, r.text())
		}
		if strings.Contains(strings.Join(told, ""), "umquat") {
			t.Errorf("told the text: %q", told)
		}
	}
	if told, r := progressOf(c, 3, map[string]any{"text": "Kumquats."}, "one"); strings.Join(told, ", ") != "9/9 1 of 1 sentence" || r.IsError {
		t.Errorf("told %q of one sentence: %s", told, r.text())
	}
	if told, _ := progressOf(c, 4, map[string]any{"text": "Alpha. Beta."}, nil); len(told) != 0 {
		t.Errorf("a client that did not ask was told %q", told)
	}
	c.in.Close()
	if err := <-c.done; err != nil {
		t.Error(err)
	}
}

// TestProgressIsBeforeTheResult makes many calls at once on standard input: what is
// told of a call never follows its result.
func TestProgressIsBeforeTheResult(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{Speech: toned(t), Formats: []audio.Codec{audio.WAV}, OutputDir: t.TempDir()})
	const calls, sentences = 200, 3
	var messages []string
	for id := range calls {
		messages = append(messages, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"synthesize_speech","arguments":{"text":"Kumquats. Alpha! Beta"},"_meta":{"progressToken":%d}}}`, id, id))
	}
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(strings.Join(messages, "\n")), &out, mcp.Speech); err != nil {
		t.Fatal(err)
	}
	told, answered := map[int]int{}, map[int]bool{}
	for line := range bytes.Lines(out.Bytes()) {
		var m struct {
			ID     *int
			Params struct{ ProgressToken int }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if m.ID == nil {
			told[m.Params.ProgressToken]++
			continue
		}
		answered[*m.ID] = true
		if told[*m.ID] != sentences {
			t.Errorf("%d notes stand before the result of call %d, want %d", told[*m.ID], *m.ID, sentences)
		}
	}
	for id, n := range told {
		if n != sentences {
			t.Errorf("call %d has %d notes, want %d", id, n, sentences)
		}
	}
	if len(answered) != calls {
		t.Errorf("%d calls were answered, want %d", len(answered), calls)
	}
}

// toned is a speech service that hums.
func toned(t *testing.T) *speech.Service {
	t.Helper()
	svc, err := speech.New(speech.Config{Engines: engine.Set{&enginetest.Tone{}}, Ledger: account.Unmetered{}, PreviewDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return svc
}
