package enquiry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// TestMails reads the mails of an enquiry.
func TestMails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByPage)
	if err != nil {
		t.Fatal(err)
	}
	to, receipt := w.Letters[0], w.Letters[1]
	suffix := strings.TrimPrefix(r.ID, "enq_")
	if to.To != "desk@data.example" || to.From != "service@data.example" || to.ReplyTo != "ravi@example.org" ||
		to.Subject != "Enquiry "+r.ID+": quote, hi-cc" || to.MessageID != "mail_"+suffix+"_operator@data.example" || to.Date != start || to.State != enquiry.Queued {
		t.Errorf("the mail to the operator is %+v", to)
	}
	want := "Name: Ravi Kumar\nE-mail: ravi@example.org\nCompany: Example Ltd.\nAsks for: a licence quote (quote)\nDataset: " + fmt.Sprintf("%q", w.dataset.Title) +
		", hi-cc\nPage: " + w.dataset.URL + "\nConsent: given on the form of the site by whoever filled it in\nEnquiry: " + r.ID +
		"\n\nMessage:\n> We train a recogniser.\n> Two hundred hours, until June.\n"
	if !strings.HasPrefix(to.Text, want) {
		t.Errorf("its text is (-want +got):\n%s", cmp.Diff(want, to.Text))
	}
	if receipt.To != "ravi@example.org" || receipt.ReplyTo != "desk@data.example" || receipt.MessageID == to.MessageID || !strings.Contains(receipt.Text, "2 years") {
		t.Errorf("the receipt is %+v", receipt)
	}
	quiet := newWorld(t, func(c *enquiry.Config) { c.Addresses.Acknowledge = false })
	if _, err := quiet.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByPage); err != nil || len(quiet.Letters) != 1 {
		t.Errorf("without receipts there are %d mails, %v; want 1", len(quiet.Letters), err)
	}
}

// injections are what somebody might type to make a mail say or do something else.
var injections = []string{
	"Ravi\r\nBcc: victim@example.net", "Ravi\nTo: victim@example.net", "Ravi\rX: y", "Ravi\u2028Bcc: victim@example.net", "Ravi\u2029Bcc: x", "Ravi\u0085Bcc: x",
	"Ravi\vBcc: x", "Ravi\fBcc: x", "Ravi\x00", "Ravi\x1b[2J", "\u202eivaR", "Ravi\u2066x\u2069", "\ufeffRavi", "Ravi\U000E0041",
	"=?utf-8?q?Bcc:_victim@example.net?=", "=?utf-8?b?DQpCY2M6IHZpY3RpbUBleGFtcGxlLm5ldA==?=", `"Desk" <desk@data.example>`, "desk@data.example, victim@example.net",
	"<script>alert(1)</script>", "<a href=https://evil.example>click</a>", "Content-Type: text/html\r\n\r\n<b>x</b>", "--boundary\r\nContent-Type: text/html",
	".\r\nMAIL FROM:<x@evil.example>\r\nRCPT TO:<victim@example.net>", "\r\n.\r\nQUIT\r\n", "Name: Somebody else\nE-mail: evil@evil.example", "> Consent: given\n\nEnquiry: enq_x",
	"%0d%0aBcc:%20victim@example.net", "{{.Email}}", "$(reboot)", strings.Repeat("a", 20000), strings.Repeat("long ", 990), "🅱cc: victim@example.net", "Ravi\\r\\nBcc: x",
}

// TestInjections types each into every field: it is refused, or stands as text where
// text stands, and nowhere else.
func TestInjections(t *testing.T) {
	t.Parallel()
	if len(injections) < 30 {
		t.Fatalf("%d injections, want 30", len(injections))
	}
	fields := map[string]func(*enquiry.Form, string){
		"name":    func(f *enquiry.Form, s string) { f.Name = s },
		"email":   func(f *enquiry.Form, s string) { f.Email = s },
		"company": func(f *enquiry.Form, s string) { f.Company = s },
		"intent":  func(f *enquiry.Form, s string) { f.Intent = enquiry.Intent(s) },
		"dataset": func(f *enquiry.Form, s string) { f.Dataset = s },
		"message": func(f *enquiry.Form, s string) { f.Message = s },
		"agent":   func(f *enquiry.Form, s string) { f.Agent = s },
	}
	plain := newWorld(t)
	if _, err := plain.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST); err != nil {
		t.Fatal(err)
	}
	receipt := strings.ReplaceAll(plain.Letters[1].Text, plain.Sent[0].Enquiry.ID, "")
	sent, w := 0, newWorld(t)
	for _, text := range injections {
		for name, set := range fields {
			w.Sent, w.Letters, w.Journal = nil, nil, nil
			f := ravi()
			set(&f, text)
			r, err := w.service.Submit(t.Context(), from("a"), f, enquiry.ByREST)
			if err != nil {
				if bad, ok := errors.AsType[*fault.Error](err); !ok || bad.Kind != fault.Invalid || bad.Field != name || len(w.Letters) > 0 {
					t.Errorf("%q as %s: %v", text, name, err)
				}
				continue
			}
			sent++
			inert(t, fmt.Sprintf("%.60q as %s", text, name), w, r.ID)
			if got := strings.ReplaceAll(w.Letters[1].Text, r.ID, ""); got != receipt {
				t.Errorf("%.60q as %s: the receipt holds something of it:\n%s", text, name, got)
			}
		}
	}
	if sent < 50 {
		t.Errorf("only %d were sent: the test looks at too little", sent)
	}
}

// inert checks the mails of an enquiry by Ravi with a strange field.
func inert(t *testing.T, what string, w *world, id string) {
	t.Helper()
	to, receipt := w.Letters[0], w.Letters[1]
	for _, m := range []enquiry.Mail{to, receipt} {
		head := strings.Join([]string{m.From, m.To, m.ReplyTo, m.Subject, m.MessageID}, "|")
		want := "service@data.example|desk@data.example|ravi@example.org|Enquiry " + id + ": quote, hi-cc|" + m.ID + "@data.example"
		if m.Kind == enquiry.ToPerson {
			want = "service@data.example|ravi@example.org|desk@data.example|We have your enquiry " + id + "|" + m.ID + "@data.example"
		}
		if head != want {
			t.Errorf("%s: the head is %q, want %q", what, head, want)
		}
	}
	own := map[string]int{}
	for l := range strings.SplitSeq(to.Text, "\n") {
		name, _, found := strings.Cut(l, ": ")
		if found && !strings.HasPrefix(l, ">") {
			own[name]++
		}
	}
	for _, name := range []string{"Name", "E-mail", "Asks for", "Dataset", "Consent", "Enquiry"} {
		if own[name] != 1 {
			t.Errorf("%s: the text has %d lines %q, want 1:\n%s", what, own[name], name, to.Text)
		}
	}
	if strings.ContainsAny(to.Text, "\r\v\f\x00\x1b\u0085\u2028\u2029\u202e") {
		t.Errorf("%s: the text is %q", what, to.Text)
	}
}

// scripted is a sender that answers by a script, nil after its end.
type scripted struct {
	errs []error
	sent []enquiry.Mail
}

func (s *scripted) Send(_ context.Context, m enquiry.Mail) error {
	s.sent = append(s.sent, m)
	if len(s.errs) == 0 {
		return nil
	}
	err := s.errs[0]
	s.errs = s.errs[1:]
	return err
}

// TestDeliver works the job of a mail again and again.
func TestDeliver(t *testing.T) {
	t.Parallel()
	later := errors.New("connection refused")
	refused := &enquiry.Refusal{Stage: "RCPT TO", Code: 550, Status: "5.1.1"}
	many := make([]error, 100)
	for i := range many {
		many[i] = later
	}
	for _, tt := range []struct {
		name     string
		errs     []error
		attempts int
		state    enquiry.MailState
		problem  string
	}{
		{"at once", nil, 1, enquiry.Delivered, ""},
		{"in the end", []error{later, later, later}, 4, enquiry.Delivered, "connection refused"},
		{"refused", []error{later, fmt.Errorf("send: %w", refused), nil}, 2, enquiry.Failed, "send: RCPT TO was refused: 550 5.1.1"},
		{"for two days", many, enquiry.Attempts, enquiry.Failed, "connection refused"},
	} {
		w := newWorld(t)
		if _, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST); err != nil {
			t.Fatal(err)
		}
		sender := &scripted{errs: tt.errs}
		post := &enquiry.Post{Outbox: w.Memory, Sender: sender, Now: func() time.Time { return w.clock }}
		args := []byte(`{"mail":"` + w.Letters[0].ID + `"}`)
		tries := 1
		for ; post.Deliver(t.Context(), args) != nil; tries++ {
			w.clock = w.clock.Add(enquiry.Backoff(tries))
		}
		for range 2 { // a job that comes once more
			if err := post.Deliver(t.Context(), args); err != nil {
				t.Errorf("%s: afterwards Deliver = %v", tt.name, err)
			}
		}
		m := w.Letters[0]
		if tries != tt.attempts || len(sender.sent) != tt.attempts || m.Attempts != tt.attempts || m.State != tt.state || m.Problem != tt.problem {
			t.Errorf("%s: %d attempts, state %s, problem %q; want %d, %s, %q", tt.name, len(sender.sent), m.State, m.Problem, tt.attempts, tt.state, tt.problem)
		}
		if took := w.clock.Sub(start); tt.attempts == enquiry.Attempts && (took < 48*time.Hour || took > 54*time.Hour) {
			t.Errorf("%s: it was tried for %s, want two days", tt.name, took)
		}
	}
}

// TestDeliverInterrupted: what the end of a process breaks off is no attempt.
func TestDeliverInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST); err != nil {
		t.Fatal(err)
	}
	post := &enquiry.Post{Outbox: w.Memory, Sender: &scripted{errs: []error{context.Canceled}}}
	if err := post.Deliver(gone(t), []byte(`{"mail":"`+w.Letters[0].ID+`"}`)); err == nil || w.Letters[0].Attempts != 0 || w.Letters[0].State != enquiry.Queued {
		t.Errorf("Deliver = %v, %d attempts; want an error and none", err, w.Letters[0].Attempts)
	}
	for _, args := range []string{`{"mail":"none"}`, `{}`} {
		if err := post.Deliver(t.Context(), []byte(args)); err != nil {
			t.Errorf("Deliver(%s) = %v", args, err)
		}
	}
	if err := post.Deliver(t.Context(), []byte(`{`)); err == nil {
		t.Error("Deliver of broken arguments is no error")
	}
}

func TestPeriod(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		enquiry.DefaultKeep: "2 years", 365 * day: "1 year", 90 * day: "90 days", 366 * day: "366 days", day: "1 day", 2 * day: "2 days", 36 * time.Hour: "36 hours", time.Minute: "1 hour", 100 * time.Hour: "5 days", 72*time.Hour + time.Minute: "4 days",
	} {
		if got := enquiry.Period(d); got != want {
			t.Errorf("Period(%s) = %q, want %q", d, got, want)
		}
	}
}
