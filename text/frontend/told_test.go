package frontend_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/lang"
	"vaak/text/frontend"
)

// TestTold has texts read as they are when nothing else is known of the session.
func TestTold(t *testing.T) {
	t.Parallel()
	f := frontend.New()
	for _, s := range []string{
		"The bill is $5 million.", "Le 3 mai, il y avait 1 234 personnes.", "मेरे पास 5 किताबें हैं।",
		"mujhe kal subah 9 baje jaana hai", "मुझे meeting में 10:30 बजे जाना है", "...", "",
	} {
		want, err := f.Prepare(s, lang.Tag{})
		if err != nil {
			t.Fatal(err)
		}
		var m frontend.Memory
		got, err := f.PrepareTold(s, m.Tell(s))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(spoken(want), spoken(got)); diff != "" || got.Language != want.Language {
			t.Errorf("PrepareTold(%q) is in %v, want %v; runs (-want +got):\n%s", s, got.Language, want.Language, diff)
		}
	}
}

// TestMemoryStays has a word that many languages write after a sentence of one.
func TestMemoryStays(t *testing.T) {
	t.Parallel()
	var m frontend.Memory
	for _, tt := range []struct {
		s    string
		want lang.Code
	}{
		{"नमस्ते, आप कैसे हैं?", "hi"},
		{"OK.", "hi"},
		{"Wir treffen uns morgen um neun Uhr am Bahnhof.", "de"},
		{"12.", "de"},
	} {
		if got := m.Tell(tt.s).Language.Code; got != tt.want {
			t.Errorf("Tell(%q) = %q, want %q", tt.s, got, tt.want)
		}
	}
}

func spoken(p frontend.Prepared) (runs []frontend.Run) {
	for r := range p.Runs() {
		runs = append(runs, r)
	}
	return runs
}
