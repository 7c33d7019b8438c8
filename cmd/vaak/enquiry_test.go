package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"vaak/app/deployment"
	"vaak/store/storetest/pgtest"
)

// Addresses of the tests' file.
const (
	testOperator = "desk@data.example.org"
	testFrom     = "no-reply@data.example.org"
)

// mailConfig returns a file with settings, and the addresses of mails.
func mailConfig(t testing.TB, settings string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vaak.toml")
	text := settings + "[mail]\noperator = \"" + testOperator + "\"\nfrom = \"" + testFrom + "\"\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func jsonOf(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// enquire sends an enquiry, with headers as "Name: value".
func (s *server) enquire(form map[string]string, headers ...string) answered {
	s.t.Helper()
	return s.sends("/api/catalogue/enquiry", "application/json", string(jsonOf(s.t, form)), headers...)
}

// question is an enquiry of a person.
func question(email, message string) map[string]string {
	return map[string]string{"name": "Asha Rao", "email": email, "intent": "question", "message": message}
}

// accepted sends an enquiry that must be taken, and returns its id.
func (s *server) accepted(form map[string]string, headers ...string) string {
	s.t.Helper()
	a := s.enquire(form, headers...)
	if a.status != http.StatusAccepted || a.header.Get("X-Enquiry-Id") == "" {
		s.t.Fatalf("%s = %d %.500s, want 202; log: %s", a.what, a.status, a.body, s.log)
	}
	return a.header.Get("X-Enquiry-Id")
}

// TestEnquiryIsMailed sends an enquiry to a server that has a mail server.
func TestEnquiryIsMailed(t *testing.T) {
	t.Parallel()
	mails := startMailServer(t)
	s := startCatalogue(t, "", mails.flags(mailConfig(t, "enquiry_acknowledge = true\n"))...)
	form := question("asha@example.org", "How many hours?\nAnd when? \u2028.\n.\nBcc: all@example.org")
	id := s.accepted(form)
	if again := s.accepted(form); again != id {
		t.Errorf("the same again is %s, want %s", again, id)
	}
	soon(t, "two mails", func() bool { return len(mails.mails()) == 2 })
	operator, receipt := mails.to(testOperator), mails.to("asha@example.org")
	if len(operator) != 1 || len(receipt) != 1 {
		t.Fatalf("mails = %+v, want one to the operator and one to the person", mails.mails())
	}
	o, r := operator[0], receipt[0]
	if o.from != testFrom || o.header.Get("Reply-To") != "<asha@example.org>" || !strings.Contains(o.text, "How many hours?") || !strings.Contains(o.text, id) {
		t.Errorf("the operator's mail is from %s:\n%s", o.from, o.raw)
	}
	if r.from != testFrom || strings.Contains(r.raw, "Asha") || strings.Contains(r.raw, "hours") {
		t.Errorf("the receipt is from %s:\n%s", r.from, r.raw)
	}
	soon(t, "both are noted as delivered", func() bool {
		return strings.Contains(s.vaak("enquiry", "list"), "\t0\t2\t0\t")
	})
	s.stop()
	noFaults(t, s)
	silent(t, s, "asha@", "Asha", "hours?", testOperator)
}

// silent checks that the log holds none of some texts.
func silent(t *testing.T, s *server, texts ...string) {
	t.Helper()
	for _, never := range texts {
		if strings.Contains(s.log.String(), never) {
			t.Errorf("the log holds %q: %s", never, s.log)
		}
	}
}

// TestEnquiryIsFiled sends an enquiry to a server that has no mail server.
func TestEnquiryIsFiled(t *testing.T) {
	t.Parallel()
	s := startCatalogue(t, "")
	dir := filepath.Join(s.dir, deployment.Mail)
	for _, want := range []string{"--smtp", dir} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log at the start does not tell of %s: %s", want, s.log)
		}
	}
	id := s.accepted(question("asha@example.org", "How many hours?"))
	var files []string
	soon(t, "a file", func() bool {
		files, _ = filepath.Glob(filepath.Join(dir, "*.eml"))
		return len(files) == 1
	})
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	header, text, err := readMail(raw)
	if err != nil || header.Get("To") != "<"+devAddress+">" || !strings.Contains(text, "How many hours?") || !strings.Contains(text, id) {
		t.Errorf("the mail is\n%s\n%v", raw, err)
	}
	s.stop()
	noFaults(t, s)
}

// TestLengthyEnquiryRefusedByMailServer has the server refuse one mail for good and another
// for now; the failed one is shown, and sent when an operator says so.
func TestLengthyEnquiryRefusedByMailServer(t *testing.T) {
	slow(t)
	t.Parallel()
	mails := startMailServer(t)
	s := startCatalogue(t, "", mails.flags(mailConfig(t, ""))...)
	mails.at(func(at step) error {
		if at == stepRcpt {
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user asha"}
		}
		return nil
	})
	id := s.accepted(question("asha@example.org", "How many hours?"))
	soon(t, "the mail has failed", func() bool { return strings.Contains(s.vaak("enquiry", "list"), "\t0\t0\t1\t") })
	shown := s.vaak("enquiry", "show", id)
	if !strings.Contains(shown, "550 5.1.1") || strings.Contains(shown, "no such user") {
		t.Errorf("shown is\n%s\nwant the codes and not the server's words", shown)
	}
	mails.at(nil)
	s.vaak("enquiry", "retry", field(shown, "mail", 1))
	soon(t, "it is delivered", func() bool { return len(mails.to(testOperator)) == 1 })
	soon(t, "it is noted", func() bool { return strings.Contains(s.vaak("enquiry", "list"), "\t0\t1\t0\t") })
	if status, said := s.fails("enquiry", "retry", field(shown, "mail", 1)); status != 1 || strings.Count(said, "\n") != 1 {
		t.Errorf("retry of a mail that was delivered = %d %q, want 1 and a sentence", status, said)
	}
	s.stop()
}

// field returns a column of the first line with a name.
func field(lines, name string, column int) string {
	for line := range strings.Lines(lines) {
		if all := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); all[0] == name && column < len(all) {
			return all[column]
		}
	}
	return ""
}

// TestLengthyEnquiryStops stops a server that waits for its mail server: one that is answered
// meanwhile, and, as it takes its time, one that is not.
func TestLengthyEnquiryStops(t *testing.T) {
	slow(t)
	t.Parallel()
	s, mails, answer := midway(t)
	ended := make(chan error, 1)
	go func() { ended <- s.end(syscall.SIGTERM) }()
	drains(t)
	if err := <-ended; err != nil {
		t.Errorf("after SIGTERM: %v; log: %s", err, s.log)
	}
	isSentByNext(t, s, mails, answer)
}

// drains stops a server while a mail server is slow to say that it has a mail: it
// waits for it, and the mail is not sent again.
func drains(t *testing.T) {
	t.Helper()
	s, mails, answer := midway(t)
	ended := make(chan error, 1)
	go func() { ended <- s.end(syscall.SIGTERM) }()
	soon(t, "it drains", func() bool { return strings.Contains(s.log.String(), `"msg":"draining"`) })
	close(answer)
	if err := <-ended; err != nil {
		t.Errorf("after SIGTERM: %v; log: %s", err, s.log)
	}
	if list := s.vaak("enquiry", "list"); !strings.Contains(list, "\t0\t1\t0\t") || len(mails.mails()) != 1 {
		t.Errorf("%d mails came, and the list is %q; want one, delivered", len(mails.mails()), list)
	}
}

// isSentByNext starts a server where one has ended although its mail server did not
// answer: it sends the mail.
func isSentByNext(t *testing.T, s *server, mails *mailServer, answer chan struct{}) {
	t.Helper()
	mails.at(nil)
	close(answer)
	s.serve(append([]string{"--services", "catalogue"}, mails.flags(mailConfig(t, ""))...)...)
	soon(t, "it is delivered", func() bool { return strings.Contains(s.vaak("enquiry", "list"), "\t0\t1\t0\t") })
	for _, m := range mails.mails() {
		if m.raw != mails.mails()[0].raw {
			t.Errorf("it came as\n%s\nand as\n%s", mails.mails()[0].raw, m.raw)
		}
	}
	s.stop()
}

// midway returns a server that waits for a mail server to say that it has a mail,
// which it does when the channel is closed.
func midway(t *testing.T) (*server, *mailServer, chan struct{}) {
	t.Helper()
	mails := startMailServer(t)
	s := startCatalogue(t, "", mails.flags(mailConfig(t, ""))...)
	waits, answer := make(chan struct{}, 1), make(chan struct{})
	mails.at(func(at step) error {
		if at == stepReceived {
			waits <- struct{}{}
			<-answer
		}
		return nil
	})
	s.accepted(question("asha@example.org", "How many hours?"))
	select {
	case <-waits:
	case <-time.After(20 * time.Second):
		t.Fatal("no mail comes")
	}
	return s, mails, answer
}

// TestLengthyEnquiryWithoutStore takes the database away: an enquiry is refused in so many
// words, and taken, and delivered, when it is sent again.
func TestLengthyEnquiryWithoutStore(t *testing.T) {
	slow(t)
	t.Parallel()
	cluster := pgtest.Start(t)
	mails := startMailServer(t)
	s := startCatalogue(t, cluster.NewDatabase(t), mails.flags(mailConfig(t, ""))...)
	first := s.accepted(question("asha@example.org", "How many hours?"))
	soon(t, "the first mail", func() bool { return len(mails.mails()) == 1 })
	if err := cluster.Stop("fast"); err != nil {
		t.Fatal(err)
	}
	form := question("ravi@example.org", "How many hours?")
	for range 5 {
		if a := s.enquire(form); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
			t.Errorf("%s = %d, Retry-After %q, %.300s; want 503 and when to try again", a.what, a.status, a.header.Get("Retry-After"), a.body)
		}
	}
	if err := cluster.Start(); err != nil {
		t.Fatal(err)
	}
	var second answered
	soon(t, "it is taken", func() bool {
		second = s.enquire(form)
		return second.status == http.StatusAccepted
	})
	soon(t, "the second mail", func() bool { return len(mails.mails()) == 2 })
	list := s.vaak("enquiry", "list")
	if strings.Count(list, "\n") != 1 || !strings.Contains(list, first) || !strings.Contains(list, second.header.Get("X-Enquiry-Id")) {
		t.Errorf("the list is %q, want %s and %s", list, first, second.header.Get("X-Enquiry-Id"))
	}
	s.stop()
	quietOfPersons(t, s)
}

func quietOfPersons(t *testing.T, s *server) {
	t.Helper()
	silent(t, s, "asha@", "ravi@", "Asha", "hours?")
}

// TestCommandServeRefusesMailSettings starts servers whose settings do not go together.
func TestCommandServeRefusesMailSettings(t *testing.T) {
	t.Parallel()
	s := elsewhere(t)
	config := func(text string) string {
		path := filepath.Join(t.TempDir(), "vaak.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const operator = "[mail]\noperator = \"desk@example.org\"\n"
	for _, tt := range []struct {
		name, config string
		flags        []string
		want         string
	}{
		{"no operator", "", []string{"--smtp", "smtp://user:pa55word@127.0.0.1:1"}, "operator"},
		{"no operator but from", "[mail]\nfrom = \"a@example.org\"\n", []string{"--smtp", "smtp://127.0.0.1:1"}, "operator"},
		{"bad URL", operator, []string{"--smtp", "http://user:pa55word@127.0.0.1:1"}, "smtp://"},
		{"bad URL in the file", "smtp = \"smtp://user:pa55word@:x\"\n" + operator, nil, "URL"},
		{"no text in the file", "smtp = [\"smtp://user:pa55word@127.0.0.1:1\"]\n" + operator, nil, "smtp has to be text"},
		{"no quotes in the file", "smtp = smtp://user:pa55word@127.0.0.1:1\n" + operator, nil, "smtp"},
		{"no text for the database", "database = {url = \"postgres://user:pa55word@127.0.0.1:1/x\"}\n", nil, "database has to be text"},
		{"unknown setting", operator + "bcc = \"x@example.org\"\n", nil, `"mail.bcc"`},
		{"two addresses", "[mail]\noperator = \"a@example.org, b@example.org\"\n", nil, "operator"},
		{"an address with a name", "[mail]\nfrom = \"A <a@example.org>\"\n", nil, "from"},
		{"an address with a line end", "[mail]\nfrom = \"a@example.org\\r\\nBcc: b@example.org\"\n", nil, "from"},
		{"mail is no table", "mail = \"a@example.org\"\n", nil, "mail"},
		{"policy", "consent_policy = \"always\"\n", nil, "elicitation_or_link, mailed_link and allow_attested"},
		{"acknowledge", "enquiry_acknowledge = \"yes\"\n", nil, "enquiry_acknowledge"},
		{"keep", "", []string{"--keep-enquiries", "0"}, "keep-enquiries"},
		{"keep too short", "keep-enquiries = \"71h\"\n", nil, "72h"},
	} {
		flags := append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--config", config(tt.config)}, tt.flags...)
		status, said := s.fails(flags...)
		if status != 2 || strings.Count(said, "\n") != 1 || !strings.Contains(said, tt.want) || strings.Contains(said, "pa55") {
			t.Errorf("%s: %d %q, want 2 and one line with %q", tt.name, status, said, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "vaak.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a database was made: %v", err)
	}
}
