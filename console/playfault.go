package console

import (
	"errors"
	"strings"

	"vaak/internal/fault"
	"vaak/speech"
)

// playLabels are the labels of the fields of the playground, by their names.
var playLabels = map[string]string{
	"input": "Text", "voice": "Voice", "lang": "Language", "dictionary": "Dictionary",
	"response_format": "Format", "sample_rate": "Sample rate", "speed": "Speed",
}

// inForm returns a refusal in the words of the playground: its fields stand by their
// labels there, not by the names that programs send. Other errors stay as they are.
func (c choice) inForm(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	named := *f
	if strings.HasPrefix(f.Field, "pronunciation_dictionary") {
		named.Field = "dictionary"
	}
	if playLabels[named.Field] != "" {
		named.Msg = c.refusal(&named)
	}
	return &named
}

// refusal is a sentence about a field.
func (c choice) refusal(f *fault.Error) string {
	switch {
	case f.Code == fault.CodeVoiceNotFound:
		return "No voice is called “" + brief(c.Voice) + "”. Pick one from the list, or find one under Voices."
	case f.Code == fault.CodeTextTooLong:
		return "The text has " + whole(countOf(c.Text)) + " characters. At most " + whole(speech.MaxCharacters) + " are spoken at once."
	case f.Field == "input" && strings.TrimSpace(c.Text) == "":
		return "Type a text."
	case f.Field == "dictionary" && f.Kind == fault.NotFound:
		return "There is no such dictionary. Pick one from the list."
	}
	words := f.Msg
	if rest, ok := strings.CutPrefix(words, f.Field+" "); ok {
		words = playLabels[f.Field] + " " + rest
	}
	return finished(words)
}

// finished begins words with a capital and ends them with a full stop.
func finished(words string) string {
	if words == "" {
		return ""
	}
	words = strings.ToUpper(words[:1]) + words[1:] // the service's own words, in ASCII
	if strings.ContainsAny(words[len(words)-1:], ".?!") {
		return words
	}
	return words + "."
}

// briefly is how much of what somebody typed is shown again in a sentence.
const briefly = 40

// brief returns the beginning of what somebody typed.
func brief(s string) string {
	n := 0
	for i := range s {
		if n++; n > briefly {
			return s[:i] + "…"
		}
	}
	return s
}

// tooLarge says of a form that is over its bound what is too long in it.
func tooLarge(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.TooLarge {
		return err
	}
	named := *f
	named.Field, named.Msg = "input", "The text is too long. At most "+whole(speech.MaxCharacters)+" characters are spoken at once."
	return &named
}
