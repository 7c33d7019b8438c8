package console

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
)

// sentence returns what a person is told of an error, and the field at fault.
func sentence(err error) (words, field string) {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return plain(f.Msg, f.Field), f.Field
	}
	return "The fault is ours, and it is written down. Try again; if it stays, tell the operator the number below.", ""
}

// labels are what fields are called on the pages, by what the services call them.
var labels = map[string]string{
	"input":            "Text",
	"response_format":  "Format",
	"sample_rate":      "Sample rate",
	"auto_renew":       "Renew by a month whenever it ends",
	"cap":              "Characters a month",
	"except_languages": "Except in",
	"expires":          "The end",
	"falls_back_to":    "Falls back to",
	"only_languages":   "Only in",
	"renewal_plan":     "Renewed on",
	"rpm":              "Requests a minute",
	"source":           "What for",
}

// quotedOrWord is what somebody typed, or a word of a sentence.
var quotedOrWord = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[a-z]+(?:_[a-z]+)*`)

// plain writes what a service says of a field for people: a sentence, with the field as
// the page calls it. What was typed stays as it is.
func plain(words, field string) string {
	if field != "" && labels[field] != "" {
		if rest, ok := strings.CutPrefix(words, field+" "); ok {
			words = labels[field] + " " + rest
		}
	}
	words = quotedOrWord.ReplaceAllStringFunc(words, func(word string) string {
		if label := labels[word]; label != "" && strings.Contains(word, "_") {
			return "“" + label + "”"
		}
		return word
	})
	words = capital(words)
	if end, _ := utf8.DecodeLastRuneInString(words); words != "" && !strings.ContainsRune(".?!…:", end) {
		words += "."
	}
	return words
}

// capital writes the first letter large.
func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
