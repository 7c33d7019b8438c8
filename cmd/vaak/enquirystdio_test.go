package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestLengthyEnquiryOverStdio has an agent on this machine, whose host cannot ask, call
// `vaak mcp`. The server on the same data mails a link to the person, shows what waits
// there, sends what the person agreed to, and delivers it.
func TestLengthyEnquiryOverStdio(t *testing.T) {
	slow(t)
	t.Parallel()
	mails := startMailServer(t)
	config := mailConfig(t, "smtp = \"smtp://"+mails.addr+"\"\n")
	s := startCatalogue(t, "", "--config", config, "--smtp-allow-plaintext")
	form := question("asha@example.org", "How many hours?")
	if got := s.offered(form); got.Form != s.public+"/enquiry?intent=question" || got.Expires != "" {
		t.Errorf("without a word of a mail server, send_enquiry = %+v, want the form", got)
	}
	if got := s.offered(form, "--config", config); got.Form != "" || got.Expires == "" {
		t.Errorf("send_enquiry = %+v, want a mail to the person", got)
	}
	soon(t, "the mail to the person", func() bool { return len(mails.mailedTokens("asha@example.org")) == 1 })
	at := "/enquiry/confirm/" + mails.mailedTokens("asha@example.org")[0]
	if a := s.fetch(http.MethodGet, at); a.status != http.StatusOK || !strings.Contains(a.body, "How many hours?") {
		t.Errorf("%s = %d %.300s", a.what, a.status, a.body)
	}
	confirm := func(consent string) answered {
		return s.sends(at, "application/x-www-form-urlencoded", url.Values{"consent": {consent}}.Encode(), "Origin: "+s.public, "Sec-Fetch-Site: same-origin")
	}
	if a := confirm(""); a.status != http.StatusBadRequest {
		t.Errorf("without a tick %s = %d, want 400", a.what, a.status)
	}
	if list := s.vaak("enquiry", "list"); list != "" {
		t.Fatalf("before the person agreed there is %q", list)
	}
	if journal := s.vaak("enquiry", "journal"); !strings.Contains(journal, "\tmailed\t") || field(journal, "journal", 2) != "refused" {
		t.Errorf("the journal is %q, want that a link was mailed, and then a form without a tick refused", journal)
	}
	for range 2 {
		if a := confirm("yes"); a.status != http.StatusSeeOther {
			t.Errorf("%s = %d %.300s, want 303", a.what, a.status, a.body)
		}
	}
	soon(t, "the mail", func() bool { return len(mails.to(testOperator)) == 1 })
	soon(t, "it is delivered", func() bool { return strings.Contains(s.vaak("enquiry", "list"), "\t0\t1\t0\t") })
	list := s.vaak("enquiry", "list")
	shown := s.vaak("enquiry", "show", strings.Split(list, "\t")[0])
	if strings.Contains(list, "\n") || field(shown, "consent", 1) != "mailed_link" {
		t.Errorf("the list is %q, and shown is\n%s\nwant one, by a mailed link", list, shown)
	}
	s.stop()
	noFaults(t, s)
}

// offer is what an agent is told when nothing is sent.
type offer struct {
	Form    string `json:"form_url"`
	Expires string `json:"expires_at"`
}

// offered calls send_enquiry as an agent does whose host cannot ask, and returns what it
// gets.
func (s *server) offered(form map[string]string, flags ...string) offer {
	s.t.Helper()
	var in bytes.Buffer
	for _, m := range []map[string]any{
		{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "test", "version": "1"},
		}},
		{"jsonrpc": "2.0", "method": "notifications/initialized"},
		{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": "send_enquiry", "arguments": form}},
	} {
		in.Write(append(jsonOf(s.t, m), '\n'))
	}
	cmd := s.command(append([]string{"mcp", "--catalogue", "--public-url", s.public}, flags...)...)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("vaak mcp: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		var m struct {
			ID     int
			Result struct {
				StructuredContent offer
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err == nil && m.ID == 1 {
			return m.Result.StructuredContent
		}
	}
	s.t.Fatalf("there is no answer in %s", out)
	return offer{}
}
