package page

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"vaak/internal/fault"
)

// Sentence returns what the pages say of an error, and the field at fault. Of a fault of
// ours they say no more than that: the log has the tail.
func Sentence(err error) (words, field string) {
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
	"lang":             "Language",
	"only_languages":   "Only in",
	"renewal_plan":     "Renewed on",
	"rpm":              "Requests a minute",
	"source":           "What for",
}

// quotedOrWord is what somebody typed, or a word of a sentence.
var quotedOrWord = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[a-z]+(?:_[a-z]+)*`)

// plain writes what a service says of a field as a sentence for people. Names of fields
// become what the page calls them. What somebody typed stands between quotes and stays as
// it is. Writing a sentence again does not change it.
func plain(words, field string) string {
	if field != "" && labels[field] != "" {
		if tail, ok := strings.CutPrefix(words, field+" "); ok {
			words = labels[field] + " " + tail
		}
	}
	// Quotes are matched first, so that words inside them stay as they were typed.
	words = quotedOrWord.ReplaceAllStringFunc(words, func(word string) string {
		// Without an underscore it may be an ordinary word, such as source.
		if label := labels[word]; label != "" && strings.Contains(word, "_") {
			return "“" + label + "”"
		}
		return word
	})
	words = Capital(words)
	if end, _ := utf8.DecodeLastRuneInString(words); words != "" && !strings.ContainsRune(".?!…:", end) {
		words += "."
	}
	return words
}
