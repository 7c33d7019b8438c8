package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"vaak/mcp"
)

// TestTranscripts replays what clients of both eras of the protocol send over
// HTTP, and compares what they are answered. A transcript is a txtar archive
// of pairs: "client" is headers, a blank line and the body; "server" is the
// status, the content type and the body. Schemas, which the snapshots hold,
// and audio are left out.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts (%v)", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			url := serve(t, newServer(t, mcp.Config{})).URL
			replayed := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				if f.Name != "client" {
					continue
				}
				header, body := splitMessage(t, f.Data)
				resp, answer := post(t, url, body, header)
				replayed.Files = append(replayed.Files, f, txtar.File{Name: "server", Data: render(t, resp, answer)})
			}
			want, got := txtar.Format(archive), txtar.Format(replayed)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("transcript differs (-want +got):\n%s", diff)
			}
		})
	}
}

func splitMessage(t *testing.T, data []byte) (http.Header, string) {
	t.Helper()
	r := bufio.NewReader(bytes.NewReader(data))
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	if _, err := r.WriteTo(&body); err != nil {
		t.Fatal(err)
	}
	return http.Header(header), body.String()
}

// render writes an answer so that a person can review it.
func render(t *testing.T, resp *http.Response, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d %s\n", resp.StatusCode, resp.Header.Get("Content-Type"))
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		fmt.Fprintf(&b, "Mcp-Session-Id: %s\n", id)
	}
	if len(body) == 0 || resp.Header.Get("Content-Type") != "application/json" {
		return append(b.Bytes(), body...)
	}
	var doc any
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatalf("answer is not JSON: %s", body)
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(elide(doc)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func elide(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			switch name {
			case "inputSchema", "outputSchema", "instructions":
				v[name] = "..."
			case "data":
				if s, ok := e.(string); ok {
					raw, _ := base64.StdEncoding.DecodeString(s) // shows as 0 bytes
					v[name] = fmt.Sprintf("<%d bytes of %s>", len(raw), strings.TrimSpace(string(raw[:min(4, len(raw))])))
				}
			default:
				v[name] = elide(e)
			}
		}
	case []any:
		for i := range v {
			v[i] = elide(v[i])
		}
	}
	return v
}
