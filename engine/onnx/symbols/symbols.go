// Package symbols turns the phonemes of a text into the symbols that a neural voice knows, and
// tells which of them belong to which word.
//
// It holds what the formats of voices have in common: the table of symbols with stand-ins for
// those that are missing, and the pieces in which a text is encoded. Packages piper and kokoro
// hold what differs.
package symbols

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vaak/engine/espeak/accent"
)

// Found tells how a table found a symbol.
type Found uint8

// The ways to find a symbol.
const (
	Exact    Found = iota // the voice knows it
	Replaced              // the voice knows something that stands for it
	Dropped               // nothing stands for it
)

// Table has the ids of the symbols that a voice knows. It is safe for concurrent use.
type Table struct {
	ids    map[string][]int64
	sounds []string // the symbols that are sounds by themselves, sorted

	mu       sync.Mutex
	standIns map[string]standIn // for symbols that the voice does not know
}

type standIn struct {
	symbols []string
	found   Found
}

// NewTable returns a table of symbols with the ids of each. The caller must not change the map.
func NewTable(ids map[string][]int64) *Table {
	t := &Table{ids: ids, standIns: map[string]standIn{}}
	for s := range ids {
		if accent.IsSound(s) {
			t.sounds = append(t.sounds, s)
		}
	}
	slices.Sort(t.sounds)
	return t
}

// Only returns a table of those symbols for which keep returns true.
func (t *Table) Only(keep func(symbol string) bool) *Table {
	kept := map[string][]int64{}
	for s, ids := range t.ids {
		if keep(s) {
			kept[s] = ids
		}
	}
	return NewTable(kept)
}

// Knows reports whether the voice knows a symbol itself.
func (t *Table) Knows(symbol string) bool { _, ok := t.ids[symbol]; return ok }

// IDs returns the ids of a symbol that the voice knows.
func (t *Table) IDs(symbol string) []int64 { return t.ids[symbol] }

// Find returns the symbol itself if the voice knows it, or else the symbols that stand for it,
// which the voice knows. The caller must not change the slice.
func (t *Table) Find(symbol string) ([]string, Found) {
	if t.Knows(symbol) {
		return []string{symbol}, Exact
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.standIns[symbol]
	if !ok {
		s = t.search(symbol)
		// A text can hold symbols of any kind, so the memory must be bounded.
		if len(t.standIns) < maxStandIns {
			t.standIns[symbol] = s
		}
	}
	return s.symbols, s.found
}

// maxStandIns limits how many missing symbols a table remembers.
const maxStandIns = 1024

// search looks for what stands for a symbol: its small letter, another way to write it, or the
// sound that is nearest to it.
func (t *Table) search(symbol string) standIn {
	if small := strings.ToLower(symbol); t.Knows(small) {
		return standIn{[]string{small}, Exact}
	}
	for _, other := range spellings[symbol] {
		if parts := strings.Split(other, ""); !slices.ContainsFunc(parts, func(s string) bool { return !t.Knows(s) }) {
			return standIn{parts, Replaced}
		}
	}
	if accent.IsSound(symbol) {
		if s, ok := accent.Nearest(symbol, t.sounds); ok {
			return standIn{[]string{s}, Replaced}
		}
	}
	return standIn{nil, Dropped}
}

// spellings are other ways to write a symbol, the best first. Marks that are not here, such as
// those of a dental or a syllabic sound, are too fine to be replaced.
var spellings = map[string][]string{
	"g": {"ɡ"}, "ɡ": {"g"}, "ε": {"ɛ"}, "X": {"χ", "x"}, "ᵻ": {"ɪ", "i"}, "ᵊ": {"ə"},
	"ɚ": {"əɹ", "əɾ", "ər", "ə"}, "ɝ": {"ɜɹ", "ɜ", "ə"}, "˞": {"ɹ"},
	"ʦ": {"ts"}, "ʣ": {"dz"}, "ʧ": {"tʃ"}, "ʤ": {"dʒ"}, "ʨ": {"tɕ", "tʃ"}, "ʥ": {"dʑ", "dʒ"}, "ꭧ": {"tʂ", "tʃ"},
	"ᵐ": {"m"}, "ⁿ": {"n"}, "ᵑ": {"ŋ"}, "ʱ": {"ʰ"}, "ʲ": {"j"}, "ˑ": {"ː"}, "ɫ": {"l"},
	"…": {"..."}, "—": {"-"}, "–": {"-"}, "’": {"'"}, "“": {"\""}, "”": {"\""},
}

// Decompose returns the code points of a text in NFD, one symbol each. Bytes that are not
// UTF-8 are left out.
func Decompose(s string) []string {
	all := make([]string, 0, utf8.RuneCountInString(s))
	for _, r := range norm.NFD.String(s) {
		if r != utf8.RuneError {
			all = append(all, string(r))
		}
	}
	return all
}

// Shown returns a piece of a file in a form that is short enough for a message.
func Shown(s string) string {
	const most = 40
	s = strings.ToValidUTF8(s, "?")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
