// Package electronic reads addresses of the web and of e-mail, paths of files, internet
// addresses in numbers, and versions of software.
package electronic

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads addresses as one language says them. It is safe for concurrent
// use.
type Recognizer struct{ say *speak.Speaker }

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker) *Recognizer { return &Recognizer{say} }

// schemes are the words that an address may have before "://".
var schemes = map[string]bool{"http": true, "https": true, "ftp": true, "HTTP": true, "HTTPS": true}

// domains are the top-level domains that mark an address without a scheme. Rarer ones
// would turn sentences without a space after the full stop into addresses.
var domains = func() map[string]bool {
	m := map[string]bool{}
	for d := range strings.FieldsSeq("com org net in co uk us io ai gov edu mil int info biz dev app me tv de fr es it pt nl ru " +
		"jp cn kr tw hk vn sg br mx au ca ch at be se no dk fi pl cz gr tr ir sa ae pk bd lk np eu asia online site xyz tech za ee is ua by bg mk rs hr si sk " +
		"hu ro id my ph kz az ge lt lv рф укр бел срб бг мкд") {
		m[d] = true
	}
	return m
}()

// longest is the largest number of tokens of an address, so that the work stays linear.
const longest = 120

// Address reads an address of the web or an e-mail address. When there is none, it returns
// a note with the place of the next space. The tokens up to there are then not searched
// again.
func (er *Recognizer) Address(in *scan.View, i int) scan.Outcome {
	// A token within a chunk that was searched before cannot begin an address either.
	if i < in.Addressless || !in.Opens(i) || in.Token(i).Dense {
		return scan.Outcome{}
	}
	end := chunkEnd(in, i)
	if in.Kind(i+1) == scan.Sign || in.Text(i) == "www" {
		if w, n := er.electronic(in, i, end); n > 0 {
			return scan.Said(w, n)
		}
	}
	return scan.Outcome{Note: &scan.Note{Kind: scan.NoteAddressless, At: end}}
}

// chunkEnd returns the token after those from i on that may be part of an address,
// without punctuation at their end.
func chunkEnd(in *scan.View, i int) int {
	j := i
	for ; j < in.Len() && j-i < longest; j++ {
		in.Step()
		t := in.Token(j)
		if t.Kind == scan.Space || t.Dense || t.Kind == scan.Sign && (t.End-t.Start > 1 || !strings.ContainsRune("-._~:/?#@!&'*+,;=%", t.R)) {
			break
		}
	}
	// Signs at the end are punctuation of the sentence, except a slash.
	for j > i+1 && in.Kind(j-1) == scan.Sign && !in.Is(j-1, '/') {
		j--
	}
	return j
}

// electronic reads the address that the tokens from i to end are.
func (er *Recognizer) electronic(in *scan.View, i, end int) (string, int) {
	start := i
	if schemes[in.Text(i)] && in.Is(i+1, ':') && in.Is(i+2, '/') && in.Is(i+3, '/') {
		start = i + 4
		if start >= end {
			return "", 0
		}
	} else if !hosted(in, i, end) {
		return "", 0
	}
	// A slash at the end is taken but not spoken.
	if end-start > 2 && in.Is(end-1, '/') {
		end--
		if w, ok := er.sayAddress(in, start, end); ok {
			return w, end + 1 - i
		}
		return "", 0
	}
	w, ok := er.sayAddress(in, start, end)
	if !ok {
		return "", 0
	}
	return w, end - i
}

// hosted reports whether the tokens contain the name of a host: after an @, or with a
// known domain before the first slash.
func hosted(in *scan.View, i, end int) bool {
	at, dot := false, -1
	for j := i; j < end; j++ {
		in.Step()
		if in.Kind(j) != scan.Sign {
			continue
		}
		switch in.Token(j).R {
		case '@':
			if at || j == i {
				return false
			}
			at = true
			dot = -1
		case '.':
			dot = j
		case '/', '?', '#':
			return domain(in, dot, j) && (j > dot+1)
		case '-', '_', '+':
		default:
			return false
		}
	}
	// After an @, any word after the last dot is a domain.
	return domain(in, dot, end) || at && dot > 0 && dot+2 == end && in.Kind(dot+1) == scan.Word
}

// domain reports whether a known domain or file extension stands between the dot and the
// token at end.
func domain(in *scan.View, dot, end int) bool {
	return dot > 0 && dot+2 == end && in.Kind(dot-1) != scan.Sign && in.Kind(dot+1) == scan.Word && (domains[strings.ToLower(in.Text(dot+1))] || files[in.Text(dot+1)])
}

// sayAddress says the tokens of an address, with the names of its signs.
func (er *Recognizer) sayAddress(in *scan.View, i, end int) (string, bool) {
	parts := make([]string, 0, end-i)
	for j := i; j < end; j++ {
		in.Step()
		t := in.Text(j)
		switch in.Kind(j) {
		case scan.Word:
			if t == "www" || t == "WWW" {
				t = er.say.Letters(t)
			}
			// A file extension without a vowel, such as pdf, cannot be pronounced.
			if j == end-1 && in.Is(j-1, '.') && files[t] && !strings.ContainsAny(t, "aeiou") {
				t = er.say.Letters(t)
			}
			parts = append(parts, scan.WithoutRaised(t))
		case scan.Digits:
			d := scan.Arabic(t)
			w, ok := "", false
			// Long numbers and leading zeros are said digit by digit.
			if len(d) > 2 || d[0] == '0' {
				w, ok = er.say.Digits(d)
			} else {
				w, ok = er.say.Int(scan.Atoi(d), "")
			}
			if !ok {
				return "", false
			}
			parts = append(parts, w)
		case scan.Sign:
			name := er.say.Signs.Name(in.Token(j).R)
			if name == "" {
				return "", false
			}
			parts = append(parts, name)
		}
	}
	return er.say.Join(parts...), true
}
