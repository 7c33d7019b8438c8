package enquiry_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/internal/seal"
)

// TestCheckOrder has several faults at once; the first in the order is told.
func TestCheckOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("a", 5001)
	for _, tt := range []struct {
		name  string
		form  enquiry.Form
		field string
	}{
		{"nothing", enquiry.Form{}, "name"},
		{"no address", enquiry.Form{Name: "A", Intent: "none"}, "email"},
		{"no intent", enquiry.Form{Name: "A", Email: "a@b.example", Message: long, Dataset: "none"}, "intent"},
		{"unknown intent", enquiry.Form{Name: "A", Email: "a@b.example", Intent: "Quote"}, "intent"},
		{"no question", enquiry.Form{Name: "A", Email: "a@b.example", Intent: "question", Dataset: "none"}, "message"},
		{"unknown dataset", enquiry.Form{Name: strings.Repeat("a", 201), Email: "a@b.example", Intent: "quote", Message: long, Dataset: "none"}, "dataset"},
		{"draft", enquiry.Form{Name: "A", Email: "a@b.example", Intent: "quote", Dataset: "draft"}, "dataset"},
		{"suspended", enquiry.Form{Name: "A", Email: "a@b.example", Intent: "quote", Dataset: "suspended"}, "dataset"},
		{"dataset whatever the intent", enquiry.Form{Name: "A", Email: "a@b.example", Intent: "question", Message: "?", Dataset: "none"}, "dataset"},
		{"long name", enquiry.Form{Name: strings.Repeat("न", 201), Email: "a@b.example", Intent: "quote", Company: strings.Repeat("a", 201)}, "name"},
		{"long company", enquiry.Form{Name: "A", Email: "a@b.example", Intent: "quote", Company: strings.Repeat("a", 201), Message: long}, "company"},
		{"long message", enquiry.Form{Name: "A", Email: "a@b.example", Intent: "quote", Message: long, Agent: strings.Repeat("a", 201)}, "message"},
		{"long agent", enquiry.Form{Name: "A", Email: "a@b.example", Intent: "quote", Agent: strings.Repeat("a", 201)}, "agent"},
		{"white space", enquiry.Form{Name: " \t\u00a0", Email: "a@b.example", Intent: "quote"}, "name"},
		{"white question", enquiry.Form{Name: "A", Email: "a@b.example", Intent: "question", Message: " \n\r\n\u2028"}, "message"},
	} {
		_, err := w.service.Check(t.Context(), tt.form)
		bad, ok := errors.AsType[*fault.Error](err)
		if !ok || bad.Kind != fault.Invalid || bad.Field != tt.field || !strings.HasPrefix(bad.Msg, tt.field+" ") {
			t.Errorf("%s: Check = %v, want one about %s", tt.name, err, tt.field)
		}
	}
}

// TestCheckTellsAll has a fault in every field; each is told once.
func TestCheckTellsAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("a", 5001)
	for _, tt := range []struct {
		form   enquiry.Form
		fields []string
	}{
		{enquiry.Form{Dataset: "none", Company: long, Agent: "a\x00"}, []string{"name", "email", "intent", "dataset", "agent", "company"}},
		{enquiry.Form{Name: long, Email: "a@", Intent: "question", Dataset: "none", Company: "b\x00" + long, Agent: long}, []string{"email", "message", "dataset", "company", "name", "agent"}},
		{enquiry.Form{Name: "A", Email: "a@b.example", Intent: "quote", Message: "a\x00" + long}, []string{"message"}},
	} {
		_, err := w.service.Check(t.Context(), tt.form)
		var fields []string
		for _, f := range fault.All(err) {
			fields = append(fields, f.Field)
		}
		if d := cmp.Diff(tt.fields, fields); d != "" {
			t.Errorf("fields of Check(%.200v) (-want +got):\n%s", tt.form, d)
		}
	}
}

// TestCheckTakes: what is good comes out tidy.
func TestCheckTakes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, err := w.service.Check(t.Context(), enquiry.Form{
		Name: "  रवि क\u200dुमार ", Email: " Ravi+x@Example.ORG ", Company: "\u00a0Ltd.", Intent: "sample", Dataset: w.dataset.ID,
		Message: "\r\n\r\nfirst \r\n\tsecond\u2028third\n\n", Agent: " ",
	})
	want := enquiry.Draft{
		Form: enquiry.Form{
			Name: "रवि क\u200dुमार", Email: "Ravi+x@Example.ORG", Company: "Ltd.", Intent: "sample", Dataset: "hi-cc", Message: "first\n\tsecond\nthird",
		},
		About: &enquiry.Dataset{ID: w.dataset.ID, Slug: "hi-cc", Title: w.dataset.Title, URL: w.dataset.URL},
	}
	if diff := cmp.Diff(want, d); diff != "" || err != nil {
		t.Errorf("Check (-want +got), %v:\n%s", err, diff)
	}
	for _, f := range []enquiry.Form{
		{Name: strings.Repeat("न", 200), Email: "a@b.example", Intent: "quote"},
		{Name: "A", Email: "a@b.example", Intent: "collection", Message: strings.Repeat("\U0001F600", 5000)},
		{Name: "A", Email: "a@b.example", Intent: "quote", Dataset: "retired"},
		{Name: "A", Email: "a@b.example", Intent: "sample"},
	} {
		if _, err := w.service.Check(t.Context(), f); err != nil {
			t.Errorf("Check(%.100v) = %v", f, err)
		}
	}
}

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"a@b.example", "first.last+tag@sub.example.co.in", "o'neil!#$%&*/=?^_`{|}~-@x.example", "a@xn--i1b1b4ch.example",
		strings.Repeat("a", 64) + "@b.example", "a@1-2.example", "A@B.EXAMPLE",
	} {
		if err := enquiry.CheckAddress(good); err != nil {
			t.Errorf("CheckAddress(%q) = %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "a", "a@", "@b.example", "a@b", "a@b.", "a@.b.example", "a@b..example", "a b@c.example", "a@b c.example", ".a@b.example", "a.@b.example", "a..b@c.example",
		"a@b.example, c@d.example", "a@b.example\r\nBcc: c@d.example", "a@b.example\n", "\ta@b.example", `"a b"@c.example`, "A <a@b.example>", "<a@b.example>",
		"a@[127.0.0.1]", "a@127.0.0.1", "a@b.example;c@d.example", "a@b@c.example", "a%0d%0a@b.example\x00", "a@-b.example", "a@b-.example", "a(c)@b.example",
		"ä@b.example", "a@bücher.example", "a@b.example\u2028x", "=?utf-8?q?a?=@b.example>", strings.Repeat("a", 65) + "@b.example",
		"a@" + strings.Repeat("b.", 127) + "example", "a@" + strings.Repeat("b", 64) + ".example", "a:b@c.example", "a\\b@c.example", "a@b.exam ple", "mailto:a@b.example ",
	} {
		err := enquiry.CheckAddress(bad)
		if err == nil {
			t.Errorf("CheckAddress(%q) = nil", bad)
		} else if len(bad) > 12 && strings.Contains(err.Error(), bad) {
			t.Errorf("CheckAddress(%q) = %q, which repeats it", bad, err)
		}
	}
}

// FuzzCheck: whatever is sent, a draft holds nothing that could be taken for anything
// else than text, or a field is named.
func FuzzCheck(f *testing.F) {
	w := newWorld(f)
	f.Add("Ravi", "ravi@example.org", "Ltd.", "quote", "hi-cc", "text\nmore", "agent")
	f.Add("a\r\nBcc: x@y.example", "a@b.example\r\n", "\u202e", "sample", "\x00", "\u2028\u0085", "\xff")
	f.Fuzz(func(t *testing.T, name, email, company, intent, dataset, message, agent string) {
		d, err := w.service.Check(t.Context(), enquiry.Form{
			Name: name, Email: email, Company: company, Intent: enquiry.Intent(intent), Dataset: dataset, Message: message, Agent: agent,
		})
		if err != nil {
			if bad, ok := errors.AsType[*fault.Error](err); !ok || bad.Kind != fault.Invalid || bad.Field == "" || !utf8.ValidString(bad.Msg) || len(bad.Msg) > 600 {
				t.Fatalf("Check = %v", err)
			}
			return
		}
		for _, s := range []string{d.Name, d.Email, d.Company, d.Dataset, d.Agent} {
			if strings.ContainsAny(s, "\r\n\v\f\x00\u0085\u2028\u2029\u202e") || utf8.RuneCountInString(s) > enquiry.MaxEmail {
				t.Errorf("Check let %q pass", s)
			}
		}
		if strings.ContainsAny(d.Message, "\r\v\f\x00\u0085\u2028\u2029\u202e") || utf8.RuneCountInString(d.Message) > enquiry.MaxMessage {
			t.Errorf("Check let the message %q pass", d.Message)
		}
		again, err := w.service.Check(t.Context(), d.Form)
		if diff := cmp.Diff(d, again); diff != "" || err != nil {
			t.Errorf("what was checked is not good (-first +second), %v:\n%s", err, diff)
		}
	})
}

// TestHidden: what nobody sees is refused, and what scripts and emoji need is taken.
func TestHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range []string{
		"क्\u200dष", "می\u200cخواهم", "שלום\u200f!", "☎\ufe0f", "1\ufe0f\u20e3", "👩\u200d❤\ufe0f\u200d👨", "\u845b\ufe00", "\u0600\u0661", "\u1820\u180b", "e\u0301", "a\u00a0b", "\ufffd",
	} {
		f := ravi()
		f.Name, f.Message = text, text
		if _, err := w.service.Check(t.Context(), f); err != nil {
			t.Errorf("Check(%+q) = %v", text, err)
		}
	}
	for _, text := range []string{
		"a\U000e0100b", "a\u2060", "a\u2062b", "a\ufff9b", "soft\u00adhyphen", "a\u3164", "a\u115f", "a\u034fb", "a\u206ab", "☎\ufe00\ufe01", "a\ufe00", "न\ufe01", "a\u200d\u200cb", "\ufe0f☎", "a\U0001d173b", "a\U000e0041", "a\u200b", "a\x7f", "a\u009b31m",
		"\u200e", "\u200d\u200c", "\u2800", "\ufe0f",
	} {
		f := ravi()
		f.Name = text
		_, err := w.service.Check(t.Context(), f)
		if bad, ok := errors.AsType[*fault.Error](err); !ok || bad.Field != "name" {
			t.Errorf("Check of the name %+q = %v", text, err)
		}
		f = ravi()
		f.Intent, f.Message = enquiry.Question, text
		_, err = w.service.Check(t.Context(), f)
		if bad, ok := errors.AsType[*fault.Error](err); !ok || bad.Field != "message" {
			t.Errorf("Check of the message %+q = %v", text, err)
		}
	}
}

// TestNewRefuses: a service that could not deliver, or not tell who answers, does not
// begin.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := newWorld(t, func(c *enquiry.Config) {
		c.Addresses = enquiry.Addresses{From: "enquiries@localhost", Operator: "o@localhost"}
	})
	if got := good.service.Terms(); got.Contact != "o@localhost" || got.Policy != enquiry.ElicitationOrLink || got.Questions.Client != 60 {
		t.Errorf("Terms = %+v", got)
	}
	for name, change := range map[string]func(*enquiry.Config){
		"store":    func(c *enquiry.Config) { c.Store = nil },
		"secret":   func(c *enquiry.Config) { c.Secret = nil },
		"policy":   func(c *enquiry.Config) { c.Policy = "anything" },
		"operator": func(c *enquiry.Config) { c.Addresses.Operator = "" },
		"from":     func(c *enquiry.Config) { c.Addresses.From = "Desk <desk@data.example>" },
		"local":    func(c *enquiry.Config) { c.Addresses.From = "a b@localhost" },
	} {
		cfg := enquiry.Config{
			Store: good.Memory, Catalogue: good.shelf, Secret: seal.New(bytes.Repeat([]byte{1}, seal.MinBytes)),
			Addresses: enquiry.Addresses{From: "a@b.example", Operator: "a@b.example"},
		}
		if _, err := enquiry.New(cfg); err != nil {
			t.Fatal(err)
		}
		change(&cfg)
		if _, err := enquiry.New(cfg); err == nil {
			t.Errorf("%s: New takes it", name)
		}
	}
}

// TestSampleOfNothing: who asks for a sample that there is not is told at once, and nothing is sent.
func TestSampleOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := ravi()
	f.Intent, f.Dataset = enquiry.Sample, "bare"
	_, err := w.service.Submit(t.Context(), from("a"), f, enquiry.ByREST)
	bad, ok := errors.AsType[*fault.Error](err)
	if !ok || bad.Kind != fault.Invalid || bad.Field != "dataset" || !strings.Contains(bad.Msg, "bare has no sample that could be sent") {
		t.Errorf("Submit = %v, want that there is no sample", err)
	}
	f.Dataset = "hi-cc"
	if _, err := w.service.Submit(t.Context(), from("a"), f, enquiry.ByREST); err != nil {
		t.Errorf("of a dataset with a sample: %v", err)
	}
	if text := w.Sent[0].Mails[0].Text; !strings.Contains(text, "\nvaak enquiry release "+w.Sent[0].Enquiry.ID+" --public-url https://") {
		t.Errorf("the mail to the operator does not name the command with what it needs:\n%s", text)
	}
	f.Intent, f.Dataset = enquiry.Quote, "bare"
	if _, err := w.service.Submit(t.Context(), from("a"), f, enquiry.ByREST); err != nil {
		t.Errorf("a quote for one without: %v", err)
	}
}
