package badge

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/croissant/check"
	"vaak/internal/seal"
)

func key(b byte) *seal.Key { return seal.New(bytes.Repeat([]byte{b}, 32)).For("test") }

// TestToken makes tokens of what checks find and reads them back; no other deployment's token and no
// changed one is read.
func TestToken(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, document := range []string{"{}", `{"conformsTo": "http://mlcommons.org/croissant/1.1"}`, ""} {
		r := Of([]byte(document), check.Validate([]byte(document)), now)
		if r.Valid() || len(r.Rules) == 0 || len(r.Digest) != 64 {
			t.Errorf("Of(%q) = %+v", document, r)
		}
		token := r.Token(key(1))
		got, ok := Read(token, key(1))
		if diff := cmp.Diff(r, got); !ok || diff != "" {
			t.Errorf("Read(Token()) = %v, -want +got:\n%s", ok, diff)
		}
		if _, ok := Read(token, key(2)); ok {
			t.Error("the token of another deployment is read")
		}
		for i := range token {
			other := "A"
			if token[i] == 'A' {
				other = "B"
			}
			if _, ok := Read(token[:i]+other+token[i+1:], key(1)); ok {
				t.Fatalf("a token that was changed at byte %d is read", i)
			}
		}
	}
	for _, token := range []string{"", ".", "a", "a.b", strings.Repeat("a", 5000) + "." + key(1).Sign(strings.Repeat("a", 5000))} {
		if _, ok := Read(token, key(1)); ok {
			t.Errorf("Read(%.20q) succeeds", token)
		}
	}
	all := Result{Version: "1.1", Errors: 1000, Warnings: 1000, Omitted: 60_000, Pasted: true, Digest: strings.Repeat("a", 64), Checked: now}
	for _, rule := range check.Rules() {
		all.Rules = append(all.Rules, rule.Code)
	}
	all.Checked = all.Checked.Truncate(time.Second)
	if got, ok := Read(all.Token(key(1)), key(1)); !ok || !cmp.Equal(got, all) {
		t.Errorf("a token with all rules, of %d bytes, is read as %+v", len(all.Token(key(1))), got)
	}
}

func TestPicture(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Result{
		"Croissant 1.0: valid":                 {Version: "1.0"},
		"Croissant 1.1: valid, 1 warning":      {Version: "1.1", Warnings: 1},
		"Croissant: 12 errors":                 {Errors: 12, Warnings: 3},
		"Croissant 1.1: 1000+ errors":          {Version: "1.1", Errors: 1000, Warnings: 3, Omitted: 1},
		"Croissant 1.1: 2 errors":              {Version: "1.1", Errors: 2, Warnings: 1000, Omitted: 1},
		"Croissant 1.1: valid, 1000+ warnings": {Version: "1.1", Warnings: 1000, Omitted: 1},
		"Croissant <b>&\": valid":              {Version: "<b>&\""},
		"Croissant 1.1: valid, 3 warnings":     {Version: "1.1", Warnings: 3},
	} {
		dec := xml.NewDecoder(bytes.NewReader(r.Picture()))
		var label string
		for {
			token, err := dec.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", want, err, r.Picture())
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "svg" {
				for _, a := range e.Attr {
					if a.Name.Local == "aria-label" {
						label = a.Value
					}
				}
			}
		}
		if label != want {
			t.Errorf("the picture is called %q, want %q", label, want)
		}
	}
}
