package tool

import (
	"fmt"
	"math"
	"strings"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/mcp/transport"
)

// Codes of errors that only this transport has.
const (
	CodeAudioTooLarge = "audio_too_large"
	CodeFileExists    = "file_exists"
	CodeNoSample      = "no_sample" // of a dataset
	codeDiskFull      = "disk_full"
	CodeTimeout       = "timeout"
	CodeCancelled     = "cancelled"
)

// arguments maps the parameters of the services to the names that tools have for them.
var arguments = map[string]string{
	"input":           "text",
	"voice":           "voice_id",
	"lang":            "language",
	"response_format": "format",
}

// Renamed returns the errors of a service in the words of the tools.
func Renamed(err error) error {
	faults := fault.All(err)
	if len(faults) == 0 {
		return err
	}
	here := make([]*fault.Error, len(faults))
	for i, f := range faults {
		here[i] = renamedFault(f)
	}
	return fault.Join(here...)
}

// renamedFault returns one fault with the name that its parameter has in tools, and without the
// REST request that its sentence recommends: an agent gets advice that names a tool instead.
func renamedFault(f *fault.Error) *fault.Error {
	// A copy, because services return faults that they share, such as a package variable.
	here := *f
	here.Msg = WithoutRequest(f.Msg)
	if name := arguments[f.Field]; name != "" {
		here.Field = name
		// Sentences begin with the name of the parameter.
		if rest, ok := strings.CutPrefix(here.Msg, f.Field+" "); ok {
			here.Msg = name + " " + rest
		}
	}
	return &here
}

// WithoutRequest removes the REST request that a sentence recommends at its end. It does not
// remove one before a quotation mark, which is part of what a caller sent, or before a new
// line, after which other sentences follow.
func WithoutRequest(text string) string {
	if i := strings.LastIndex(text, "; GET /v1/"); i >= 0 && !strings.ContainsAny(text[i:], "\"\n") {
		return text[:i]
	}
	return text
}

// Failure is [FailureBy] with the advice of speech and resources.
func Failure(err error) result { return FailureBy(Advice, err) }

// FailureBy turns an error into a result that a model can act on: the code, the argument, the
// sentence, and what to do next. Each of several errors has a line.
func FailureBy(advice func(*fault.Error) string, err error) result {
	faults := fault.All(err)
	if len(faults) == 0 {
		faults = []*fault.Error{transport.ErrInternal}
	}
	var b strings.Builder
	if len(faults) > 1 {
		fmt.Fprintf(&b, "%d arguments are wrong:", len(faults))
	}
	// The same advice is given once. The empty advice counts as given.
	said := map[string]bool{"": true}
	for _, f := range faults {
		if len(faults) > 1 {
			b.WriteString("\n")
		}
		tell(&b, f)
		if next := advice(f); !said[next] {
			b.WriteString(" " + next)
			said[next] = true
		}
	}
	return result{Text: b.String(), failed: true}
}

// tell writes an error, without advice.
func tell(b *strings.Builder, f *fault.Error) {
	b.WriteString(f.Code)
	if f.Field != "" {
		fmt.Fprintf(b, " (%s)", f.Field)
	}
	fmt.Fprintf(b, ": %s", f.Msg)
	if !strings.HasSuffix(f.Msg, ".") && !strings.HasSuffix(f.Msg, "?") {
		b.WriteString(".")
	}
}

// AdviseCatalogue returns what to do next about an error of a tool of the catalogue.
func AdviseCatalogue(f *fault.Error) string {
	if f.Code == CodeTimeout {
		return "Try again in a few seconds."
	}
	return Advice(f)
}

// Advice returns what to do next about an error; "" when its sentence already says that.
func Advice(f *fault.Error) string {
	switch f.Code {
	case fault.CodeVoiceNotFound:
		return "Call search_voices to find a voice_id, or leave voice_id out to get the default voice of the language."
	case dictionary.CodeNotFound:
		return "Call list_pronunciation_dictionaries to find an id."
	case fault.CodeTextTooLong:
		if f.Field == "text" {
			return "Split the text at the ends of sentences and make one call for each piece."
		}
		return ""
	case fault.CodeInsufficientQuota:
		return "Do not send this text again: tell the person. If some characters remain, a text of at most that many can still be spoken. get_usage says how many there are and when more come."
	case fault.CodeMissingKey, fault.CodeInvalidKey:
		return "Do not repeat the call: tell the person that the connection needs a valid API key."
	case codeDiskFull:
		return "Tell the person to make room there, or set delivery to inline for a short text."
	case CodeTimeout:
		return "Try again with a shorter text."
	case CodeFileExists:
		return "Choose another file_name, or leave it out to have one made."
	}
	if f.Code == fault.CodeInvalidParameter && f.Field == "language" {
		return "Call list_languages for the codes, or leave language out to have it detected."
	}
	// After the codes, because several codes of one kind need other advice.
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
