package live

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/workshop/bench/corpus"
)

// tokensPerSecond is how fast a language model writes.
const tokensPerSecond = 70

// tokenGap is the time from one token to the next.
const tokenGap = time.Second / tokensPerSecond

// sentence is one of the corpus, in the word pieces of a language model.
type sentence struct {
	tokens []string
	sound  time.Duration // of the sentence alone; 0 until it was measured
}

func (s sentence) text() string { return strings.TrimSpace(strings.Join(s.tokens, "")) }
func (s sentence) words() int   { return len(strings.Fields(s.text())) }

// sentences returns those of the committed token stream. Each begins with a
// space.
func sentences() ([]sentence, error) {
	file, err := corpus.Files.ReadFile("en-tokens.txt")
	if err != nil {
		return nil, fmt.Errorf("read the tokens: %w", err)
	}
	list := splitSentences(parseTokens(string(file)))
	if len(list) == 0 {
		return nil, errors.New("the file of tokens holds no sentence")
	}
	return list, nil
}

// parseTokens reads a token a line, in which U+2581 is a space.
func parseTokens(file string) []string {
	var tokens []string
	for line := range strings.Lines(file) {
		tokens = append(tokens, strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\u2581", " "))
	}
	if len(tokens) > 0 && !strings.HasPrefix(tokens[0], " ") {
		tokens[0] = " " + tokens[0]
	}
	return tokens
}

// splitSentences cuts before each token that decides the end of a sentence.
func splitSentences(tokens []string) []sentence {
	var list []sentence
	var t tally
	begin, ended := 0, 0
	for i, token := range tokens {
		t.add(token)
		if t.ended > ended {
			list = append(list, sentence{tokens: tokens[begin:i]})
			begin, ended = i, t.ended
		}
	}
	if begin < len(tokens) {
		list = append(list, sentence{tokens: tokens[begin:]})
	}
	return list
}

// ofWords returns the sentences that have so many words.
func ofWords(list []sentence, least, most int) []sentence {
	return slices.DeleteFunc(slices.Clone(list), func(s sentence) bool { return s.words() < least || s.words() > most })
}

// tally counts what is certain of a text that is still being written. A word is
// complete when white space follows it; a sentence has ended when a word that
// ends with its mark is complete and the next begins with a capital letter. So
// the rules of the service are known here by the text alone.
type tally struct {
	complete   int // words
	ended      int // words of the sentences that have ended
	characters int
	inside     bool // a word has begun that is not complete
	marked     bool // the last complete word ends with a mark
	last       rune
}

func (t *tally) add(text string) {
	for _, r := range text {
		t.characters++
		switch {
		case unicode.IsSpace(r):
			if t.inside {
				t.complete++
				t.marked = strings.ContainsRune(".!?", t.last)
			}
			t.inside = false
		case !t.inside:
			if t.marked && unicode.IsUpper(r) {
				t.ended = t.complete
			}
			t.inside, t.marked = true, false
		}
		t.last = r
	}
}

// dictation is a text as it is written, token by token.
type dictation struct {
	tokens []string
	// before is how much of the sound comes before each token, and behind them
	// all; it is an estimate inside a sentence, by its characters.
	before []time.Duration
	// spoken is how long the first words sound, so many as the index says.
	spoken []time.Duration
}

// newDictation returns a text of at least so many words, of whole sentences, which
// begins with the sentence of that number.
func newDictation(list []sentence, from, words int) dictation {
	f := dictation{spoken: []time.Duration{0}}
	sound := time.Duration(0)
	for i := from; len(f.spoken) <= words; i++ {
		s := list[i%len(list)]
		f.add(s, sound)
		sound += s.sound
	}
	f.tokens[0] = strings.TrimPrefix(f.tokens[0], " ")
	f.before = append(f.before, sound)
	return f
}

// add adds a sentence whose sound begins at a time.
func (f *dictation) add(s sentence, begin time.Duration) {
	all, n := utf8.RuneCountInString(strings.Join(s.tokens, "")), 0
	at := func() time.Duration { return begin + s.sound*time.Duration(n)/time.Duration(all) }
	for _, token := range s.tokens {
		f.tokens, f.before = append(f.tokens, token), append(f.before, at())
		n += utf8.RuneCountInString(token)
	}
	n = 0
	for word := range strings.FieldsSeq(strings.Join(s.tokens, "")) {
		n += 1 + utf8.RuneCountInString(word)
		f.spoken = append(f.spoken, at())
	}
}

// paced returns when each token is to be sent, after the start: as fast as a
// model writes, but never further ahead of the sound than lead. A lead of 0 has
// no bounds.
func (f dictation) paced(lead time.Duration) []time.Duration {
	due := make([]time.Duration, len(f.tokens))
	for i := range due {
		due[i] = time.Duration(i) * tokenGap
		if lead > 0 {
			due[i] = max(due[i], f.before[i]-lead)
		}
	}
	return due
}

// The defaults of a session that speaks eagerly.
const (
	chunkWords = 4
	peekWords  = 2
)

// mode is how a session cuts its text.
type mode string

const (
	eagerly    mode = "eager"
	bySentence mode = "sentence"
)

// promised returns how many words must come to be spoken when no more text is
// sent than what was counted.
func (m mode) promised(t tally) int {
	if m == bySentence {
		return t.ended
	}
	return max(t.ended, t.complete-(chunkWords+peekWords-1))
}

// certain is which part of the sound that was estimated is taken for certain.
const certain = 0.95

// promises returns how much audio must come when no more is sent than the text
// up to each token, and, last, when its end is.
func (f dictation) promises(m mode) []time.Duration {
	var t tally
	var list []time.Duration
	for _, token := range f.tokens {
		t.add(token)
		n := m.promised(t)
		if n > t.ended {
			n-- // inside a sentence, where a word ends is an estimate
		}
		list = append(list, f.least(n))
	}
	return append(list, f.least(len(f.spoken)-1))
}

// least returns how long so many words sound at least.
func (f dictation) least(words int) time.Duration {
	return time.Duration(certain * float64(f.spoken[words]))
}

// decider returns the first token after which something is so, or -1.
func (f dictation) decider(so func(tally) bool) int {
	var t tally
	return slices.IndexFunc(f.tokens, func(token string) bool {
		t.add(token)
		return so(t)
	})
}

// said returns the text up to and with a token.
func (f dictation) said(token int) string { return strings.Join(f.tokens[:token+1], "") }
