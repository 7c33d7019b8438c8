package enquiries

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/web/site"
)

// maxSheet is the largest form, in bytes. The longest message fits in any script: it has 5000
// characters of up to four bytes, and each byte may be written as %XX.
const maxSheet = 64 << 10

// consentField is the name of the box of consent in every form, and consentGiven its value
// when it is ticked.
const (
	consentField = "consent"
	consentGiven = "yes"
)

// sheet is the form that a browser sent, by the names of its fields.
type sheet map[string]string

// sheetFields returns the fields that the forms have. Other fields are ignored.
func sheetFields() []string {
	return []string{"name", "email", "company", "intent", "dataset", "message", consentField}
}

// agreed reports whether the box was ticked.
func (s sheet) agreed() bool { return s[consentField] == consentGiven }

func (s sheet) form() enquiry.Form {
	return enquiry.Form{
		Name: s["name"], Email: s["email"], Company: s["company"], Intent: enquiry.Intent(s["intent"]),
		Dataset: s["dataset"], Message: s["message"],
	}
}

// readSheet reads the form in the body of a request. With an error it returns as much of the
// form as can be shown again, and nothing of that may be sent.
func readSheet(w http.ResponseWriter, r *http.Request) (sheet, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSheet))
	if err == nil {
		return parseSheet(string(body))
	}
	// The remainder of the body is not read, and must not be taken for the next request.
	w.Header().Set("Connection", "close")
	s, _ := parseSheet(string(body)) // that the form is cut off is what the person needs to know
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return s, fault.New(fault.TooLarge, fault.CodeBodyTooLarge, "message",
			"the form is over %d KiB, so the end of what you wrote is missing below; a message has at most %s characters", maxSheet>>10, site.Whole(enquiry.MaxMessage))
	}
	return s, fault.New(fault.Invalid, fault.CodeInvalidBody, "", "the form broke off on its way here, so the end of what you wrote may be missing below")
}

// parseSheet reads a form of the type application/x-www-form-urlencoded. Lines end in \n in
// what it returns. A field that comes twice, an invalid escape, and text that is not UTF-8
// are errors; what could be read is returned as well. [url.ParseQuery] would drop it.
func parseSheet(body string) (sheet, error) {
	s, known := sheet{}, sheetFields()
	var first error
	bad := func(field, format string, args ...any) {
		if first == nil {
			first = fault.New(fault.Invalid, fault.CodeInvalidBody, field, format, args...)
		}
	}
	for pair := range strings.SplitSeq(body, "&") {
		key, sent, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		if err != nil {
			bad("", "the form has a field whose name cannot be read")
			continue
		}
		if !slices.Contains(known, name) {
			continue
		}
		text, err := url.QueryUnescape(sent)
		if err != nil {
			bad(name, "%s has an escape that is none: %%XX takes two hexadecimal digits", name)
			// Where only the end of the form is missing, what came before it is shown again.
			text, _ = url.QueryUnescape(uncut(sent))
		}
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			bad(name, "%s holds bytes that are not text in UTF-8", name)
			text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
		}
		if _, twice := s[name]; twice {
			bad(name, "%s was sent twice; only one can be meant", name)
			continue
		}
		s[name] = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	return s, first
}

// uncut removes the beginning of an escape at the end of a form that was cut off.
func uncut(s string) string {
	if i := strings.LastIndexByte(s, '%'); i >= 0 && len(s)-i < 3 {
		return s[:i]
	}
	return s
}
