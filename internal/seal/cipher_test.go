package seal

import (
	"bytes"
	"encoding/base64"
	"testing"

	"pgregory.net/rapid"
)

// TestSealOpens: what was sealed opens for the same purpose and context, by a secret
// that has become an old one too, and nothing else does.
func TestSealOpens(t *testing.T) {
	t.Parallel()
	old, both := New(secretOf(1)), New(secretOf(2), secretOf(1))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "text")
		context := rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "context")
		sealed := old.For("x").Seal(text, context...)
		if got, ok := both.For("x").Open(sealed, context...); !ok || !bytes.Equal(got, text) {
			t.Fatalf("Open(%q) = %q, %v; want %q", sealed, got, ok, text)
		}
		for _, k := range []*Key{both.For("y"), New(secretOf(2)).For("x")} {
			if got, ok := k.Open(sealed, context...); ok {
				t.Fatalf("another key opens it: %q", got)
			}
		}
		if got, ok := old.For("x").Open(sealed, append(context, "")...); ok {
			t.Fatalf("another context opens it: %q", got)
		}
		if len(context) == 1 && context[0] != "" {
			if got, ok := old.For("x").Open(sealed, "", context[0]); ok {
				t.Fatalf("another list opens it: %q", got)
			}
		}
		b, err := base64.RawURLEncoding.DecodeString(sealed)
		if err != nil {
			t.Fatal(err)
		}
		bit := rapid.IntRange(0, 8*len(b)-1).Draw(t, "bit")
		b[bit/8] ^= 1 << (bit % 8)
		if got, ok := old.For("x").Open(base64.RawURLEncoding.EncodeToString(b), context...); ok {
			t.Fatalf("with bit %d turned it opens: %q", bit, got)
		}
	})
}

// TestSealHides: a text sealed twice looks different, and is not to be seen.
func TestSealHides(t *testing.T) {
	t.Parallel()
	k := New(secretOf(1)).For("x")
	text := []byte("the same text, which is long enough to be seen")
	first, second := k.Seal(text), k.Seal(text)
	if first == second {
		t.Error("one text is sealed twice the same")
	}
	if b, err := base64.RawURLEncoding.DecodeString(first); err != nil || bytes.Contains(b, text[:8]) {
		t.Errorf("the text is to be seen in %q (%v)", b, err)
	}
}

// FuzzOpenSealed: whatever comes, nothing opens that was not sealed.
func FuzzOpenSealed(f *testing.F) {
	k := New(secretOf(1)).For("x")
	f.Add(k.Seal([]byte("text")))
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, sealed string) {
		if text, ok := k.Open(sealed); ok && string(text) != "text" { // what was sealed above, be it by another process
			t.Errorf("Open(%q) = %q", sealed, text)
		}
	})
}
