// Package document reads JSON that others wrote: bodies of requests, messages of sockets,
// arguments of tools and files.
//
// [Check] refuses a document that two programs could read in two ways, and says what is
// wrong with it and where. A [Value] is a part of a checked document that knows its name and
// its kind. A [Binder] fills a struct from an object, and goes on after a parameter that is
// wrong, so that a caller hears of all that is wrong at once. [Encode] writes JSON for others.
//
// The syntax is read by github.com/go-json-experiment/json/jsontext, the package that
// becomes encoding/json/jsontext. Its types do not show here.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"vaak/internal/fault"
)

// MaxDepth is how deep objects and arrays of a document may nest.
const MaxDepth = 32

// Check returns nil when data is one JSON value (RFC 8259) that every reader understands
// alike: it is UTF-8, no string holds NUL or half of a surrogate pair, no object has a key
// twice, nesting is at most [MaxDepth], and nothing but white space follows the value.
// Everything that Check takes, [encoding/json.Valid] takes.
//
// The error is a *fault.Error of kind Invalid. Its sentence begins with what, such as "the
// body", and says what is wrong and at which byte, counted from 0. Check reads data once,
// does not change it and does not keep it.
func Check(what string, data []byte) error {
	r := open(data, strict)
	defer r.close()
	wrong := r.check()
	if wrong == "" {
		return nil
	}
	return fault.New(fault.Invalid, fault.CodeInvalidBody, "", "%s %s", what, wrong)
}

// reader is a decoder over a document that is in memory. Readers are pooled, because a
// decoder holds tables of names that are costly to make for each request.
type reader struct {
	data []byte
	buf  bytes.Buffer // over data; jsontext reads a bytes.Buffer in place
	dec  jsontext.Decoder
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// Options of decoders. A checked document is read leniently: its names are known to differ,
// and to compare them again would be the dearest part of the work.
var (
	strict  []jsontext.Options
	lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
)

func open(data []byte, options []jsontext.Options) *reader {
	r := readers.Get().(*reader)
	r.data = data
	// Copied into the reader, and not allocated: every request comes through here.
	r.buf = *bytes.NewBuffer(data)
	r.dec.Reset(&r.buf, options...)
	return r
}

// close gives the reader back to the pool. It first lets go of the document, which belongs
// to a request that ends.
func (r *reader) close() {
	r.data, r.buf = nil, bytes.Buffer{}
	r.dec.Reset(&r.buf)
	readers.Put(r)
}

// nul is how NUL is written in JSON. As the byte 0 it is a syntax error anywhere.
var nul = []byte(`\u0000`)

// check returns what is wrong with the document first, as the end of a sentence; "" when
// nothing is.
func (r *reader) check() string {
	hasNUL := bytes.Contains(r.data, nul) // or a backslash before u0000, so this only says where to look
	for {
		// The bytes between two offsets are one token, with the white space and separators before
		// it.
		from := r.at()
		token, err := r.dec.ReadToken()
		to := r.at()
		if err != nil {
			to = len(r.data)
			if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
				to = min(int(syntax.ByteOffset), to)
			}
		}
		if hasNUL { // which comes before what ended the token
			if at := indexNUL(r.data[from:to]); at >= 0 {
				return fmt.Sprintf("holds the character NUL at byte %d", from+at)
			}
		}
		if err != nil {
			return r.syntax(err)
		}
		// Looked at after the token, so a bracket already counts. Only a bracket can be the first
		// byte that is too deep.
		depth := r.dec.StackDepth()
		if depth > MaxDepth && (token.Kind() == '{' || token.Kind() == '[') {
			return fmt.Sprintf("nests deeper than %d levels at byte %d", MaxDepth, to-1)
		}
		// The one value is complete.
		if depth == 0 {
			return r.after(to)
		}
	}
}

// at returns the position behind the last token.
func (r *reader) at() int { return int(r.dec.InputOffset()) }

// after returns what is wrong with what stands behind the value.
func (r *reader) after(end int) string {
	at := skipSpace(r.data, end)
	switch {
	case at == len(r.data):
		return ""
	case r.data[at] == 0:
		return fmt.Sprintf("holds the character NUL at byte %d", at)
	}
	return fmt.Sprintf("goes on after its JSON value, at byte %d", at)
}

// syntax tells an error of the decoder in our words.
func (r *reader) syntax(err error) string {
	wrong, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.EOF):
		return "is empty; a JSON value is expected"
	case !ok:
		return fmt.Sprintf("cannot be read: %v", err) // cannot be: the document is in memory
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Sprintf("has the key %q twice, the second time at byte %d", clip(wrong.JSONPointer.LastToken()), wrong.ByteOffset)
	}
	at := r.culprit(min(int(wrong.ByteOffset), len(r.data)), errors.Is(err, io.ErrUnexpectedEOF))
	// A backslash outside of a string would be a plain syntax error.
	if at < len(r.data) && r.data[at] == '\\' && bytes.IndexByte(r.data[r.at():at], '"') >= 0 { // within a string
		bad := escape(r.data, at)
		if bad == at {
			return fmt.Sprintf("holds half of a surrogate pair at byte %d", at)
		}
		at = bad
	}
	if at == len(r.data) {
		if at = invalidUTF8(r.data); at < 0 { // an end within a character is no end
			return fmt.Sprintf("ends in the middle of its JSON value, at byte %d", len(r.data))
		}
	}
	switch c, n := utf8.DecodeRune(r.data[at:]); {
	case c == 0:
		return fmt.Sprintf("holds the character NUL at byte %d", at)
	case c == utf8.RuneError && n == 1:
		return fmt.Sprintf("is not UTF-8: 0x%02x at byte %d", r.data[at], at)
	default:
		return fmt.Sprintf("is not JSON: %q is not expected at byte %d", c, at)
	}
}

// culprit returns the position of the first byte that cannot stand where it does, for an error
// that the decoder reports at the byte at. They differ in two cases: the decoder reads a value
// to its end before it says that a key is due there, and it points at the comma before a
// bracket that closes.
func (r *reader) culprit(at int, cutOff bool) int {
	kind, n := r.dec.StackIndex(r.dec.StackDepth()) // n counts keys and values alike
	next := skipSpace(r.data, r.at())
	comma := n > 0 && next < len(r.data) && r.data[next] == ','
	if comma {
		next = skipSpace(r.data, next+1)
	}
	switch {
	case next == len(r.data):
	case kind == '{' && n%2 == 0 && r.data[next] != '"':
		// In an object an even count means that a key is due.
		return next
	case kind == '[' && comma && (r.data[next] == ']' || r.data[next] == '}'):
		// A comma before a closing bracket: the bracket is what nobody expects.
		return next
	}
	if cutOff {
		return len(r.data)
	}
	return at
}

// escape returns the position of the byte that makes the escape sequence at i a wrong one:
// i itself, a backslash, where the sequence is half of a surrogate pair. The decoder points at
// the beginning of every sequence.
func escape(data []byte, i int) int {
	if i+1 == len(data) || data[i+1] != 'u' {
		return i + 1
	}
	for _, from := range []int{i + 2, i + 8} { // the digits of both halves
		for at := from; at < from+4; at++ {
			if at >= len(data) || !strings.ContainsRune("0123456789abcdefABCDEF", rune(data[at])) {
				return at
			}
		}
		// Only a high surrogate (D800 to DBFF) is looked at together with its other half.
		if high := strings.ToLower(string(data[from : from+2])); high < "d8" || high > "db" || !bytes.HasPrefix(data[from+4:], []byte(`\u`)) {
			return i
		}
	}
	return i
}

// indexNUL returns where NUL is written in a part of a document that ends with a string or
// within one; -1 where it is not. A backslash takes the byte behind it along, so that a
// backslash before u0000 is not taken for NUL.
func indexNUL(data []byte) int {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(data[i:], nul) {
			return i
		}
		// The escaped byte, which cannot begin another escape.
		i++
	}
	return -1
}

// invalidUTF8 returns the position of the first byte that is not UTF-8, -1 for none.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; ; {
		// A real U+FFFD has three bytes, so a length of 1 tells an invalid byte from it.
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}

// skipSpace returns the position of the first byte from at on that is not white space.
func skipSpace(data []byte, at int) int {
	return len(data) - len(bytes.TrimLeft(data[at:], " \t\r\n"))
}

// clip shortens a key for a sentence.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
