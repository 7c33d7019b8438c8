package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLengthyEnquiryDesk takes an enquiry for a sample from its sending to its end: it is
// listed, shown, released, downloaded as often as it may be, and purged.
func TestLengthyEnquiryDesk(t *testing.T) {
	slow(t)
	t.Parallel()
	mails := startMailServer(t)
	s := startCatalogue(t, "", mails.flags(mailConfig(t, ""))...)
	s.vaak("dataset", "ingest", corpus{slug: "hindi-calls", calls: 1, seconds: 10, format: "flac"}.folder(t), "--publish")
	soon(t, "hindi-calls is listed", func() bool { return slices.Contains(s.listed(""), "hindi-calls") })
	form := map[string]string{
		"name": "Asha Rao", "email": "asha@example.org", "company": "Lab of Asha", "intent": "sample", "dataset": "hindi-calls",
		"message": "First line.\nid\tenq_forged\u2028third \u200f\u0915\u094d\u200d\u0937",
	}
	id := s.accepted(form)
	t.Run("list", func(t *testing.T) { s.listsEnquiry(t, id) })
	t.Run("show", func(t *testing.T) { s.showsEnquiry(t, id, form) })
	t.Run("hostile", func(t *testing.T) { s.showsHostile(t, id) })
	t.Run("refusals", func(t *testing.T) { s.refusesRelease(t, id) })
	t.Run("release", func(t *testing.T) { s.releasesSample(t, id, mails) })
	t.Run("purge", func(t *testing.T) { s.purgesEnquiry(t, id) })
	s.stop()
	noFaults(t, s)
	quietOfPersons(t, s)
	for _, name := range []string{"vaak.db", "vaak.db-wal"} {
		text, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil && name == "vaak.db" {
			t.Fatal(err)
		}
		for _, typed := range []string{"asha@example.org", "Lab of Asha", "First line."} {
			if n := strings.Count(string(text), typed); n > 0 {
				t.Errorf("%s still holds %q %d times after a purge", name, typed, n)
			}
		}
	}
}

// calm checks that a text does nothing to a terminal.
func calm(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && r != '\t' && !harmless(r) {
			t.Errorf("%q is printed as it is, in %q", r, text)
			return
		}
	}
}

func (s *server) listsEnquiry(t *testing.T, id string) {
	soon(t, "its mail is delivered", func() bool { return strings.Contains(s.vaak("enquiry", "list"), "\t0\t1\t0\t") })
	list := s.vaak("enquiry", "list", "--limit", "1")
	calm(t, list)
	c := strings.Split(list, "\t")
	if len(c) != 10 || c[0] != id || c[2] != "sample" || c[3] != "hindi-calls" || c[7] != "-" || c[8] != "asha@example.org" || !strings.HasPrefix(c[9], "Asha") {
		t.Errorf("the list is %q", list)
	}
	if got := s.vaak("enquiry", "list", "--before", c[1]); got != "" {
		t.Errorf("before the time of the only line the list is %q", got)
	}
}

func (s *server) showsEnquiry(t *testing.T, id string, form map[string]string) {
	shown := s.vaak("enquiry", "show", id)
	calm(t, shown)
	if got := strings.Count("\n"+shown, "\nid\t"); got != 1 {
		t.Errorf("%d lines are called id, want the true one alone:\n%s", got, shown)
	}
	for _, want := range []string{"id\t" + id, "consent\trest", "intent\tsample", "dataset\thindi-calls", "email\tasha@example.org", "company\tLab of Asha", "message\tFirst line."} {
		if !strings.Contains("\n"+shown+"\n", "\n"+want+"\n") {
			t.Errorf("there is no line %q in\n%s", want, shown)
		}
	}
	if field(shown, "mail", 2) != "operator" || field(shown, "mail", 3) != "delivered" || field(shown, "journal", 2) != "sent" {
		t.Errorf("mail and journal are not as they should:\n%s", shown)
	}
	text := s.vaak("enquiry", "show", id, "--json")
	calm(t, text)
	var f fileJSON
	if err := json.Unmarshal([]byte(text), &f); err != nil || f.ID != id || f.Email != form["email"] || len(f.Mails) != 1 || len(f.Journal) != 1 || f.Releases == nil {
		t.Errorf("as JSON it is %+v, %v", f, err)
	}
	if !strings.Contains(f.Message, "\u0915\u094d\u200d\u0937") || !strings.Contains(f.Message, "enq_forged") {
		t.Errorf("the message is %q, which is not what was typed", f.Message)
	}
	if !strings.Contains(f.Mails[0].Text, "First line.") {
		t.Errorf("the mail is %q", f.Mails[0].Text)
	}
}

// showsHostile shows what the service would not have taken, but the database holds.
func (s *server) showsHostile(t *testing.T, id string) {
	onDatabase(t, filepath.Join(s.dir, "vaak.db"),
		`UPDATE enquiries SET name = 'Asha' || char(27) || '[2J' || char(10) || 'id' || char(9) || 'enq_forged', company = char(8238, 155, 7),
			message = 'First line.' || char(13, 10, 27) || ']0;x' || char(7, 8232) || 'id' || char(9, 10) || 'id' || char(9)`,
		`UPDATE enquiry_mails SET problem = char(27) || '[2J' || char(10) || 'id' || char(9)`)
	for _, args := range [][]string{{"list"}, {"show", id}, {"show", id, "--json"}} {
		text := s.vaak(append([]string{"enquiry"}, args...)...)
		calm(t, text)
		if got := strings.Count("\n"+text, "\nid\t"); args[0] == "show" && len(args) == 2 && got != 1 || args[0] == "list" && strings.Count(text, "\t") != 9 {
			t.Errorf("vaak enquiry %q has %d lines called id, or forged columns:\n%s", args, got, text)
		}
	}
}

func (s *server) refusesRelease(t *testing.T, id string) {
	other := s.accepted(question("ravi@example.org", "How many hours?"))
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"show", "enq_none"}, 1, "enq_none"},
		{[]string{"show", "\x1b[2J"}, 1, `\x1b`},
		{[]string{"retry", "mail_none"}, 1, "mail_none"},
		{[]string{"release", id}, 2, "--public-url"},
		{[]string{"release", id, "--public-url", "data.example.org"}, 2, "public-url"},
		{[]string{"release", id, "--public-url", s.public, "--for", "0s"}, 2, "--for"},
		{[]string{"release", id, "--public-url", s.public, "--for=-1h"}, 2, "for"},
		{[]string{"release", id, "--public-url", s.public, "--for", "2161h"}, 2, "for"},
		{[]string{"release", id, "--public-url", s.public, "--downloads", "101"}, 2, "downloads"},
		{[]string{"release", id, "--public-url", s.public, "--licence", "/dev/null"}, 2, "licence"},
		{[]string{"release", id, "--public-url", s.public, "--licence", "/dev/zero"}, 2, "licence"},
		{[]string{"release", other, "--public-url", s.public}, 1, other},
		{[]string{"release", "enq_none", "--public-url", s.public}, 1, "enq_none"},
		{[]string{"list", "--limit", "0"}, 2, "1 to 1000"},
		{[]string{"list", "--limit", "1001"}, 2, "1 to 1000"},
		{[]string{"list", "--before", "yesterday"}, 2, "yesterday"},
		{[]string{"purge", "--keep-enquiries", "0s"}, 2, "72h"},
		{[]string{"purge", "--before", "2999-01-01T00:00:00Z"}, 2, "future"},
		{[]string{"purge", "--before", "2999-01-01T00:00:00Z", "--dry-run"}, 2, "future"},
		{[]string{"purge", "enq_none"}, 1, "enq_none"},
		{[]string{"purge", id, "--dry-run"}, 2, "--dry-run"},
	} {
		status, said := s.fails(append([]string{"enquiry"}, tt.args...)...)
		if status != tt.status || strings.Count(said, "\n") != 1 || !strings.Contains(said, tt.want) {
			t.Errorf("vaak enquiry %q = %d %q, want %d and a line with %q", tt.args, status, said, tt.status, tt.want)
		}
		calm(t, said)
	}
}

func (s *server) releasesSample(t *testing.T, id string, mails *mailServer) {
	licence := filepath.Join(t.TempDir(), "licence.txt")
	if err := os.WriteFile(licence, []byte("You may listen to it.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := s.vaak("enquiry", "release", id, "--public-url", s.public, "--licence", licence, "--downloads", "2")
	if !strings.HasPrefix(link, s.public+"/enquiry/sample/rel_") || strings.Contains(link, "\n") {
		t.Fatalf("the link is %q", link)
	}
	soon(t, "the mail with the link", func() bool { return len(mails.to("asha@example.org")) == 1 })
	// Nobody told the command which addresses the server has.
	m := mails.to("asha@example.org")[0]
	if !strings.Contains(m.text, link) || m.from != testFrom || m.header.Get("Reply-To") != "<"+testOperator+">" {
		t.Errorf("the mail is\n%s\nwant %s in it", m.raw, link)
	}
	at := strings.TrimPrefix(link, s.public)
	for range 5 { // what opens links before people do
		if a := s.fetch(http.MethodGet, at); a.status != http.StatusOK || !strings.Contains(a.body, "You may listen to it.") {
			t.Errorf("%s = %d %.300s", a.what, a.status, a.body)
		}
	}
	if a := s.download(at, ""); a.status != http.StatusBadRequest {
		t.Errorf("without a tick %s = %d, want 400", a.what, a.status)
	}
	first, second := s.download(at, "yes"), s.download(at, "yes")
	if first.status != http.StatusOK || second.body != first.body || first.header.Get("Content-Type") != "application/zip" {
		t.Fatalf("%s = %d and %d with %d and %d bytes, %.300s", first.what, first.status, second.status, len(first.body), len(second.body), first.body)
	}
	s.checksBundle(t, first.body)
	for _, a := range []answered{s.download(at, "yes"), s.fetch(http.MethodGet, at), s.fetch(http.MethodGet, strings.Replace(at, "rel_", "rel_a", 1))} {
		if a.status != http.StatusNotFound {
			t.Errorf("%s = %d, want 404", a.what, a.status)
		}
	}
	shown := s.vaak("enquiry", "show", id)
	if field(shown, "release", 4) != "2 of 2 downloads" || strings.Count(shown, "\taccepted\t") != 2 {
		t.Errorf("shown is\n%s\nwant both downloads", shown)
	}
	if list := s.vaak("enquiry", "list"); !strings.Contains(list, "\treleased\t") {
		t.Errorf("the list is %q", list)
	}
}

// download sends the form of the page of a sample, as a browser on that page does.
func (s *server) download(at, consent string) answered {
	s.t.Helper()
	return s.sends(at, "application/x-www-form-urlencoded", url.Values{"consent": {consent}}.Encode(), "Origin: "+s.public, "Sec-Fetch-Site: same-origin")
}

func (s *server) checksBundle(t *testing.T, text string) {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := io.Copy(&b, r); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		files[filepath.Base(f.Name)] = b.String()
	}
	if files["LICENCE.txt"] != "You may listen to it.\n" {
		t.Errorf("the licence is %q", files["LICENCE.txt"])
	}
	if want := s.fetch(http.MethodGet, s.record("hindi-calls").Sample.URL).body; files["sample.flac"] != want || want == "" {
		t.Errorf("the audio has %d bytes, want %d", len(files["sample.flac"]), len(want))
	}
	if !strings.Contains(files["segments.csv"], "नमस्ते") {
		t.Errorf("the segments are %.200q", files["segments.csv"])
	}
}

func (s *server) purgesEnquiry(t *testing.T, id string) {
	if got := s.vaak("enquiry", "purge"); got != "0" {
		t.Errorf("a purge of what is two years old = %q, want 0", got)
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	if got := s.vaak("enquiry", "purge", "--before", now, "--dry-run"); got != "2" {
		t.Errorf("a dry run = %q, want 2", got)
	}
	if shown := s.vaak("enquiry", "show", id); !strings.Contains(shown, "asha@") {
		t.Errorf("a dry run deleted:\n%s", shown)
	}
	if got := s.vaak("enquiry", "purge", id); got != "1" {
		t.Errorf("purge of one = %q, want 1", got)
	}
	for _, want := range []string{"1", "0"} {
		if got := s.vaak("enquiry", "purge", "--before", now); got != want {
			t.Errorf("purge = %q, want %s", got, want)
		}
	}
	for _, text := range []string{s.vaak("enquiry", "show", id), s.vaak("enquiry", "show", id, "--json"), s.vaak("enquiry", "list")} {
		if !strings.Contains(text, id) || !strings.Contains(text, "hindi-calls") {
			t.Errorf("id and dataset are gone: %s", text)
		}
		for _, typed := range []string{"asha", "Asha", "Lab of Asha", "First line"} {
			if strings.Contains(text, typed) {
				t.Errorf("%q is left: %s", typed, text)
			}
		}
	}
	if got := s.vaak("enquiry", "purge", "--before", now, "--dry-run"); got != "0" {
		t.Errorf("a dry run after a purge = %q, want 0", got)
	}
	if status, said := s.fails("enquiry", "release", id, "--public-url", s.public); status != 1 || !strings.Contains(said, id) {
		t.Errorf("release of what is purged = %d %q", status, fmt.Sprint(said))
	}
}
