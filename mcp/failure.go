package mcp

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"vaak/internal/fault"
)

// Codes of this transport alone.
const (
	codeAudioTooLarge = "audio_too_large"
	codeFileExists    = "file_exists"
	codeTimeout       = "timeout"
	codeCancelled     = "cancelled"
)

// arguments are the names that tools give to the parameters of the services.
var arguments = map[string]string{
	"input":           "text",
	"voice":           "voice_id",
	"lang":            "language",
	"response_format": "format",
}

// renamed gives an error of a service the name that its parameter has here.
func renamed(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || arguments[f.Field] == "" {
		return err
	}
	here := *f
	here.Field = arguments[f.Field]
	return &here
}

// failure turns an error into a result that a model can act on: the code, the
// argument, the sentence, and what to do next.
func failure(err error) result {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		f = errInternal
	}
	var b strings.Builder
	b.WriteString(f.Code)
	if f.Field != "" {
		fmt.Fprintf(&b, " (%s)", f.Field)
	}
	fmt.Fprintf(&b, ": %s", f.Msg)
	if !strings.HasSuffix(f.Msg, ".") && !strings.HasSuffix(f.Msg, "?") {
		b.WriteString(".")
	}
	if next := advice(f); next != "" {
		b.WriteString(" ")
		b.WriteString(next)
	}
	return result{text: b.String(), failed: true}
}

// advice says what to do next about an error, "" when its sentence says it.
func advice(f *fault.Error) string {
	switch f.Code {
	case fault.CodeVoiceNotFound:
		return "Call search_voices to find a voice_id, or leave voice_id out to get the default voice of the language."
	case fault.CodeTextTooLong:
		if f.Field == "text" {
			return "Split the text at the ends of sentences and make one call for each piece."
		}
		return ""
	case fault.CodeInsufficientQuota:
		return "Do not repeat the call: tell the person that the characters of this key are spent."
	case fault.CodeMissingKey, fault.CodeInvalidKey:
		return "Do not repeat the call: tell the person that the connection needs a valid API key."
	case codeTimeout:
		return "Try again with a shorter text."
	case codeFileExists:
		return "Choose another file_name, or leave it out to have one made."
	}
	if f.Code == fault.CodeInvalidParameter && f.Field == "language" {
		return "Call list_languages for the codes, or leave language out to have it detected."
	}
	switch f.Kind {
	case fault.RateLimited, fault.TooManyStreams, fault.Unavailable:
		if seconds := int(math.Ceil(f.RetryAfter.Seconds())); seconds > 0 {
			return fmt.Sprintf("Try again in %d s.", seconds)
		}
		return "Try again in a few seconds."
	case fault.Internal:
		return "Try once more; if it fails again, tell the person."
	}
	return ""
}
