package enquiry

import (
	"fmt"
	"strings"
	"time"
)

// question returns the whole enquiry as a question to the person. Lines of the message begin
// with "> ", so that no line of it can look like one of ours.
func (s *Service) question(d Draft) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Send this enquiry to %s? A person there replies by e-mail. It is kept for %s at most.\n\n", s.cfg.Addresses.Operator, Period(s.cfg.Keep))
	for _, f := range fields(d) {
		fmt.Fprintf(&b, "%s: %s\n", f.name, f.value)
	}
	if d.Message != "" {
		b.WriteString("Message:\n" + quotedLines(d.Message))
	}
	return strings.TrimRight(b.String(), "\n")
}

// field is a line of an enquiry as people read it.
type field struct{ name, value string }

// meaning describes each intent in a few words.
var meaning = map[Intent]string{
	Quote:      "a licence quote",
	Sample:     "the sample bundle, under the evaluation licence",
	Collection: "a collection recorded to a brief",
	Question:   "an answer to a question",
}

// fields returns all lines except the message, without empty ones.
func fields(d Draft) []field {
	all := []field{{"Name", d.Name}, {"E-mail", d.Email}, {"Company", d.Company}, {"Asks for", meaning[d.Intent] + " (" + string(d.Intent) + ")"}}
	if d.About != nil {
		all = append(all, field{"Dataset", fmt.Sprintf("%q, %s", plainLine(d.About.Title, MaxLine), d.About.Slug)})
	}
	all = append(all, field{"Sent with", d.Agent})
	kept := all[:0] // filters in place
	for _, f := range all {
		if f.value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// quotedLines puts "> " before every line of a text.
func quotedLines(text string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(text, "\n") {
		b.WriteString(strings.TrimRight("> "+l, " ") + "\n")
	}
	return b.String()
}

// Period returns a duration in words, rounded up: "2 years", "90 days", "36 hours".
func Period(d time.Duration) string {
	const day = 24 * time.Hour
	unit, name := time.Hour, "hour"
	switch {
	case d >= 365*day && d%(365*day) == 0:
		unit, name = 365*day, "year"
	case d > 2*day || d%day == 0:
		unit, name = day, "day"
	}
	n := max((d+unit-1)/unit, 1)
	if n != 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s", n, name)
}
