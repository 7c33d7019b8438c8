package live

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"vaak/audio"
	"vaak/rest/elevenlabs"
	"vaak/rest/live/asyncapi"
	"vaak/rest/live/message"
)

// contract is the description, compiled: what is not described is not allowed.
type contract struct {
	doc      map[string]any
	messages map[string]map[string]*jsonschema.Schema // by operation and name
}

func compile(t *testing.T) contract {
	t.Helper()
	c := contract{document(t), map[string]map[string]*jsonschema.Schema{}}
	walk(c.doc, func(object map[string]any) {
		if dig(object, "type") == "object" && object["properties"] != nil {
			object["additionalProperties"] = false
		}
	})
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	if err := compiler.AddResource("asyncapi.json", c.doc); err != nil {
		t.Fatal(err)
	}
	for id, op := range dig(c.doc, "operations").(map[string]any) {
		c.messages[id] = map[string]*jsonschema.Schema{}
		for _, m := range dig(op, "messages").([]any) {
			at := dig(m, "$ref").(string)
			s, err := compiler.Compile("asyncapi.json" + at + "/payload")
			if err != nil {
				t.Fatal(err)
			}
			c.messages[id][at[strings.LastIndexByte(at, '/')+1:]] = s
		}
	}
	return c
}

// names returns which messages of an operation a frame is, and why it is none.
func (c contract) names(op, frame string) (names []string, why error) {
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(frame))
	if err != nil {
		return nil, err
	}
	for name, s := range c.messages[op] {
		if err := s.Validate(instance); err == nil {
			names = append(names, name)
		} else {
			why = err
		}
	}
	return names, why
}

// socketOf returns the id of the channel that a transcript dials.
func (c contract) socketOf(t *testing.T, script *txtar.Archive) string {
	t.Helper()
	lines := strings.Fields(string(script.Comment))
	path, _, _ := strings.Cut(lines[len(lines)-1], "?")
	for id, ch := range dig(c.doc, "channels").(map[string]any) {
		if ok, _ := filepath.Match(strings.ReplaceAll(dig(ch, "address").(string), "{voice_id}", "*"), path); ok {
			return id
		}
	}
	t.Fatalf("no channel has the address %s", path)
	return ""
}

// TestTranscriptsAreDescribed: every frame of the transcripts is one of the
// messages of its channel, but for those of clients that the server could not
// take, which are none; and every message is in a transcript.
func TestTranscriptsAreDescribed(t *testing.T) {
	t.Parallel()
	c := compile(t)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	seen, used := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		script := txtar.Parse(data)
		socket := c.socketOf(t, script)
		sees := func(op, frame string, wrong bool) {
			names, why := c.names(op+"."+socket, frame)
			if wrong != (len(names) == 0) {
				t.Errorf("%s: %s %.200s is described as %v, refused: %v; %v", file, op, frame, names, wrong, why)
			}
			for _, name := range names {
				seen[op+"."+socket+"."+name] = true
			}
			if !wrong {
				note(used, frame)
			}
		}
		c.clientFrames(script, func(frame string, wrong bool) { sees("receive", frame, wrong) })
		synctest.Test(t, func(t *testing.T) {
			_, heard := record(t, script)
			for _, r := range heard {
				if r.err == nil && r.kind == websocket.TextMessage {
					sees("send", string(r.data), false)
					c.checkCode(t, file, socket, r.data)
				}
				if r.err == nil && r.kind == websocket.BinaryMessage {
					seen["send."+socket+".audio"] = true
				}
			}
		})
	}
	c.checkSeen(t, seen, used)
}

// checkSeen checks that all messages, and all properties of any, were seen.
func (c contract) checkSeen(t *testing.T, messages, properties map[string]bool) {
	t.Helper()
	for op, described := range c.messages {
		for name := range described {
			if !messages[op+"."+name] {
				t.Errorf("message %s of %s is in no transcript", name, op)
			}
		}
	}
	walk(map[string]any{"channels": c.doc["channels"], "components": c.doc["components"]}, func(object map[string]any) {
		if object["additionalProperties"] == nil {
			return
		}
		for _, name := range keys(object["properties"]) {
			if !properties[name] && !queried(c, name) {
				t.Errorf("property %s is in no transcript", name)
			}
		}
	})
}

// queried reports whether a property is one of a handshake.
func queried(c contract, name string) bool {
	for _, ch := range dig(c.doc, "channels").(map[string]any) {
		for _, part := range []string{"query", "headers"} {
			if dig(ch, "bindings", "ws", part, "properties", name) != nil {
				return true
			}
		}
	}
	return false
}

// note notes the names of the properties of a frame.
func note(used map[string]bool, frame string) {
	var v any
	_ = json.Unmarshal([]byte(frame), &v) // what is described is JSON
	walk(v, func(object map[string]any) {
		for name := range object {
			used[name] = true
		}
	})
}

// clientFrames calls visit with the frames of the client of a transcript; wrong
// says that the server could not take it: the last one before such an error.
func (contract) clientFrames(script *txtar.Archive, visit func(frame string, wrong bool)) {
	for i, f := range script.Files {
		if f.Name != "client" {
			continue
		}
		frames := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(f.Data)), "\n"), func(line string) bool {
			word, _, _ := strings.Cut(line, " ")
			return slices.Contains([]string{"", "wait", "ping", "close", "binary", "latin1"}, word)
		})
		answer := string(script.Files[i+1].Data)
		wrong := strings.Contains(answer, `"invalid_message"`)
		for at, frame := range frames {
			var n int
			var what string
			if _, err := fmt.Sscanf(frame, "repeat %d %s", &n, &what); err == nil {
				frame = `{"text":"` + strings.Repeat(what, n) + `"}`
			}
			visit(frame, wrong && at == len(frames)-1)
		}
	}
}

// checkCode checks that the code of an error is one of those that are described.
func (c contract) checkCode(t *testing.T, file, socket string, data []byte) {
	t.Helper()
	var e struct{ Error *string }
	if json.Unmarshal(data, &e) != nil || e.Error == nil {
		return
	}
	known, _ := dig(c.doc, "channels", socket, "messages", "error", "payload", "properties", "error", "examples").([]any)
	if !slices.Contains(known, any(*e.Error)) {
		t.Errorf("%s: the error %s is not described", file, *e.Error)
	}
}

// TestExamplesAreTrue: the examples are messages, and the server can read those
// of clients.
func TestExamplesAreTrue(t *testing.T) {
	t.Parallel()
	c := compile(t)
	for id, messages := range c.messages {
		op, socket, _ := strings.Cut(id, ".")
		for name, s := range messages {
			m := dig(c.doc, "channels", socket, "messages", name)
			examples, _ := dig(m, "examples").([]any)
			if dig(m, "title") == "" || dig(m, "summary") == "" || len(examples) == 0 {
				t.Errorf("%s of %s lacks a title, a summary or an example", name, id)
			}
			for _, e := range examples {
				payload := dig(e, "payload")
				if err := s.Validate(payload); err != nil {
					t.Errorf("%s of %s: %v", name, id, err)
				}
				text, err := json.Marshal(payload)
				if err != nil {
					t.Fatal(err)
				}
				parse := message.ParseDialect
				if socket == "native" {
					parse = message.ParseNative
				}
				if _, err := parse(text); op == "receive" && err != nil {
					t.Errorf("parse(%s) = %v, want no error", text, err)
				}
			}
		}
	}
}

// TestEndsAreDescribed: the close codes that are described are those that are
// sent.
func TestEndsAreDescribed(t *testing.T) {
	t.Parallel()
	doc := document(t)
	want := []string{"1000"}
	for _, code := range asyncapi.TroubleCodes() {
		want = append(want, strconv.Itoa(code))
	}
	slices.Sort(want)
	for id, ch := range dig(doc, "channels").(map[string]any) {
		if diff := cmp.Diff(want, keys(dig(ch, "x-close-codes"))); diff != "" {
			t.Errorf("close codes of %s (-want +got):\n%s", id, diff)
		}
	}
	if diff := cmp.Diff([]string{"bearer", "single-use-token", "xi-api-key"}, keys(dig(doc, "components", "securitySchemes"))); diff != "" {
		t.Errorf("security schemes (-want +got):\n%s", diff)
	}
}

// TestFormatPattern: what the pattern of output_format allows is what is read.
func TestFormatPattern(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("format.json", map[string]any{"pattern": asyncapi.FormatPattern()}); err != nil {
		t.Fatal(err)
	}
	pattern := compiler.MustCompile("format.json")
	codecs, rates := []string{"ogg", "MP3", ""}, []string{"11025", "08000", "", "x"}
	for _, c := range audio.Codecs {
		codecs = append(codecs, string(c))
	}
	for _, r := range audio.SampleRates {
		rates = append(rates, strconv.Itoa(r))
	}
	for _, c := range codecs {
		for _, r := range rates {
			for _, end := range []string{"", "_", "_64", "_064", "_0", "_1234567", "_64_1", " "} {
				s := c + "_" + r + end
				_, err := elevenlabs.ParseFormat(s)
				if got := pattern.Validate(s) == nil; got != (err == nil) {
					t.Errorf("the pattern takes %q: %v, ParseFormat(%q): %v", s, got, s, err)
				}
			}
		}
	}
}
