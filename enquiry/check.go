package enquiry

import (
	"context"
	"unicode/utf8"

	"vaak/internal/fault"
)

// CodeTooMany is the code of the error over a limit.
const CodeTooMany = "too_many_enquiries"

// Check returns the form as it would be sent, or why it cannot be: a *fault.Error of
// kind Invalid whose Field is "name", "email", "intent", "message", "dataset",
// "company" or "agent", the first that is wrong. Lengths are looked at last. Nothing
// is kept, not even in the journal.
func (s *Service) Check(ctx context.Context, f Form) (Draft, error) {
	d := Draft{Form: f}
	for _, check := range []func(*Draft) error{checkName, checkEmail, checkIntent, checkMessage} {
		if err := check(&d); err != nil {
			return Draft{}, err
		}
	}
	if err := s.checkDataset(ctx, &d); err != nil {
		return Draft{}, err
	}
	return d, checkLengths(&d)
}

func checkName(d *Draft) (err error) {
	if d.Name, err = line("name", d.Name); err != nil {
		return err
	}
	if !visible(d.Name) {
		return fault.BadParameter("name", "name is missing: it says who asks")
	}
	return nil
}

func checkEmail(d *Draft) (err error) {
	if d.Email, err = line("email", d.Email); err != nil {
		return err
	}
	if d.Email == "" {
		return fault.BadParameter("email", "email is missing: it is where the reply goes")
	}
	if err := CheckAddress(d.Email); err != nil {
		return fault.BadParameter("email", "email %v", err)
	}
	return nil
}

func checkIntent(d *Draft) error {
	switch d.Intent {
	case Quote, Sample, Collection, Question:
		return nil
	case "":
		return fault.BadParameter("intent", "intent is missing: it is one of quote, sample, collection, question")
	}
	return fault.BadParameter("intent", "intent %.40q is none of quote, sample, collection, question", string(d.Intent))
}

func checkMessage(d *Draft) error {
	var bad rune
	if d.Message, bad = tidyText(d.Message); bad != none {
		return fault.BadParameter("message", "message holds the character %U, which is not taken; it is plain text in lines", bad)
	}
	if d.Message != "" && !visible(d.Message) {
		d.Message = ""
	}
	if d.Message == "" && d.Intent == Question {
		return fault.BadParameter("message", "message is missing: with the intent question it holds the question")
	}
	return nil
}

func (s *Service) checkDataset(ctx context.Context, d *Draft) (err error) {
	if d.Dataset, err = line("dataset", d.Dataset); err != nil || d.Dataset == "" {
		return err
	}
	found, err := s.cfg.Catalogue.Dataset(ctx, d.Dataset)
	if fault.KindOf(err) == fault.NotFound {
		return &fault.Error{Kind: fault.Invalid, Code: fault.CodeInvalidParameter, Field: "dataset", Err: err,
			Msg: "dataset " + quoted(d.Dataset) + " is not known; it is the slug or the id of a dataset of this catalogue"}
	}
	if err != nil {
		return err
	}
	d.About, d.Dataset = about(found), found.Slug
	return nil
}

func checkLengths(d *Draft) (err error) {
	for _, f := range []struct {
		name string
		text *string
	}{{"company", &d.Company}, {"agent", &d.Agent}} {
		if *f.text, err = line(f.name, *f.text); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		name, text string
		most       int
	}{{"name", d.Name, MaxLine}, {"company", d.Company, MaxLine}, {"message", d.Message, MaxMessage}, {"agent", d.Agent, MaxLine}} {
		if n := utf8.RuneCountInString(f.text); n > f.most {
			return fault.BadParameter(f.name, "%s has %d characters, and %d are the most", f.name, n, f.most)
		}
	}
	return nil
}

// line returns a field of one line, tidy.
func line(name, s string) (string, error) {
	s, bad := tidyLine(s)
	if bad != none {
		return "", fault.BadParameter(name, "%s holds the character %U, which is not taken; it is plain text in one line", name, bad)
	}
	return s, nil
}
