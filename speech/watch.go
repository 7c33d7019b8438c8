package speech

import (
	"io"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text/frontend"
)

// Watcher is implemented by the writers that want to know how far an answer of
// [Service.Speak] has come: Reach is called when the audio of a sentence was
// made, or of several, and at the end with all of them. Of an answer that was
// kept it is called at the end alone. The audio waits while Reach runs.
type Watcher interface {
	Reach(Milestone)
}

// Milestone is how much of a text was made into audio.
type Milestone struct {
	Sentences, TotalSentences   int
	Characters, TotalCharacters int // code points up to the end of the last of the Sentences
}

// watch tells a Watcher how far an answer has come. The methods of a nil one do
// nothing.
type watch struct {
	to   Watcher
	ends []int // of the sentences, in code points of the text
	made int   // sentences that were told
}

// newWatch returns a watch over a text; nil if w does not want to know.
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

// reach notes that the word which ends after so many code points has begun. So
// the sentences that end before it are made.
func (t *watch) reach(characters int) {
	made := t.made
	for made < len(t.ends)-1 && t.ends[made] < characters {
		made++
	}
	t.tell(made)
}

// finish notes that everything is made.
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
