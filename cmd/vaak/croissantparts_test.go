package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vaak/catalogue/demo"
	"vaak/croissant/check"
	"vaak/engine/enginetest"
)

// TestLengthyDemoCroissantParts has an agent ask for the metadata of each demonstration
// dataset: whatever it asks for comes inside of the result, as a valid document that
// fits the 20,000 bytes of one, or, when it asks for all, as an address.
func TestLengthyDemoCroissantParts(t *testing.T) {
	if testing.Short() {
		t.Skip("speaks for seconds")
	}
	t.Setenv("VAAK_ESPEAK_WORKER", enginetest.Worker(t))
	dir := t.TempDir()
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"demo", "--data-dir", dir}, strings.NewReader(""), &out, &errOut); code != 0 {
		t.Fatalf("vaak demo = %d: %s", code, errOut.String())
	}
	type asked struct{ slug, version, part string }
	var all []asked
	var in strings.Builder
	for _, slug := range demo.Slugs() {
		for _, version := range []string{"1.0", "1.1"} {
			for _, part := range []string{"", "core", "measurements", "all"} {
				fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_croissant","arguments":{"slug":%q,"version":%q,"part":%q}}}`+"\n", len(all), slug, version, part)
				all = append(all, asked{slug, version, part})
			}
		}
	}
	out.Reset()
	args := []string{"mcp", "--catalogue", "--data-dir", dir, "--public-url", "https://data.example.org"}
	if code := run(t.Context(), args, strings.NewReader(in.String()), &out, &errOut); code != 0 {
		t.Fatalf("vaak mcp = %d: %s", code, errOut.String())
	}
	answered := 0
	for line := range strings.Lines(out.String()) {
		var answer struct {
			ID     *int
			Result struct {
				StructuredContent struct {
					Part, URL string
					Bytes     int
					Croissant json.RawMessage
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.ID == nil {
			t.Fatalf("answer %.300s: %v", line, err)
		}
		answered++
		a, got := all[*answer.ID], answer.Result.StructuredContent
		if got.URL == "" || got.Bytes == 0 {
			t.Errorf("%+v: no address or size of the whole: %.300s", a, line)
		}
		if len(got.Croissant) > 20_000 || a.part != "" && got.Part != a.part {
			t.Errorf("%+v: %d bytes of part %q", a, len(got.Croissant), got.Part)
		}
		if a.part == "all" && got.Bytes > 20_000 {
			if len(got.Croissant) > 0 {
				t.Errorf("%+v: all of %d bytes came inside of the result", a, got.Bytes)
			}
			continue
		}
		if r := check.Validate(got.Croissant); !r.Valid || len(r.Warnings) > 0 || !strings.HasSuffix(r.ConformsTo, a.version) {
			t.Errorf("%+v, part %s, %d bytes: %+v", a, got.Part, len(got.Croissant), r)
		}
	}
	if answered != len(all) {
		t.Errorf("%d calls were answered, want %d", answered, len(all))
	}
}
