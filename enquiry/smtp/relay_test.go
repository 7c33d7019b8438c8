package smtp

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"vaak/enquiry"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// sample returns a mail as the service makes them.
func sample() enquiry.Mail {
	return enquiry.Mail{
		ID: "mail_00000000000000000000000001", Enquiry: "enq_00000000000000000000000001", Kind: enquiry.ToOperator,
		MessageID: "mail_00000000000000000000000001@data.example.org",
		Date:      time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		From:      "enquiries@data.example.org", To: "sales@example.org", ReplyTo: "asha+speech@example.net",
		Subject: "Enquiry enq_00000000000000000000000001: quote for hi-cc",
		Text:    "From asha\n\n.\n..two\nनमस्ते, how much?  \n" + strings.Repeat("long ", 400) + "\n-- \nbye\n",
	}
}

func relay(t testing.TB, cfg Config) *Relay {
	t.Helper()
	r, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return r
}

// plain returns a relay to a server without TLS.
func plain(t testing.TB, addr string) *Relay {
	return relay(t, Config{URL: "smtp://" + addr, AllowPlaintext: true, Timeout: patience})
}

// reporter is what tests and laws have in common.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// delivered is a mail as it is read back.
type delivered struct {
	Header map[string][]string
	Text   string
}

// read reads a message as a mail program does.
func read(t reporter, data string) delivered {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(data))
	if err != nil {
		t.Fatalf("ReadMessage: %v\n%q", err, data)
	}
	var body io.Reader = m.Body
	switch enc := m.Header.Get("Content-Transfer-Encoding"); enc {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	default:
		t.Fatalf("Content-Transfer-Encoding = %q", enc)
	}
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatalf("read the body: %v\n%q", err, data)
	}
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	}
	d := delivered{Header: m.Header, Text: string(b)}
	for i, s := range d.Header["Subject"] {
		if d.Header["Subject"][i], err = new(mime.WordDecoder).DecodeHeader(s); err != nil {
			t.Fatalf("subject %q: %v", s, err)
		}
	}
	delete(d.Header, "Content-Transfer-Encoding")
	return d
}

// expected is what a mail must be read back as.
func expected(m enquiry.Mail) delivered {
	d := delivered{Text: endLine(m.Text), Header: map[string][]string{
		"Date": {m.Date.UTC().Format(time.RFC1123Z)}, "Message-Id": {"<" + m.MessageID + ">"},
		"From": {"<" + m.From + ">"}, "To": {"<" + m.To + ">"}, "Subject": {m.Subject},
		"Mime-Version": {"1.0"}, "Content-Type": {"text/plain; charset=UTF-8"},
	}}
	if m.ReplyTo != "" {
		d.Header["Reply-To"] = []string{"<" + m.ReplyTo + ">"}
	}
	if m.Kind != enquiry.ToOperator {
		d.Header["Auto-Submitted"] = []string{"auto-generated"}
	}
	return d
}

// checkLetter compares a letter with the mail it was.
func checkLetter(t reporter, m enquiry.Mail, l letter) {
	t.Helper()
	if l.From != m.From || !slices.Equal(l.To, []string{m.To}) {
		t.Errorf("the envelope is from %q to %q, want %q to %q alone", l.From, l.To, m.From, m.To)
	}
	if diff := cmp.Diff(expected(m), read(t, l.Data)); diff != "" {
		t.Errorf("the mail that arrived (-want +got):\n%s", diff)
	}
	for line := range strings.SplitSeq(l.Data, "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("line of %d bytes %.80q, want at most 998 and no bare line end", len(line), line)
		}
	}
}

// one returns the only letter of an office.
func one(t testing.TB, o *office) letter {
	t.Helper()
	all := o.taken()
	if len(all) != 1 {
		t.Fatalf("%d letters arrived, want 1", len(all))
	}
	return all[0]
}

func TestSend(t *testing.T) {
	t.Parallel()
	ca := trusted(t)
	secure := &tls.Config{Certificates: []tls.Certificate{ca.leaf}}
	receipt := sample()
	receipt.Kind, receipt.ReplyTo = enquiry.ToPerson, ""
	big := sample()
	big.Text = strings.Repeat("नमस्ते. Привет. 你好。 .\n", 600)
	endless := sample()
	endless.Text = strings.Repeat("x", 20_000)
	for name, m := range map[string]enquiry.Mail{"to the operator": sample(), "receipt": receipt, "big": big, "one line": endless} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &office{}
			addr := o.open(t, secure)
			if err := relay(t, Config{URL: "smtp://" + addr, Roots: ca.roots, Timeout: patience}).Send(t.Context(), m); err != nil {
				t.Fatalf("Send: %v", err)
			}
			checkLetter(t, m, one(t, o))
		})
	}
}

func TestSendOverImplicitTLS(t *testing.T) {
	t.Parallel()
	ca := trusted(t)
	o, l := &office{}, listen(t)
	s := smtp.NewServer(o)
	s.Domain = "mail.test"
	o.serve(t, s, tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{ca.leaf}}))
	r := relay(t, Config{URL: "smtps://" + l.Addr().String(), Roots: ca.roots, Timeout: patience})
	if err := r.Send(t.Context(), sample()); err != nil {
		t.Fatalf("Send: %v", err)
	}
	checkLetter(t, sample(), one(t, o))
}

// TestSameBytes checks that another attempt sends the same bytes, whichever sender.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	o := &office{}
	r := plain(t, o.open(t, nil))
	for range 2 {
		if err := r.Send(t.Context(), sample()); err != nil {
			t.Fatalf("Send: %v", err)
		}
	}
	all := o.taken()
	if len(all) != 2 || all[0].Data != all[1].Data {
		t.Errorf("two attempts differ: %q", all)
	}
}

// TestStages answers each command in each way that is not a good one.
func TestStages(t *testing.T) {
	t.Parallel()
	command := map[string]string{"MAIL": "MAIL FROM", "RCPT": "RCPT TO", "DATA": "DATA", ".": "the end of DATA"}
	for _, stage := range []string{"banner", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "."} {
		for _, reply := range []string{
			"451 4.3.0 sales@example.org is busy", "421 4.3.2 bye", "554 5.7.1 no sales@example.org here", "550 sales@example.org",
			"552-5.2.2 the box\r\n552 5.2.2 is full", "530 5.7.0 sign in", "535 5.7.8 wrong", "550 5.188.10.4 is listed", "999 what", "nonsense", drop,
		} {
			t.Run(stage+" "+strings.Fields(reply)[0], func(t *testing.T) {
				t.Parallel()
				s := script{stage: reply}
				if stage == "EHLO" {
					s["HELO"] = reply
				}
				addr, _ := play(t, s)
				r := relay(t, Config{URL: "smtp://u:secret@" + addr, AllowPlaintext: true, Timeout: patience})
				var want *enquiry.Refusal
				if name, ok := command[stage]; ok {
					switch reply {
					case "554 5.7.1 no sales@example.org here":
						want = &enquiry.Refusal{Stage: name, Code: 554, Status: "5.7.1"}
					case "550 sales@example.org", "550 5.188.10.4 is listed":
						want = &enquiry.Refusal{Stage: name, Code: 550}
					case "552-5.2.2 the box\r\n552 5.2.2 is full":
						want = &enquiry.Refusal{Stage: name, Code: 552, Status: "5.2.2"}
					}
				}
				checkError(t, r.Send(t.Context(), sample()), want)
			})
		}
	}
}

// checkError checks an error of Send: that it is the refusal that is wanted, or none,
// and that it tells nothing.
func checkError(t *testing.T, err error, want *enquiry.Refusal) {
	t.Helper()
	if err == nil {
		t.Fatal("Send has no error")
	}
	var got *enquiry.Refusal
	if errors.As(err, &got); (got == nil) != (want == nil) || got != nil && *got != *want {
		t.Errorf("Send = %v, want refusal %v", err, want)
	}
	for _, private := range []string{"@", "example", "secret", "busy", "listed", "188", "mail_", "127.0.0.1"} {
		if strings.Contains(err.Error(), private) {
			t.Errorf("the error holds %q: %v", private, err)
		}
	}
	if len(err.Error()) > 120 {
		t.Errorf("the error is long: %v", err)
	}
}

// TestHang checks that a server that falls silent ends the attempt, at every stage.
func TestHang(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"banner", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "."} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			addr, _ := play(t, script{stage: hang})
			r := relay(t, Config{URL: "smtp://u:secret@" + addr, AllowPlaintext: true, Timeout: 300 * time.Millisecond})
			checkError(t, r.Send(t.Context(), sample()), nil)
		})
	}
}

// TestCancel checks that a cancelled context ends an attempt that hangs, and is told.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"banner", "MAIL", "."} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			addr, told := play(t, script{stage: hang})
			r := relay(t, Config{URL: "smtp://" + addr, AllowPlaintext: true, Timeout: time.Hour, DialTimeout: time.Hour})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- r.Send(ctx, sample()) }()
			if stage != "banner" {
				reached(t, told, map[string]string{"MAIL": "MAIL", ".": "DATA"}[stage])
			}
			cancel()
			select {
			case err := <-done:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("Send = %v, want one that is context.Canceled", err)
				}
			case <-time.After(patience):
				t.Fatal("Send does not end")
			}
		})
	}
}

// reached waits until a script was told a command.
func reached(t *testing.T, r *record, verb string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !strings.Contains(r.all(), verb); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("the server was never told %s", verb)
		}
	}
}

// TestTaken checks that what goes wrong behind the server's yes does not undo it.
func TestTaken(t *testing.T) {
	t.Parallel()
	for _, quit := range []string{drop, hang, "554 5.0.0 no", "nonsense"} {
		t.Run(quit, func(t *testing.T) {
			t.Parallel()
			addr, told := play(t, script{"QUIT": quit})
			if err := plain(t, addr).Send(t.Context(), sample()); err != nil {
				t.Errorf("Send: %v", err)
			}
			if n := strings.Count(told.all(), "RCPT TO:"); n != 1 {
				t.Errorf("%d recipients, want 1: %s", n, told.all())
			}
		})
	}
}

// TestOffice checks refusals and delays of a real server, over TLS.
func TestOffice(t *testing.T) {
	t.Parallel()
	ca := trusted(t)
	later := func() error {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "sales@example.org later"}
	}
	never := func() error {
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: "sales@example.org never"}
	}
	for _, tt := range []struct {
		name string
		o    *office
		want *enquiry.Refusal
	}{
		{"sender later", &office{onMail: later}, nil},
		{"recipient later", &office{onRcpt: later}, nil},
		{"text later", &office{onData: later}, nil},
		{"sender never", &office{onMail: never}, &enquiry.Refusal{Stage: "MAIL FROM", Code: 554, Status: "5.6.0"}},
		{"recipient never", &office{onRcpt: never}, &enquiry.Refusal{Stage: "RCPT TO", Code: 554, Status: "5.6.0"}},
		{"text never", &office{onData: never}, &enquiry.Refusal{Stage: "the end of DATA", Code: 554, Status: "5.6.0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			addr := tt.o.open(t, &tls.Config{Certificates: []tls.Certificate{ca.leaf}})
			r := relay(t, Config{URL: "smtp://" + addr, Roots: ca.roots, Timeout: patience})
			checkError(t, r.Send(t.Context(), sample()), tt.want)
		})
	}
}
