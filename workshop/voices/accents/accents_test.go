package accents

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"vaak/engine/enginetest"
	"vaak/engine/espeak/accent"
	"vaak/lang"
)

// root goes to the root of the repository, where the program is run.
func root(t *testing.T) { t.Chdir("../../..") }

func newStage(t *testing.T) *stage {
	t.Helper()
	s, err := openStage(enginetest.Worker(t), "lang/testdata/pieces.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestPairsAreAsMeasured measures a sample of the pairs again: it must give the rows
// of the table. The sample steps through the table by a prime, so that every native
// language and every language has its turn.
func TestPairsAreAsMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("it renders a hundred pairs")
	}
	root(t)
	declaration, err := readDeclaration(declarationPath)
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t)
	if err := s.set(t.Context(), spoken(), declaration); err != nil {
		t.Fatal(err)
	}
	all := accent.Pairs()
	const step = 61
	for i := 0; i < len(all); i += step {
		got, err := s.measure(t.Context(), all[i].Native, all[i].Spoken)
		if err != nil {
			t.Fatal(err)
		}
		if got.Row() != all[i].Row() {
			t.Errorf("measured\n%s, the table has\n%s", got.Row(), all[i].Row())
		}
		for _, fault := range got.faults() {
			t.Errorf("%s in a voice of %s: %s", got.Spoken, got.Native, fault)
		}
	}
	if n := s.crashes(); n > 0 {
		t.Errorf("%d children crashed", n)
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	pcm := make([]int16, 4000)
	for i := range 1000 {
		pcm[i], pcm[1000+i] = 10000, 10
	}
	got := wordLevels(pcm, []int{0, 1000, 2000, 5000}, 100)
	if want := []int{6, -54, silence, silence}; !slices.Equal(got, want) {
		t.Errorf("wordLevels = %v, want %v", got, want)
	}
	if got := wordLevels(pcm, []int{0, 50}, 100); got[0] != got[1] {
		t.Errorf("words that begin together have levels %v", got)
	}
	if h := (heard{words: got}); h.silent() != 3 || h.faintest() != silence {
		t.Errorf("%d silent, faintest %d", h.silent(), h.faintest())
	}
	if h := (heard{}); h.faintest() != silence {
		t.Errorf("faintest of nothing is %d", h.faintest())
	}
}

// TestFaults has a fault of each sort found, in the kind that is spoken.
func TestFaults(t *testing.T) {
	t.Parallel()
	good := measured{plain: heard{words: []int{0}}}
	good.Native, good.Spoken, good.Kind = "ta", "en", accent.Mapped
	good.Duration, good.Plain, good.Words = 1, 1, 1
	for _, tt := range []struct {
		name string
		set  func(*measured)
		want string
	}{
		{"good", func(*measured) {}, ""},
		{"silent", func(m *measured) { m.Silent = 1 }, "no sound"},
		{"long", func(m *measured) { m.Duration = 2.1; m.Native = "fr" }, "2.10 times"},
		{"names", func(m *measured) { m.Names = 2 }, "2 letters"},
		{"English in India", func(m *measured) { m.Cost = 0.31 }, "not spoken well"},
		{"English in France", func(m *measured) { m.Cost = 0.31; m.Native = "fr" }, ""},
		{"own, of which the mapped is silent", func(m *measured) { m.Silent, m.Kind = 1, accent.Own }, ""},
		{"own and silent", func(m *measured) { m.Kind, m.plain.words = accent.Own, []int{-40} }, "no sound"},
		{"own and short", func(m *measured) { m.Kind, m.Plain = accent.Own, 0.4 }, "0.40 times"},
	} {
		m := good
		tt.set(&m)
		if got := strings.Join(m.faults(), "; "); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	s := results{natives: []lang.Code{"ta"}, spoken: []lang.Code{"en", "hi"}, pairs: []measured{good}, crashes: 1}
	if got := s.violations(); len(got) != 2 {
		t.Errorf("violations = %q", got)
	}
}

// TestIndian: the list is all native languages that the language table has with India,
// Nepal or Sri Lanka, but English.
func TestIndian(t *testing.T) {
	t.Parallel()
	var want []lang.Code
	for _, l := range lang.All() {
		if region := l.BCP47[strings.LastIndex(l.BCP47, "-")+1:]; l.NativeVoices && l.Code != "en" && (region == "IN" || region == "NP" || region == "LK") {
			want = append(want, l.Code)
		}
	}
	if !slices.Equal(indian, want) {
		t.Errorf("indian = %v, want %v", indian, want)
	}
}

// TestThePictureIsOfTheTable: the committed picture is what the table gives.
func TestThePictureIsOfTheTable(t *testing.T) {
	root(t)
	s := results{natives: natives(), spoken: spoken()}
	for _, p := range accent.Pairs() {
		s.pairs = append(s.pairs, measured{Pair: p})
	}
	for path, want := range map[string]string{mapPath: s.picture(), pairsPath: s.table()} {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, []byte(want)) {
			t.Errorf("%s is not what the table gives (%v); run voices --write accents", path, err)
		}
	}
	if n := strings.Count(s.picture(), "h.9"); n != len(s.pairs) {
		t.Errorf("the picture has %d cells of %d", n, len(s.pairs))
	}
}

func TestTenths(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 1: ".1", -1: "-.1", 10: "1", 101: "10.1", -791: "-79.1"} {
		if got := tenths(n); got != want {
			t.Errorf("tenths(%d) = %q, want %q", n, got, want)
		}
	}
}
