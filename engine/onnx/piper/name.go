package piper

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is what the name of a voice's file tells.
type Name struct {
	Language string // as in a POSIX locale, such as "pt_BR"
	Dataset  string // such as "southern_english_female"
	Quality  string // x_low, low, medium or high; "" if the name does not end with one
	Display  string // the dataset as a name for people, such as "Southern English Female"
}

var fileName = regexp.MustCompile(`^([a-z]{2,3}(?:[_-](?:[A-Z]{2}|[0-9]{3}))?)-(.+)$`)

// ParseName returns what the name of a voice's file tells, which may have its path and its
// ending. A name in any other form is the name of the dataset.
func ParseName(file string) Name {
	file = file[strings.LastIndexAny(file, `/\`)+1:]
	file = strings.TrimSuffix(strings.TrimSuffix(file, ".json"), ".onnx")
	n := Name{Dataset: file}
	if m := fileName.FindStringSubmatch(file); m != nil {
		n.Language, n.Dataset = strings.ReplaceAll(m[1], "-", "_"), m[2]
	}
	for _, q := range []string{"x_low", "low", "medium", "high"} {
		if rest, ok := strings.CutSuffix(n.Dataset, "-"+q); ok && rest != "" {
			n.Dataset, n.Quality = rest, q
			break
		}
	}
	words := strings.FieldsFunc(strings.ToValidUTF8(n.Dataset, ""), func(r rune) bool { return r == '_' || r == '-' || unicode.IsSpace(r) || unicode.IsControl(r) })
	for i, w := range words {
		r, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(r)) + w[size:]
	}
	n.Display = strings.Join(words, " ")
	return n
}

// licenceLine is the line of a model card, or of the YAML in front of it, that tells the
// licence.
var licenceLine = regexp.MustCompile(`(?im)^[\t >]*(?:[-*+][\t ]+)?[*_]*licen[cs]e[*_]*[\t ]*:[*_]*[\t ]*(\S[^\r\n]*?)[\t ]*\r?$`)

// maxLicence is how many characters of a licence are returned.
const maxLicence = 200

// Licence returns what a model card says of the licence, in its own words. ok is false if it
// says nothing. That is no licence: most published voices may be used, and some may not be
// sold.
func Licence(card string) (licence string, ok bool) {
	m := licenceLine.FindStringSubmatch(card)
	if m == nil {
		return "", false
	}
	s := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(m[1], ""))
	s = strings.Trim(s, `"'* `)
	if r := []rune(s); len(r) > maxLicence {
		s = string(r[:maxLicence])
	}
	return s, s != ""
}
