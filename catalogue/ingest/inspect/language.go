package inspect

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"vaak/catalogue/ingest/card"
	"vaak/catalogue/ingest/folder"
	"vaak/lang"
)

// Language is a language that the recordings seem to be in.
type Language struct {
	Tag        string `json:"tag"` // as a card takes it
	Name       string `json:"name"`
	Recordings int    `json:"recordings"` // that tell of it
	Source     string `json:"source"`     // "manifest", "readme" or "transcripts"
}

// Bounds of the guess from transcripts.
const (
	maxTexts  = 300  // recordings that are looked at, spread over the folder
	maxText   = 2000 // bytes of each
	leastText = 3    // letters; text of fewer tells nothing
)

// languages returns the languages that a folder tells of: from its manifests, else its README,
// else its transcripts, by how many recordings say so.
func languages(f *folder.Folder, r Readme) []Language {
	if all := resolved(f.Told.Languages, "manifest"); len(all) > 0 {
		return all
	}
	told := map[string]int{}
	for _, name := range r.Languages {
		told[name] = len(f.Recordings)
	}
	if all := resolved(told, "readme"); len(all) > 0 {
		return all
	}
	return resolved(heard(f), "transcripts")
}

// resolved returns the languages that names stand for. Names of no language are left out.
func resolved(names map[string]int, source string) []Language {
	found := map[string]Language{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		l, err := card.LanguageOf(strings.ReplaceAll(name, "_", "-"))
		if err != nil {
			continue
		}
		tag := l.ISO6393
		if l.ISO6391 != nil {
			tag = *l.ISO6391
		}
		// A region or script is kept where the name has one: pt-BR, zh-Hant.
		if strings.ContainsAny(name, "-_") && l.BCP47 != "" {
			tag = l.BCP47
		}
		one := found[tag]
		found[tag] = Language{tag, l.Name, one.Recordings + names[name], source}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Language) int {
		return cmp.Or(cmp.Compare(b.Recordings, a.Recordings), cmp.Compare(a.Tag, b.Tag))
	})
}

// heard counts the languages of transcripts, as far as they are told there, else as their letters
// and words look. Languages of less than a tenth of the recordings are mistakes more often than
// not, and are left out.
func heard(f *folder.Folder) map[string]int {
	counts := map[string]int{}
	total := 0
	step := max(1, len(f.Recordings)/maxTexts)
	for i := 0; i < len(f.Recordings); i += step {
		var text strings.Builder
		code := lang.Code("")
		for _, s := range f.Recordings[i].Transcript {
			if code = cmp.Or(code, s.Lang); text.Len() < maxText {
				text.WriteString(s.Text[:min(len(s.Text), maxText)] + " ")
			}
		}
		said := strings.ToLower(strings.ToValidUTF8(text.String(), "")) // corpora in capitals
		if code == "" && letters(said) >= leastText {
			code = lang.Detect(said)
		}
		if code != "" {
			counts[string(code)]++
			total++
		}
	}
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n*10 < total })
	return counts
}

// letters counts the letters of a text.
func letters(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
