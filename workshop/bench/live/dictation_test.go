package live

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/workshop/bench/corpus"
)

// TestTokens checks that the committed tokens are the corpus, without what
// opens and closes a quotation, and that they look like those of a model.
func TestTokens(t *testing.T) {
	t.Parallel()
	list, err := sentences()
	if err != nil {
		t.Fatal(err)
	}
	passage, err := corpus.Files.ReadFile("en.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	words, tokens := 0, 0
	for _, s := range list {
		got.WriteString(strings.Join(s.tokens, ""))
		words, tokens = words+s.words(), tokens+len(s.tokens)
		if text := s.text(); !strings.HasPrefix(s.tokens[0], " ") || !strings.ContainsAny(text[len(text)-1:], ".!?") {
			t.Errorf("sentence %q does not begin with a space, or end with a mark", s.tokens)
		}
	}
	want := strings.Join(strings.Fields(strings.NewReplacer(`"`, "", "“", "", "”", "", "(", "", ")", "").Replace(string(passage))), " ")
	if diff := cmp.Diff(want, strings.TrimPrefix(got.String(), " ")); diff != "" {
		t.Errorf("the tokens are not the text (-want +got):\n%s", diff)
	}
	if ratio := float64(tokens) / float64(words); ratio < 1.2 || ratio > 1.6 {
		t.Errorf("%d tokens for %d words, %.2f each; want about 1.3", tokens, words, ratio)
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ complete, ended, characters int }{
		"":                    {0, 0, 0},
		"One":                 {0, 0, 3},
		"One ":                {1, 0, 4},
		"One two. ":           {2, 0, 9},
		"One two. T":          {2, 2, 10},
		"One two. three":      {2, 0, 14},
		"One two.T":           {1, 0, 9},
		"One?  \n Two! Three": {2, 2, 18},
		"नदी किनारे ":         {2, 0, 11},
	} {
		var whole, single tally
		whole.add(text)
		for _, r := range text {
			single.add(string(r))
		}
		got := struct{ complete, ended, characters int }{whole.complete, whole.ended, whole.characters}
		if got != want || single != whole {
			t.Errorf("tally of %q = %+v and, by character, %+v; want %+v", text, got, single, want)
		}
	}
}

// two is a text of two sentences, of 8 and 4 words, that sound 4 s and 2 s.
func two() []sentence {
	return []sentence{
		{tokens: []string{" A", " bb", " cc", "c", ",", " dd", " ee", " ff", " gg", " hh", "."}, sound: 4 * time.Second},
		{tokens: []string{" Ii", " jj", " kk", " ll", "."}, sound: 2 * time.Second},
	}
}

func TestOccasions(t *testing.T) {
	t.Parallel()
	f := newDictation(two(), 0, 12)
	for name, want := range map[string]struct {
		token int
		said  string
	}{
		"native, eager: the 6th word is complete":      {8, "A bb ccc, dd"},
		"native, sentence: the next one begins":        {11, "A bb ccc, dd ee ff gg hh."},
		"native, sentence: flush":                      {10, "A bb ccc, dd ee ff gg hh."},
		"stream-input, auto_mode: a phrase ends":       {4, "A bb ccc,"},
		"multi-stream-input, auto_mode: a phrase ends": {4, "A bb ccc,"},
		"multi-stream-input: flush":                    {10, "A bb ccc, dd ee ff gg hh."},
	} {
		for _, o := range occasions() {
			if o.name != name {
				continue
			}
			token := o.decides(f)
			if token != want.token || o.speaks(f, token) != want.said {
				t.Errorf("%s: token %d speaks %q, want token %d and %q", name, token, o.speaks(f, token), want.token, want.said)
			}
		}
	}
	if got := charactersCome(20)(f); f.said(got) != "A bb ccc, dd ee ff gg" || charactersCome(120)(f) != -1 {
		t.Errorf("20 characters have come after %q; 120 after token %d, want never", f.said(got), charactersCome(120)(f))
	}
}

// TestOccasionsOfTheCorpus checks that each moment comes in each text that is
// measured, and while it is written.
func TestOccasionsOfTheCorpus(t *testing.T) {
	t.Parallel()
	list, err := sentences()
	if err != nil {
		t.Fatal(err)
	}
	list = ofWords(list, chunkWords+peekWords+1, longestMeasured)
	for i := range list {
		f := newDictation(list, i, wordsMeasured)
		for _, o := range occasions() {
			token := o.decides(f)
			if token < 0 || token > len(f.tokens)-5 || o.speaks(f, token) == "" {
				t.Errorf("%s: token %d of %d decides in %.50q", o.name, token, len(f.tokens), f.said(len(f.tokens)-1))
			}
		}
	}
}

func TestPaced(t *testing.T) {
	t.Parallel()
	f := newDictation(two(), 1, 12) // the second sentence comes first
	if len(f.tokens) != 16 || f.said(5) != "Ii jj kk ll. A" {
		t.Fatalf("the text is %q", f.tokens)
	}
	for i, at := range f.paced(0) {
		if want := time.Duration(i) * time.Second / 70; at-want > time.Microsecond || want-at > time.Microsecond {
			t.Errorf("unbounded, token %d is due at %v, want %v", i, at, want)
		}
	}
	due := f.paced(time.Second)
	for i, at := range due {
		ahead := f.before[i] - at
		if ahead > time.Second || at > time.Duration(i)*tokenGap && ahead != time.Second {
			t.Errorf("token %d is due at %v, which is %v ahead of its sound", i, at, ahead)
		}
	}
	if f.before[0] != 0 || f.before[5] != 2*time.Second || f.before[16] != 6*time.Second {
		t.Errorf("sound before the tokens: %v; want 0, 2 s before the second sentence, 6 s in all", f.before)
	}
}

func TestPromises(t *testing.T) {
	t.Parallel()
	f := newDictation(two(), 0, 12)
	if len(f.spoken) != 13 || f.spoken[8] != 4*time.Second || f.spoken[12] != 6*time.Second {
		t.Fatalf("spoken = %v", f.spoken)
	}
	const s = time.Second
	for _, tt := range []struct {
		mode  mode
		token int
		want  time.Duration // before what is taken for certain of it
	}{
		{bySentence, 10, 0},
		{bySentence, 11, 4 * s},
		{bySentence, 15, 4 * s},
		{bySentence, 16, 6 * s}, // the end
		{eagerly, 7, 0},
		{eagerly, 9, f.spoken[1]}, // 7 words are complete, and two of them not ahead of the last five
		{eagerly, 11, 4 * s},
		{eagerly, 16, 6 * s},
	} {
		got := f.promises(tt.mode)
		if want := time.Duration(certain * float64(tt.want)); len(got) != 17 || got[tt.token] != want {
			t.Errorf("promises(%s)[%d of %d] = %v, want %v", tt.mode, tt.token, len(got), got[tt.token], want)
		}
	}
}

func TestDictationLasting(t *testing.T) {
	t.Parallel()
	for d, words := range map[time.Duration]int{time.Second: 8, 4 * time.Second: 8, 5 * time.Second: 12, 13 * time.Second: 32} {
		if f := dictationLasting(two(), 0, d); len(f.spoken) != words+1 {
			t.Errorf("dictationLasting(%v) has %d words, want %d", d, len(f.spoken)-1, words)
		}
	}
}
