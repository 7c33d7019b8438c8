package page

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// Limits of a form, in bytes.
const (
	MaxForm = 64 << 10
	MaxFile = 2 << 20 // a form that brings a file
)

// Form is what was sent. Lines end in \n, and all is text in UTF-8 without NUL.
type Form struct{ url.Values }

// ReadForm reads the form of the request, of at most so many bytes, into [Visit.Sent]. It
// refuses a form that was sent before, and one whose sender may not send it any more.
func (v *Visit) ReadForm(most int64) error {
	v.R.Body = http.MaxBytesReader(v.W, v.R.Body, most)
	var err error
	if kind, _, _ := mime.ParseMediaType(v.R.Header.Get("Content-Type")); kind == "multipart/form-data" {
		err = v.R.ParseMultipartForm(most)
	} else {
		err = v.R.ParseForm()
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return fault.New(fault.TooLarge, fault.CodeBodyTooLarge, "", "The form is over %d KiB, which is the most that is taken here.", most>>10)
	}
	if err != nil {
		return fault.New(fault.Invalid, fault.CodeInvalidBody, "", "The form could not be read. Send it again from the page.")
	}
	for name, values := range v.R.PostForm {
		for i, s := range values {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				return fault.New(fault.Invalid, fault.CodeInvalidBody, name, "%.64q holds bytes that are not text in UTF-8.", name)
			}
			// Browsers send \r\n, which services would count as two characters.
			values[i] = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
		}
	}
	v.Sent = Form{v.R.PostForm}
	if err := v.still(); err != nil { // only now, since a form may arrive slowly
		return err
	}
	// Last, because it notes the form as sent: one that is refused above can be sent again.
	return v.first()
}

// onceField is in forms that make something. Its value is good for one form.
const onceField = "once"

// first refuses a form that was sent before: by a second click, or by going back and
// forward. The page shows it again with another value of the field once, so a person who
// means it can send it once more.
func (v *Visit) first() error {
	once := v.Sent.Get(onceField)
	// What is longer is not from a form of ours, and must not fill the memory.
	if once == "" || len(once) > len(newOnce()) {
		return nil
	}
	if v.site.once.Add(v.Person.ID + " " + once) {
		return nil
	}
	return fault.New(fault.Conflict, "sent_twice", "", "This form was sent already, and nothing was done a second time. Send it again if you mean it.")
}

// Entered returns what was sent of one form of a page that has several, to be shown in it
// again. It is the zero View when another form was sent. The path is how the address of
// the form ends.
func (v *Visit) Entered(path string) View {
	if v.Wrong == nil || !strings.HasSuffix(v.route.Path, path) {
		return View{}
	}
	_, field := Sentence(v.Wrong)
	return View{Sent: v.Sent.Values, Field: field}
}

// Field returns what was sent in a field, without the white space around it.
func (f Form) Field(name string) string { return strings.TrimSpace(f.Get(name)) }

// grouped is a whole number, whose digits may stand in groups of three.
var grouped = regexp.MustCompile(`^[+-]?(\d+|\d{1,3}([ ,_\x{a0}\x{202f}]\d{3})+)$`)

// Number reads a whole number, such as 12000, 12,000 or 12 000. It returns otherwise for
// an empty field.
func (f Form) Number(name string, otherwise int64) (int64, error) {
	s := f.Field(name)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(strings.NewReplacer(" ", "", ",", "", "_", "", "\u00a0", "", "\u202f", "").Replace(s), 10, 64)
	// The replacer alone would take 1,2,3 for 123.
	if err != nil || !grouped.MatchString(s) {
		return 0, fault.BadParameter(name, "%s %.40q is not a whole number", name, s)
	}
	return n, nil
}

// Bound reads a limit: a whole number, or the word unlimited for [ledger.Unlimited].
func (f Form) Bound(name string) (int64, error) {
	s := f.Field(name)
	if strings.EqualFold(s, "unlimited") {
		return ledger.Unlimited, nil
	}
	if s == "" {
		return 0, fault.BadParameter(name, "%s is missing: a whole number is needed, or the word unlimited", name)
	}
	return f.Number(name, 0)
}

// Day reads a day of the form YYYY-MM-DD that is not over, and returns the time at which
// it ends, in UTC: the beginning of the next day. An empty field is the zero time.
func (f Form) Day(name string) (time.Time, error) {
	s := f.Field(name)
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}, fault.BadParameter(name, "%s %.40q is not a day of the form YYYY-MM-DD", name, s)
	}
	end := t.AddDate(0, 0, 1)
	if !end.After(time.Now()) {
		return time.Time{}, fault.BadParameter(name, "The day %s is over. Today is %s, in UTC.", s, time.Now().UTC().Format(time.DateOnly))
	}
	return end, nil
}

// SecondLayout is how a field for a time is filled in. Browsers send it without a zone,
// and it is meant in UTC.
const SecondLayout = "2006-01-02T15:04:05"

// Instant reads a time in UTC, with seconds or without. An empty field is the zero time.
func (f Form) Instant(name string) (time.Time, error) {
	s := f.Field(name)
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{SecondLayout, "2006-01-02T15:04", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fault.BadParameter(name, "%s %.40q is not a time of the form 2027-01-31T00:00, in UTC", name, s)
}

// Sure refuses what cannot be undone until the box that says so is ticked.
func (f Form) Sure() error {
	if f.Field("sure") != "yes" {
		return fault.BadParameter("sure", "nothing was done: tick the box to say that you are sure")
	}
	return nil
}
