package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
)

// TestDirectCalls sends the same messages to a handler whose calls skip the HTTP part of the
// library, and to one whose calls do not.
func TestDirectCalls(t *testing.T) {
	t.Parallel()
	p := protocol(newGate())
	ways := []*Handler{newHandler(t, Config{Server: p, Sessions: true}), newHandler(t, Config{Server: p, Sessions: true, Own: true})}
	bodies := map[string]string{}
	for name, tt := range hostile() {
		bodies[name] = tt.body
	}
	for era, make := range map[string]func(any, string, map[string]any) string{"old": call, "modern": modernCall} {
		bodies[era+" say"] = make(1, "say", map[string]any{"text": "a < b & \u2028 \"c\"\nd"})
		bodies[era+" word"] = make("w\u00e9", "say", nil)
		bodies[era+" count"] = make(1, "count", map[string]any{"to": 3})
		bodies[era+" who"] = make(1, "who", nil)
		bodies[era+" nobody"] = make(1, "nobody", nil)
	}
	bodies["no params"] = `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
	bodies["no capabilities"] = strings.Replace(bodies["modern say"], "clientCapabilities", "c", 1)
	bodies["ref is 5"] = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","ref":5}}`
	bodies["two names"] = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nobody","Name":"say"}}`
	bodies["answers are 5"] = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","inputResponses":5}}`
	bodies["no answer wanted"] = `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"say"}}`

	headers := [][]string{
		nil, modern("say"), modern("=?base64?c2F5?="), modern("=?base64?%?="), modern("count"), modern("who"), modern("nobody"), modern(""),
		append(modern("say"), "Last-Event-ID", "1"), append(modern("say"), "Mcp-Method", "tools/list"), append(modern("say"), "Mcp-Protocol-Version", "2025-11-25"),
		{"Mcp-Protocol-Version", "2025-11-25"}, {"Mcp-Protocol-Version", "1999-01-01"}, {"Mcp-Protocol-Version", "2026-07-28"},
		{"Accept", "application/json"}, {sessionName, "mine"},
	}
	direct := 0
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		for _, header := range headers {
			var got [2]answer
			for i, h := range ways {
				header := slices.Clone(header)
				if len(header) > 0 && header[0] == sessionName {
					header[1] = record(h, http.MethodPost, hello).header.Get(sessionName)
				}
				got[i] = record(h, http.MethodPost, bodies[name], header...)
			}
			if diff := differ(got[0], got[1]); diff != "" {
				t.Errorf("%s with %q (-library +direct):\n%s", name, header, diff)
			}
			if got[1].header.Get("Content-Length") != "" {
				direct++
			}
		}
	}
	if direct < 20 {
		t.Errorf("%d calls skipped the HTTP part of the library", direct)
	}
}

// differ says how two answers differ, apart from the way in which their JSON is written.
func differ(a, b answer) string {
	type said struct {
		Status int
		Kind   string
		Events []any
	}
	of := func(a answer) said {
		s := said{Status: a.status, Kind: a.header.Get("Content-Type")}
		for _, e := range a.events {
			var v any = e
			_ = json.Unmarshal([]byte(e), &v) // else compared as it is
			s.Events = append(s.Events, v)
		}
		return s
	}
	return cmp.Diff(of(a), of(b))
}

// TestEncodeAnswer compares answers with those that the library writes.
func TestEncodeAnswer(t *testing.T) {
	t.Parallel()
	structured := func(raw string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("one\ntwo <b> & \u2028 \x01 \xff")}, RawStructuredContent: json.RawMessage(raw)}
	}
	full := structured(`{"a":1}`)
	full.Meta, full.ResultType, full.IsError = mcp.NewMetaFromMap(map[string]any{"x/y": map[string]any{"name": "v<"}}), mcp.ResultTypeComplete, true
	full.RequestState = "s"
	full.Content = append(full.Content, mcp.NewAudioContent("AAAA", "audio/wav"), mcp.NewResourceLink("https://a/?b&c", "n", "", "audio/wav"))
	for name, result := range map[string]any{
		"text":             mcp.NewToolResultText("hi <b>"),
		"an error":         mcp.NewToolResultError("no"),
		"nothing":          &mcp.CallToolResult{},
		"structured":       structured(`{"a":"<b> & \u2028","c":[1,2.50]}`),
		"on several lines": structured("{\n \"a\": \"b\\n  c\",\r\n\t\"d\": []\n}"),
		"no text":          &mcp.CallToolResult{RawStructuredContent: json.RawMessage("{}")},
		"everything":       full,
		"another result":   mcp.EmptyResult{},
	} {
		for _, id := range []string{"1", `"\u00e9 <"`} {
			var b bytes.Buffer
			if err := encodeAnswer(&b, json.RawMessage(id), result); err != nil {
				t.Fatal(err)
			}
			if bytes.ContainsAny(b.Bytes(), "\r\n") {
				t.Errorf("%s = %q, want one line", name, b.Bytes())
			}
			want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, encode(result))
			if diff := differ(answer{events: []string{want}}, answer{events: []string{b.String()}}); diff != "" || !json.Valid(b.Bytes()) {
				t.Errorf("%s = %s (-library +ours):\n%s", name, b.Bytes(), diff)
			}
		}
	}
	var b bytes.Buffer
	if err := encodeAnswer(&b, json.RawMessage("1"), structured("{\n")); err == nil {
		t.Errorf("no JSON = %s, want an error", b.Bytes())
	}
}
