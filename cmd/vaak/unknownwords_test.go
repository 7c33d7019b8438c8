package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestUnknownWords serves a dataset whose transcripts are times alone, as RTTM has
// them, and in which no session is named. In record, page, Croissant and tools nobody
// reads that it has no words or speaks no English, or how many conversations somebody
// declared: what is unknown is null and among the gaps, or is not there.
func TestUnknownWords(t *testing.T) {
	t.Parallel()
	dir := corpus{slug: "times-alone", calls: 2, seconds: 10, format: "flac"}.folder(t)
	var rows strings.Builder
	for turn := range 5 {
		fmt.Fprintf(&rows, "SPEAKER call-NAME %d %d 1.6 <NA> <NA> s%[1]d <NA> <NA>\n", turn%2+1, turn*turnSeconds)
	}
	for name, old := range map[string]string{"1": "call-1.TextGrid", "2": "call-2.json"} {
		in := filepath.Join(dir, "transcripts")
		err := errors.Join(os.Remove(filepath.Join(in, old)), keepFile(filepath.Join(in, "call-"+name+".rttm"), []byte(strings.ReplaceAll(rows.String(), "NAME", name))))
		if err != nil {
			t.Fatal(err)
		}
	}
	s := startCatalogue(t, "")
	s.vaak("dataset", "ingest", dir, "--publish")
	soon(t, "times-alone is listed", func() bool { return slices.Contains(s.listed(""), "times-alone") })

	unknown := []string{"conversations", "englishShare", "measurements.lexical", "sample.metrics.lexical", "transcripts.lexical", "transcripts.script", "transcripts.words"}
	at := "/catalogue/datasets/times-alone"
	check := func(what, text string) {
		t.Helper()
		var r map[string]any
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatalf("%s: %v in %.300s", what, err, text)
		}
		var gaps []string
		for _, g := range r["gaps"].([]any) {
			gaps = append(gaps, g.(string))
		}
		for _, name := range unknown {
			var v any = r
			for part := range strings.SplitSeq(name, ".") {
				inside, _ := v.(map[string]any)
				var ok bool
				if v, ok = inside[part]; !ok {
					t.Errorf("%s has no %s, which is null", what, name)
				}
			}
			if v != nil || !slices.Contains(gaps, name) {
				t.Errorf("%s: %s = %v, want null, and that name among the gaps %q", what, name, v, gaps)
			}
		}
	}
	check("the record", s.fetch(http.MethodGet, "/api"+at).body)
	var answer struct {
		Result struct {
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
		}
	}
	a := s.sends("/api/catalogue/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_dataset","arguments":{"slug":"times-alone"}}}`,
		"Accept: application/json, text/event-stream")
	if err := json.Unmarshal([]byte(a.body), &answer); err != nil {
		t.Fatalf("%s = %d %.300s", a.what, a.status, a.body)
	}
	check("the tool", string(answer.Result.StructuredContent))
	for what, text := range map[string]string{
		"Croissant": s.fetch(http.MethodGet, at+"/croissant.json").body,
		"the page":  regexp.MustCompile(`(?s)<script.*?</script>|<ul class="gaps">.*?</ul>`).ReplaceAllString(s.fetch(http.MethodGet, at).body, ""),
	} {
		if text == "" {
			t.Errorf("%s is empty", what)
		}
		for _, lie := range []string{"words per minute", "Words a minute", "Latin letters", "English words", "ode-mixing index", "<dt>Words", "<dt>Conversations", "<dt>conversation"} {
			if i := strings.Index(text, lie); i >= 0 {
				t.Errorf("%s tells of words that nobody knows, or of conversations: %.200s", what, text[i:])
			}
		}
	}
}
