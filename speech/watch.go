package speech

import (
	"io"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text/frontend"
)

// Watcher is implemented by writers that want to know how far an answer of
// [Service.Speak] has come. Reach is called each time the audio of one or more sentences
// was made, and at the end with all of them. For a cached answer it is called at the end
// only. No audio is made while Reach runs.
type Watcher interface {
	Reach(Milestone)
}

// Milestone tells how much of a text was made into audio.
type Milestone struct {
	Sentences, TotalSentences   int
	Characters, TotalCharacters int // code points up to the end of the last of the Sentences
}

// watch tells a Watcher how far an answer has come. The methods of a nil watch do nothing.
type watch struct {
	to   Watcher
	ends []int // where each sentence ends, in code points of the text
	made int   // sentences that were reported
}

// newWatch returns a watch over a text, or nil if w is no [Watcher].
func newWatch(w io.Writer, text string, code lang.Code) *watch {
	to, ok := w.(Watcher)
	if !ok {
		return nil
	}
	t := &watch{to: to}
	end := 0
	for s := range frontend.Sentences(text, code) {
		end += utf8.RuneCountInString(s.In(text))
		t.ends = append(t.ends, end)
	}
	return t
}

// reach reports the sentences that end before code point characters, where the word being
// spoken ends. The last sentence is left to finish: its audio goes on after its last word
// has begun.
func (t *watch) reach(characters int) {
	made := t.made
	// Less than, not equal: a sentence that ends with the current word is still being heard.
	for made < len(t.ends)-1 && t.ends[made] < characters {
		made++
	}
	t.tell(made)
}

// finish reports all sentences.
func (t *watch) finish() {
	if t != nil {
		t.tell(len(t.ends))
	}
}

func (t *watch) tell(made int) {
	if made == t.made {
		return
	}
	t.made = made
	t.to.Reach(Milestone{
		Sentences: made, TotalSentences: len(t.ends),
		Characters: t.ends[made-1], TotalCharacters: t.ends[len(t.ends)-1],
	})
}
