package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestEnquiryOverStdio has an agent on this machine, whose host cannot ask, get a link
// from `vaak mcp`. The server on the same data shows it, sends what the person agreed
// to, and delivers it.
func TestEnquiryOverStdio(t *testing.T) {
	slow(t)
	t.Parallel()
	mails := startMailServer(t)
	s := startCatalogue(t, "", mails.flags(mailConfig(t, ""))...)
	link := s.offered(question("asha@example.org", "How many hours?"))
	at, ours := strings.CutPrefix(link, s.public+"/enquiry/confirm/")
	if !ours || at == "" {
		t.Fatalf("the link is %q", link)
	}
	at = "/enquiry/confirm/" + at
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
	if journal := s.vaak("enquiry", "journal"); !strings.Contains(journal, "\tlinked\t") || field(journal, "journal", 2) != "refused" {
		t.Errorf("the journal is %q, want that a link was given, and then a form without a tick refused", journal)
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
	if strings.Contains(list, "\n") || field(shown, "consent", 1) != "link" {
		t.Errorf("the list is %q, and shown is\n%s\nwant one, by a link", list, shown)
	}
	s.stop()
	noFaults(t, s)
}

// offered calls send_enquiry as an agent does whose host cannot ask, and returns the
// link that it gets.
func (s *server) offered(form map[string]string) string {
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
	cmd := s.command("mcp", "--catalogue", "--public-url", s.public)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("vaak mcp: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		var m struct {
			ID     int
			Result struct {
				StructuredContent struct {
					Link string `json:"confirm_url"`
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err == nil && m.ID == 1 {
			return m.Result.StructuredContent.Link
		}
	}
	s.t.Fatalf("there is no answer in %s", out)
	return ""
}
