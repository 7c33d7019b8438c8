package speech

import (
	"errors"
	"strings"

	"vaak/console/page"
	"vaak/internal/fault"
	"vaak/speech"
)

// inForm returns a refusal in the words of the playground's form, where they differ from
// those for programs. Other errors stay as they are.
func (c choice) inForm(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	named := *f
	if strings.HasPrefix(f.Field, "pronunciation_dictionary") {
		named.Field = "dictionary"
	}
	switch {
	case f.Code == fault.CodeVoiceNotFound:
		named.Msg = "No voice is called “" + brief(c.Voice) + "”. Pick one from the list, or find one under Voices."
	case f.Code == fault.CodeTextTooLong:
		named.Msg = "The text has " + page.Whole(countOf(c.Text)) + " characters. At most " + page.Whole(speech.MaxCharacters) + " are spoken at once."
	case f.Field == "input" && strings.TrimSpace(c.Text) == "":
		named.Msg = "Type a text."
	case named.Field == "dictionary" && f.Kind == fault.NotFound:
		named.Msg = "There is no such dictionary. Pick one from the list."
	}
	return &named
}

// briefly is how many characters of what somebody typed are shown again in a sentence.
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

// tooLarge says of a form over its bound that the text is too long.
func tooLarge(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.TooLarge {
		return err
	}
	named := *f
	named.Field, named.Msg = "input", "The text is too long. At most "+page.Whole(speech.MaxCharacters)+" characters are spoken at once."
	return &named
}
