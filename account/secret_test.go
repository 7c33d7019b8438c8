package account

import (
	"math/big"
	"strings"
	"testing"
)

func TestNewSecret(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 1000 {
		s := newSecret()
		if len(s) != 57 || !strings.HasPrefix(s, "sk_live_") || strings.Trim(s[8:], base62) != "" {
			t.Fatalf("newSecret() has %d characters or odd ones, want sk_live_ and 49 of base 62", len(s))
		}
		if !wellFormed(s) {
			t.Fatal("wellFormed(newSecret()) = false")
		}
		if seen[s] {
			t.Fatal("newSecret() came twice")
		}
		seen[s] = true
	}
}

// TestWellFormed changes one character at every place.
func TestWellFormed(t *testing.T) {
	t.Parallel()
	s := newSecret()
	for i := range s {
		for _, c := range []byte{'0', 'Z', 'a', '-', 0} {
			if c == s[i] {
				continue
			}
			changed := s[:i] + string(c) + s[i+1:]
			if wellFormed(changed) {
				t.Errorf("wellFormed with character %d changed to %q = true", i, c)
			}
		}
	}
}

func TestEncode62(t *testing.T) {
	t.Parallel()
	most := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	for _, tt := range []struct {
		n    *big.Int
		want string
	}{
		{big.NewInt(0), strings.Repeat("0", randomLength)},
		{big.NewInt(61), strings.Repeat("0", randomLength-1) + "z"},
		{big.NewInt(62), strings.Repeat("0", randomLength-2) + "10"},
		{most, ""}, // only that it fits, below
	} {
		n := new(big.Int).Set(tt.n)
		got := encode62(tt.n, randomLength)
		if tt.want != "" && got != tt.want {
			t.Errorf("encode62(%v) = %s, want %s", n, got, tt.want)
		}
		if back := decode62(got); back.Cmp(n) != 0 {
			t.Errorf("decode(encode62(%v)) = %v", n, back)
		}
	}
}

func decode62(s string) *big.Int {
	n := new(big.Int)
	for _, c := range s {
		n.Mul(n, big.NewInt(62))
		n.Add(n, big.NewInt(int64(strings.IndexRune(base62, c))))
	}
	return n
}

func FuzzWellFormed(f *testing.F) {
	f.Add(newSecret())
	f.Add("")
	f.Add(SecretPrefix)
	f.Fuzz(func(t *testing.T, s string) {
		if wellFormed(s) && (len(s) != secretLength || !strings.HasPrefix(s, SecretPrefix)) {
			t.Errorf("wellFormed(%q) = true", s)
		}
	})
}

func TestIDs(t *testing.T) {
	t.Parallel()
	if id := newID(keyPrefix); !isID(keyPrefix, id) || isID(orgPrefix, id) {
		t.Errorf("newID = %q is not an id of its prefix alone", id)
	}
	for _, s := range []string{"", "key_", "key_aaaaaaaaaaaaaaa", "key_aaaaaaaaaaaaaaa1", "key_AAAAAAAAAAAAAAAA", "key_aaaaaaa aaaaaaaa"} {
		if isID(keyPrefix, s) {
			t.Errorf("isID(%q) = true", s)
		}
	}
}
