package normalize

// recognizer reads the form that begins at token i, if one does. It gets a
// read-only view and changes nothing: all that it finds out is in the outcome.
type recognizer func(c *cursor, i int) outcome

// outcome is what a recognizer found. The zero value says that its form does not
// begin at the token and that nothing is to be remembered.
type outcome struct {
	words  string // what is spoken; "" leaves the form out
	tokens int    // how many tokens the form takes, 0 when it is not there
	note   note   // what later tokens need to know
}

// said returns the outcome of a form that takes n tokens.
func said(words string, n int) outcome { return outcome{words: words, tokens: n} }

// context is what is remembered of the text before a token. It is a value: the
// reader makes a new one from each note.
type context struct {
	expected    int      // the token that the words before it say something of
	expectation noteKind // what they say
	rule        string   // how the expected number is read
	scored      int      // the token after a word for the result of a match; 0 for none
	afterPrefix int      // the token that is one word with the prefix before it; 0 for none
	addressless int      // the token up to which no address begins
	quoted      bool     // an odd number of straight quotation marks stands before
}

// noteKind says what a note is about.
type noteKind uint8

const (
	expectPhone noteKind = iota + 1
	expectCode
	expectRoman
	expectYear
	expectTime
	expectOrdinal
	expectPostcode  // only of a text that goes before another
	noteScore       // a word for the result of a match stands before the token
	noteJoined      // the token is one word with the prefix before it
	noteAddressless // no address begins before the token
	noteInches      // a mark before the token stands for inches and quotes nothing
)

// note is one thing that later tokens need to know. The zero value is none.
type note struct {
	kind noteKind
	at   int // a token
	rule string
}

// with returns the context with a note added.
func (k context) with(n note) context {
	switch n.kind {
	case 0, noteInches:
	case noteScore:
		k.scored = n.at
	case noteJoined:
		k.afterPrefix = n.at
	case noteAddressless:
		k.addressless = n.at
	default:
		k.expected, k.expectation, k.rule = n.at, n.kind, n.rule
	}
	return k
}
