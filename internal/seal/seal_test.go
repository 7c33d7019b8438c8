package seal

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func secretOf(b byte) []byte { return bytes.Repeat([]byte{b}, MinBytes) }

// TestSignature: lists of texts have equal signatures if and only if they are equal,
// and so have purposes.
func TestSignature(t *testing.T) {
	t.Parallel()
	s := New(secretOf(1))
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[ab\x00]{0,3}`), 0, 3)
		a, b := texts.Draw(t, "a"), texts.Draw(t, "b")
		signature := s.For("one").Sign(a...)
		if len(signature) != 22 {
			t.Errorf("Sign(%q) = %q, want 22 characters", a, signature)
		}
		if got, want := s.For("one").Verify(signature, b...), slices.Equal(a, b); got != want {
			t.Errorf("signature of %q verifies %q: %v, want %v", a, b, got, want)
		}
		if s.For("two").Verify(signature, a...) {
			t.Errorf("the signature of %q is good for another purpose", a)
		}
	})
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	k := New(secretOf(1)).For("x")
	good := k.Sign("a")
	for _, bad := range []string{
		"", "=", good[:21], good + "A", good + "=", " " + good, strings.Repeat(good, 1000),
		good[:21] + string(good[21]+1), strings.ToUpper(good), "\x00", "é",
	} {
		if k.Verify(bad, "a") {
			t.Errorf("Verify(%.60q) is true, want only %q to be", bad, good)
		}
	}
	if !k.Verify(good, "a") {
		t.Error("Verify of a signature is false")
	}
}

// TestRotation puts a new secret before the old, then takes the old away.
func TestRotation(t *testing.T) {
	t.Parallel()
	old, both, fresh := New(secretOf(1)), New(secretOf(2), secretOf(1)), New(secretOf(2))
	before, after := old.For("x").Sign("a"), both.For("x").Sign("a")
	for _, tt := range []struct {
		name      string
		secret    *Secret
		signature string
		want      bool
	}{
		{"old by both", both, before, true},
		{"new by both", both, after, true},
		{"old by the new", fresh, before, false},
		{"new by the new", fresh, after, true},
		{"new by the old", old, after, false},
	} {
		if got := tt.secret.For("x").Verify(tt.signature, "a"); got != tt.want {
			t.Errorf("%s: Verify = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestRotationInRounds changes the secret of several servers, one server after the
// other in each round. Whatever one of them has signed all verify, at every moment.
func TestRotationInRounds(t *testing.T) {
	t.Parallel()
	former, fresh := secretOf(1), secretOf(2)
	begin := [][]byte{former}
	good := [][][]byte{{former, fresh}, {fresh, former}, {fresh}}
	for _, tt := range []struct {
		name   string
		rounds [][][]byte
		want   bool
	}{
		{"second, first, alone", good, true},
		{"first, alone", good[1:], false},
		{"second, alone", [][][]byte{good[0], good[2]}, false},
	} {
		servers := []*Secret{New(begin...), New(begin...), New(begin...)}
		all := true
		for _, round := range tt.rounds {
			for i := range servers {
				servers[i] = New(round...) // it starts again; the others run on
				for _, signs := range servers {
					for _, verifies := range servers {
						all = all && verifies.For("x").Verify(signs.For("x").Sign("a"), "a")
					}
				}
			}
		}
		if all != tt.want {
			t.Errorf("%s: all verify what any signs: %v, want %v", tt.name, all, tt.want)
		}
	}
}

// TestKnownSignature holds what links of a running deployment are signed with: a
// change would break them.
func TestKnownSignature(t *testing.T) {
	t.Parallel()
	const want = "wXkAb5L5LA0F9DDtuhq9Bg"
	if got := New(secretOf(7)).For("test").Sign("a", "bc"); got != want {
		t.Errorf("Sign = %q, want %q", got, want)
	}
}

func TestNewPanics(t *testing.T) {
	t.Parallel()
	for _, secrets := range [][][]byte{nil, {secretOf(1)[1:]}, {secretOf(1), nil}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New(%q) does not panic", secrets)
				}
			}()
			New(secrets...)
		}()
	}
}
