package scan

// Recognizer reads the form that begins at token i, if one does. It gets a
// read-only view and changes nothing: all that it finds out is in the outcome.
type Recognizer func(c *View, i int) Outcome

// Outcome is what a recognizer found. The zero value says that its form does not
// begin at the token and that nothing is to be remembered.
type Outcome struct {
	Words  string // what is spoken; "" leaves the form out
	Tokens int    // how many tokens the form takes, 0 when it is not there
	Note   *Note  // what later tokens need to know, nil for nothing
}

// Said returns the outcome of a form that takes n tokens.
func Said(words string, n int) Outcome { return Outcome{Words: words, Tokens: n} }

// Context is what the reader remembers of the text before a token. It is a value: the
// reader makes a new one from each note, and recognizers only read it.
type Context struct {
	Expected    int      // the token that the words before it announce
	Expectation NoteKind // what they announce
	Rule        string   // how the expected number is read
	Score       int      // the token after a word for the result of a match; 0 for none
	AfterPrefix int      // the token that is one word with the prefix before it; 0 for none
	Addressless int      // the token up to which no address begins
	Quoted      bool     // an odd number of straight quotation marks stands before
}

// NoteKind says what a note is about.
type NoteKind uint8

const (
	ExpectPhone NoteKind = iota + 1
	ExpectCode
	ExpectRoman
	ExpectYear
	ExpectTime
	ExpectOrdinal
	ExpectSerial    // a code, if it is long enough to be one
	ExpectPressure  // used only between two runs, by RunIn
	ExpectPostcode  // used only between two runs, by RunIn
	NoteScore       // a word for the result of a match stands before the token
	NoteJoined      // the token is one word with the prefix before it
	NoteAddressless // no address begins before the token
	NoteInches      // a mark before the token stands for inches and quotes nothing
)

// Note is one thing that later tokens need to know.
type Note struct {
	Kind NoteKind
	At   int    // the token that the note is about
	Rule string // a rule set or pattern of rbnf, for a roman numeral or an ordinal
}

// With returns the context with a note added; nil adds nothing.
func (k Context) With(n *Note) Context {
	if n == nil {
		return k
	}
	switch n.Kind {
	case NoteInches: // concerns only the reader, which counts quotation marks
	case NoteScore:
		k.Score = n.At
	case NoteJoined:
		k.AfterPrefix = n.At
	case NoteAddressless:
		k.Addressless = n.At
	default:
		k.Expected, k.Expectation, k.Rule = n.At, n.Kind, n.Rule
	}
	return k
}
