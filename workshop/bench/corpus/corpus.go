// Package corpus has the texts that are spoken, and the languages and voices that speak
// them.
package corpus

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/engine"
	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/voice"
)

//go:embed *.txt
var Files embed.FS

// Language is one that is measured, with the voice that speaks it.
type Language struct {
	Code  string // as the lang parameter of Vaak takes it
	Name  string
	Voice voice.ID // Vaak's default
	// Library is how the library itself is told to speak in that voice.
	Library espeak.Parameters
}

// Languages are those of the latency and processor tables. English comes first
// and is the one of the tables that show one language only.
var Languages = []Language{
	newLanguage("en", "English"), newLanguage("hi", "Hindi"), newLanguage("ta", "Tamil"), newLanguage("ru", "Russian"),
}

var English = Languages[0]

func newLanguage(code lang.Code, name string) Language {
	v := voice.Default(code)
	p, ok := espeak.ParametersOf(engine.Utterance{Language: code, Voice: v})
	if !ok {
		panic(fmt.Sprintf("the engine does not speak %q", code))
	}
	return Language{Code: string(code), Name: name, Voice: v.ID, Library: p}
}

// Sample is a text that is sent for synthesis.
type Sample struct {
	Lang Language
	Size int // the code points asked for; the text has at most as many
	Text string
}

// New cuts a text of at most size code points from the corpus.
func New(l Language, size int) (Sample, error) {
	passage, err := Files.ReadFile(l.Code + ".txt")
	if err != nil {
		return Sample{}, fmt.Errorf("read the corpus: %w", err)
	}
	text := cut(string(passage), size)
	if text == "" {
		return Sample{}, fmt.Errorf("no word of the corpus in %q has at most %d characters", l.Code, size)
	}
	return Sample{Lang: l, Size: size, Text: text}, nil
}

// Shuffled is newSample with the words of the passage in an order that only
// the listener of that number gets, so that no two texts share a clause. Their
// sound differs in length by a tenth at most.
func Shuffled(l Language, size, listener int) (Sample, error) {
	passage, err := Files.ReadFile(l.Code + ".txt")
	if err != nil {
		return Sample{}, fmt.Errorf("read the corpus: %w", err)
	}
	words := strings.Fields(string(passage))
	for i, w := range words {
		words[i] = strings.Trim(w, `"“”()`) // halves of pairs
	}
	random := rand.New(rand.NewPCG(uint64(listener), uint64(size)))
	random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return Sample{Lang: l, Size: size, Text: cut(strings.Join(words, " "), size)}, nil
}

// cut returns at most size code points of the passage, repeated as often as it
// takes, in one line and ending at a word.
func cut(passage string, size int) string {
	words := strings.Fields(passage)
	if len(words) == 0 {
		return ""
	}
	var b strings.Builder
	for i, n := 0, 0; ; i++ {
		word := words[i%len(words)]
		n += utf8.RuneCountInString(word)
		if i > 0 {
			n++ // the space
		}
		if n > size {
			return strings.TrimRightFunc(b.String(), isOpener)
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
}

// isOpener reports whether r says that more is to come, such as a dash between
// sentences or an opening quotation mark.
func isOpener(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) || unicode.Is(unicode.Ps, r) || unicode.Is(unicode.Pi, r)
}
