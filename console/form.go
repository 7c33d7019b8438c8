package console

import (
	"crypto/rand"
	"errors"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/internal/fault"
)

// Limits of a form.
const (
	maxForm = 64 << 10
	maxFile = 2 << 20 // a form that brings a file
)

// form reads the form of a request, of at most so many bytes, into v.sent. Lines end
// in \n there, and all is text in UTF-8 without NUL.
func (v *visit) form(most int64) error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, most)
	var err error
	if kind, _, _ := mime.ParseMediaType(v.r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		err = v.r.ParseMultipartForm(most)
	} else {
		err = v.r.ParseForm()
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return fault.New(fault.TooLarge, fault.CodeBodyTooLarge, "", "The form is over %d KiB, which is the most that is taken here.", most>>10)
	}
	if err != nil {
		return fault.New(fault.Invalid, fault.CodeInvalidBody, "", "The form could not be read. Send it again from the page.")
	}
	for name, values := range v.r.PostForm {
		for i, s := range values {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				return fault.New(fault.Invalid, fault.CodeInvalidBody, name, "%.64q holds bytes that are not text in UTF-8.", name)
			}
			values[i] = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
		}
	}
	v.sent = v.r.PostForm
	if err := v.still(); err != nil {
		return err
	}
	return v.first()
}

// onceField is in forms that make something: a value that is good once.
const onceField = "once"

// maxOnce is how many forms that were sent are remembered.
const maxOnce = 1 << 14

// first refuses a form that was sent before: by a second click, or by going back and
// forward. The page shows it again, so that who means it can send it once more.
func (v *visit) first() error {
	once := v.sent.Get(onceField)
	if once == "" || len(once) > len(newOnce()) {
		return nil
	}
	if v.once.Add(v.person.ID + " " + once) {
		return nil
	}
	return fault.New(fault.Conflict, "sent_twice", "", "This form was sent already, and nothing was done a second time. Send it again if you mean it.")
}

// newOnce returns a value for a form.
func newOnce() string { return rand.Text() }

// field returns what was sent of a field, without the white space around it.
func (v *visit) field(name string) string { return strings.TrimSpace(v.sent.Get(name)) }

// grouped is a whole number, whose digits may stand in groups of three.
var grouped = regexp.MustCompile(`^[+-]?(\d+|\d{1,3}([ ,_\x{a0}\x{202f}]\d{3})+)$`)

// number reads a whole number, such as 12000, 12,000 or 12 000; an empty field is
// otherwise.
func (v *visit) number(name string, otherwise int64) (int64, error) {
	s := v.field(name)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(strings.NewReplacer(" ", "", ",", "", "_", "", "\u00a0", "", "\u202f", "").Replace(s), 10, 64)
	if err != nil || !grouped.MatchString(s) {
		return 0, fault.BadParameter(name, "%s %.40q is not a whole number", name, s)
	}
	return n, nil
}

// day reads a day of the form YYYY-MM-DD that is not over, and returns when it is: as the
// next one begins, in UTC. It is the zero time of an empty field.
func (v *visit) day(name string) (time.Time, error) {
	s := v.field(name)
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

// lastDay writes the last whole day before a time at which something ends, as
// [visit.day] read it.
func lastDay(end time.Time) string { return day(end.Add(-time.Microsecond)) }
