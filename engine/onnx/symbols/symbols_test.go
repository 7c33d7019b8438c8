package symbols

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/text"
)

// tableOf returns a table of the characters of s, with the ids 0, 1 and so on.
func tableOf(s string) *Table {
	ids := map[string][]int64{}
	for i, c := range strings.Split(s, "") {
		ids[c] = []int64{int64(i)}
	}
	return NewTable(ids)
}

func TestFind(t *testing.T) {
	t.Parallel()
	table := tableOf("abdeijklmnoprstuvwzəɛɪʃʒɡŋɹː.,")
	for _, tt := range []struct {
		symbol, want string
		found        Found
	}{
		{"a", "a", Exact},
		{"A", "a", Exact},
		{"g", "ɡ", Replaced},
		{"ʧ", "tʃ", Replaced},
		{"ɚ", "əɹ", Replaced},
		{"ʂ", "ʃ", Replaced},
		{"ɭ", "l", Replaced},
		{"ɨ", "i", Replaced},
		{"ʁ", "ɹ", Replaced},
		{"…", "...", Replaced},
		{"\u032a", "", Dropped},
		{"1", "", Dropped},
		{"語", "", Dropped},
		{"", "", Dropped},
	} {
		for range 2 { // the second answer is remembered
			got, found := table.Find(tt.symbol)
			if strings.Join(got, "") != tt.want || found != tt.found {
				t.Errorf("Find(%q) = %q, %v, want %q, %v", tt.symbol, got, found, tt.want, tt.found)
			}
		}
	}
	only := table.Only(func(s string) bool { return s != "ʃ" })
	if got, _ := only.Find("ʃ"); slices.Equal(got, []string{"ʃ"}) || !table.Knows("ʃ") {
		t.Errorf("Only keeps ʃ as %q", got)
	}
}

func TestFindAtOnce(t *testing.T) {
	t.Parallel()
	table := tableOf("abt")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for r := 'ɐ'; r < 'ɐ'+2*maxStandIns; r++ {
				table.Find(string(r))
			}
		})
	}
	all.Wait()
	if n := len(table.standIns); n > maxStandIns {
		t.Errorf("%d missing symbols are remembered", n)
	}
}

func TestBuilder(t *testing.T) {
	t.Parallel()
	b := Builder{Body: text.Span{Start: 10, End: 20}}
	at := func(start, end int) text.Span { return text.Span{Start: start, End: end} }
	b.Put(1)
	b.Word(at(8, 9), []int64{2, 3})
	b.Put(4)
	b.Word(at(10, 12), []int64{5})
	b.Word(at(18, 22), []int64{6}) // begins in the body
	b.Put(7)
	b.Word(at(23, 24), []int64{8})
	b.Word(at(25, 26), []int64{9})
	b.Put(10)
	want := Piece{IDs: []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, From: 4, To: 7, Words: []Word{{0, 2, 4, 5}, {8, 10, 5, 6}}}
	if d := cmp.Diff(want, b.Piece()); d != "" {
		t.Error(d)
	}
	// The next piece is all body, then one is all context.
	b.Put(1)
	b.Word(at(11, 12), []int64{2})
	b.Put(3)
	if d := cmp.Diff(Piece{IDs: []int64{1, 2, 3}, To: 3, Words: []Word{{1, 2, 1, 2}}}, b.Piece()); d != "" {
		t.Error(d)
	}
	b.Word(at(1, 2), []int64{2})
	if p := b.Piece(); p.From != p.To {
		t.Errorf("context belongs to the body: %+v", p)
	}
}

func TestDecompose(t *testing.T) {
	t.Parallel()
	if got, want := Decompose("ã\xffç"), []string{"a", "\u0303", "c", "\u0327"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
