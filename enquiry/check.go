package enquiry

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"vaak/internal/fault"
)

// CodeTooMany is the error code for exceeded limits.
const CodeTooMany = "too_many_enquiries"

// Check returns the form as it would be sent, or the faults of all its fields: each is a
// *fault.Error of kind Invalid whose Field is "name", "email", "intent", "message",
// "dataset", "company" or "agent" (see [fault.All]). They are in that order, except that
// texts that are only too long come last. Check stores nothing, not even in the journal.
func (s *Service) Check(ctx context.Context, f Form) (Draft, error) {
	d := Draft{Form: f}
	var faults []*fault.Error
	for _, check := range []func(*Draft) error{
		checkName, checkEmail, checkIntent, checkMessage,
		func(d *Draft) error { return s.checkDataset(ctx, d) }, checkCompany, checkAgent,
	} {
		err := check(&d)
		if err == nil {
			continue
		}
		// A store that is down is not a fault of the form: it ends the check.
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Kind != fault.Invalid {
			return Draft{}, err
		}
		faults = append(faults, f)
	}
	if faults = append(faults, tooLong(&d, faults)...); len(faults) > 0 {
		return Draft{}, fault.Join(faults...)
	}
	return d, nil
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
	// A message of invisible characters is no message.
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
	found, err := s.cfg.Catalogue.Filed(ctx, d.Dataset)
	if fault.KindOf(err) == fault.NotFound {
		return &fault.Error{Kind: fault.Invalid, Code: fault.CodeInvalidParameter, Field: "dataset", Err: err,
			Msg: "dataset " + quoted(d.Dataset) + " is not known; it is the slug or the id of a dataset of this catalogue"}
	}
	if err != nil {
		return err
	}
	d.About, d.Dataset = about(&found.Dataset), found.Dataset.Slug
	if d.Intent == Sample && len(samples(found)) == 0 {
		return fault.BadParameter("dataset", "dataset %s has no sample that could be sent; ask for a quote, or send a question", d.Dataset)
	}
	return nil
}

func checkCompany(d *Draft) (err error) {
	d.Company, err = line("company", d.Company)
	return err
}

func checkAgent(d *Draft) (err error) {
	d.Agent, err = line("agent", d.Agent)
	return err
}

// tooLong returns faults of fields that are too long and have no other fault.
func tooLong(d *Draft, others []*fault.Error) (faults []*fault.Error) {
	for _, f := range []struct {
		name, text string
		most       int
	}{{"name", d.Name, MaxLine}, {"company", d.Company, MaxLine}, {"message", d.Message, MaxMessage}, {"agent", d.Agent, MaxLine}} {
		// One fault a field: people mend the first before they see the second.
		if slices.ContainsFunc(others, func(o *fault.Error) bool { return o.Field == f.name }) {
			continue
		}
		if n := utf8.RuneCountInString(f.text); n > f.most {
			faults = append(faults, fault.BadParameter(f.name, "%s has %d characters, and %d are the most", f.name, n, f.most))
		}
	}
	return faults
}

// line returns a field of one line without white space around it.
func line(name, s string) (string, error) {
	s, bad := tidyLine(s)
	if bad != none {
		return "", fault.BadParameter(name, "%s holds the character %U, which is not taken; it is plain text in one line", name, bad)
	}
	return s, nil
}
