package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestAgent runs the agent against the server at VAAK_BASE_URL, with a script in
// the place of the model: each line of it reads what the tools have answered, as
// a model would.
func TestAgent(t *testing.T) {
	server, key := os.Getenv("VAAK_BASE_URL"), os.Getenv("VAAK_API_KEY")
	if server == "" {
		t.Skip("VAAK_BASE_URL names no server")
	}
	var failed error
	script := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []message
			Tools    []definition
		}
		err := json.NewDecoder(r.Body).Decode(&asked)
		reply := message{Role: "assistant"}
		if err == nil {
			err = act(asked.Messages, asked.Tools, &reply)
		}
		if err != nil {
			failed = err
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": reply}}})
	}))
	defer script.Close()
	t.Setenv("OPENAI_BASE_URL", script.URL)
	t.Setenv("MODEL", "scripted")
	t.Setenv("VAAK_URL", server)
	t.Setenv("VAAK_KEY", key)
	t.Chdir(t.TempDir())
	if err := run(t.Context(), "Hindi telephone calls with transcripts, two channels"); err != nil {
		t.Fatal(errors.Join(failed, err))
	}
	audio, err := os.ReadFile("summary.mp3")
	if err != nil || len(audio) < 10_000 || audio[0] != 0xff && string(audio[:3]) != "ID3" {
		t.Errorf("summary.mp3 has %d bytes (%v), want an MP3 file", len(audio), err)
	}
	t.Setenv("VAAK_KEY", "wrong")
	if err := run(t.Context(), "anything"); err == nil || !strings.Contains(err.Error(), "/v1/mcp") {
		t.Errorf("with a wrong key: %v, want an error that names the endpoint", err)
	}
}

// TestListenKeepsToTheServer has a model that was talked into calling somebody else.
func TestListenKeepsToTheServer(t *testing.T) {
	called := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer other.Close()
	ours := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			_, _ = io.CopyN(w, zeros{}, maxFetched+1)
			return
		}
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	defer ours.Close()
	t.Setenv("VAAK_URL", ours.URL)
	for address, want := range map[string]string{
		other.URL + "/sample.wav":                  "only samples of " + ours.URL,
		"file:///etc/hosts":                        "only samples of",
		strings.Replace(ours.URL, "//", "//x@", 1): "only samples of",
		ours.URL + ".example.org/sample.wav":       "only samples of",
		ours.URL + "/moved.wav":                    "302 Found",
		ours.URL + "/large":                        "more than",
	} {
		arguments, err := json.Marshal(map[string]string{"url": address})
		if err != nil {
			t.Fatal(err)
		}
		if got := listen(t.Context(), string(arguments)); called || !strings.Contains(got, want) {
			t.Errorf("listen to %s = %q (the other server was called: %v), want %q", address, got, called, want)
		}
	}
}

// zeros reads as silence.
type zeros struct{}

// Read fills p with zeros.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

var (
	slug   = regexp.MustCompile(`(?m)^([a-z0-9]+(?:-[a-z0-9]+)+)\|`)
	sample = regexp.MustCompile(`https?://\S+\.wav\S*`)
)

// act is the model's part: one call a turn, each from what came before.
func act(talk []message, tools []definition, reply *message) error {
	heard := talk[len(talk)-1].Content
	turn := 0
	for _, m := range talk {
		if m.Role == "tool" {
			turn++
		}
	}
	all := []string{}
	for _, m := range talk {
		all = append(all, m.Content)
	}
	found := slug.FindAllStringSubmatch(strings.Join(all, "\n"), -1)
	switch turn {
	case 0:
		return call(reply, tools, "search_datasets", map[string]any{"language": "hi", "transcribed": true})
	case 1:
		if len(found) == 0 {
			return fmt.Errorf("no slug in what search_datasets answered: %q", heard)
		}
		return call(reply, tools, "search_datasets", map[string]any{"limit": 5})
	case 2:
		if len(found) < 3 {
			return fmt.Errorf("%d slugs in two searches: %q", len(found), heard)
		}
		return call(reply, tools, "compare_datasets", map[string]any{"slugs": []string{found[0][1], found[len(found)-1][1]}})
	case 3:
		return call(reply, tools, "get_dataset", map[string]any{"slug": found[0][1]})
	case 4:
		return call(reply, tools, "listen_to_sample", map[string]any{"url": sample.FindString(heard)})
	case 5:
		if !strings.Contains(heard, "channels at") {
			return fmt.Errorf("listening failed: %q", heard)
		}
		return call(reply, tools, "synthesize_speech", map[string]any{"text": "I found a dataset. Its sample has " + heard})
	case 6:
		if !strings.Contains(heard, "http") {
			return fmt.Errorf("no link in what synthesize_speech answered: %q", heard)
		}
		reply.Content = "Take " + found[0][1] + "."
		return nil
	}
	return fmt.Errorf("the script has no turn %d", turn)
}

// call has the model call a tool that it was told of.
func call(reply *message, tools []definition, name string, arguments map[string]any) error {
	for _, d := range tools {
		if d.Function.Name != name {
			continue
		}
		text, err := json.Marshal(arguments)
		c := toolCall{ID: "call_" + name, Type: "function"}
		c.Function.Name, c.Function.Arguments = name, string(text)
		reply.ToolCalls = []toolCall{c}
		return err
	}
	return fmt.Errorf("the model was not told of %s", name)
}
