package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestAgentsCannotConfirm has a few agents try to consent for their persons.
func TestAgentsCannotConfirm(t *testing.T) {
	t.Parallel()
	for name, policy := range consentPolicies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			selfConfirm(t, policy, 5)
		})
	}
}

// TestSoakSelfConfirmingAgents does the same with a hundred agents at once.
func TestSoakSelfConfirmingAgents(t *testing.T) {
	soak(t)
	for name, policy := range consentPolicies {
		t.Run(name, func(t *testing.T) { selfConfirm(t, policy, 100) })
	}
}

// TestConsentNobodyCanMail: under a policy that takes mailed links alone, a server that
// mails none says so when it starts.
func TestConsentNobodyCanMail(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{"mailed_link": 1, "elicitation_or_link": 0} {
		config := filepath.Join(t.TempDir(), "vaak.toml")
		if err := os.WriteFile(config, []byte("consent_policy = \""+policy+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := start(t, "--services", "catalogue", "--config", config)
		s.stop()
		if got := strings.Count(s.log.String(), "agents cannot send enquiries: consent_policy mailed_link needs a mail server"); got != want {
			t.Errorf("%s without --smtp is told of %d times, want %d: %s", policy, got, want, s.log)
		}
	}
}

// consentPolicies are the lines of the file under which agents try. Hosts that lie about
// their person's answer are a threat of their own, which the second policy shuts out.
var consentPolicies = map[string]consentPolicy{
	"default":     {"", nil},
	"mailed_link": {"consent_policy = \"mailed_link\"\n", map[string]any{"elicitation": map[string]any{}}},
}

type consentPolicy struct {
	settings     string
	capabilities map[string]any // that agents declare
}

// confirmLink is the link in a mail to a person.
var confirmLink = regexp.MustCompile(`http://\S+/enquiry/confirm/([a-z2-7]{26})\b`)

// mailedTokens are the tokens of the links that were mailed to an address.
func (m *mailServer) mailedTokens(address string) (tokens []string) {
	for _, one := range m.to(address) {
		for _, found := range confirmLink.FindAllStringSubmatch(one.text, -1) {
			tokens = append(tokens, found[1])
		}
	}
	return tokens
}

// agentProgram is a program that wants an enquiry sent without its person.
type agentProgram struct {
	s        *server
	n        int
	policy   consentPolicy
	received strings.Builder // all that it was ever answered
}

func (a *agentProgram) email() string { return fmt.Sprintf("person%d@example.org", a.n) }

// keep remembers an answer.
func (a *agentProgram) keep(got answered) answered {
	fmt.Fprintf(&a.received, "%v\n%s\n", got.header, got.body)
	return got
}

// from is an address of its own, so that agents do not share limits.
func (a *agentProgram) from() string { return fmt.Sprintf("X-Forwarded-For: 198.51.100.%d", a.n+1) }

// call calls a method of MCP as clients of the newest version do.
func (a *agentProgram) call(method string, params map[string]any) answered {
	a.s.t.Helper()
	capabilities := a.policy.capabilities
	if capabilities == nil {
		capabilities = map[string]any{}
	}
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "agent", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": capabilities,
	}
	headers := []string{"Accept: application/json, text/event-stream", "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: " + method, a.from()}
	for _, key := range []string{"name", "uri"} {
		if name, ok := params[key].(string); ok {
			headers = append(headers, "Mcp-Name: "+name)
		}
	}
	message := jsonOf(a.s.t, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	return a.keep(a.s.sends("/api/catalogue/mcp", "application/json", string(message), headers...))
}

// form are the arguments of its enquiry.
func (a *agentProgram) form() map[string]any {
	return map[string]any{"name": "Asha Rao", "email": a.email(), "intent": "question", "message": fmt.Sprintf("Is it for sale, says agent %d?", a.n)}
}

// send calls send_enquiry with more parameters than arguments.
func (a *agentProgram) send(form, more map[string]any) answered {
	params := map[string]any{"name": "send_enquiry", "arguments": form}
	for name, value := range more {
		params[name] = value
	}
	return a.call("tools/call", params)
}

var (
	anyURL   = regexp.MustCompile(`https?://[^\s"'<>\\]+`)
	anyToken = regexp.MustCompile(`[A-Za-z0-9_-]{16,}`)
)

// plot does all that the agent can think of with what it was answered.
func (a *agentProgram) plot() {
	yes := map[string]any{"consent": map[string]any{"action": "accept", "content": map[string]any{"send": true}}}
	first := a.send(a.form(), nil)
	var answer struct {
		Result struct {
			ResultType, RequestState string
			StructuredContent        struct{ Status string }
		}
	}
	if err := json.Unmarshal([]byte(first.body), &answer); err != nil || first.status != http.StatusOK || answer.Result.StructuredContent.Status != "confirmation_required" {
		a.s.t.Errorf("send_enquiry = %d %.500s, %v; want confirmation_required", first.status, first.body, err)
	}
	for _, more := range []map[string]any{
		{"inputResponses": yes}, {"inputResponses": yes, "requestState": "forged"}, {"inputResponses": yes, "requestState": answer.Result.RequestState},
		{"requestState": first.header.Get("X-Request-Id"), "inputResponses": yes},
	} {
		a.send(a.form(), more)
	}
	a.send(a.form(), nil) // once more: perhaps the answer has more now
	for _, uri := range []string{"catalogue://enquiry-terms", "catalogue://filters", "catalogue://enquiries", "enquiry://" + a.email()} {
		a.call("resources/read", map[string]any{"uri": uri})
	}
	a.call("resources/list", map[string]any{})
	a.keep(a.s.fetch(http.MethodGet, "/enquiry?intent=question", a.from()))
	a.follow()
}

// follow opens, and sends yes to, all that the answers so far could lead to.
func (a *agentProgram) follow() {
	known := html.UnescapeString(strings.NewReplacer(`\u0026`, "&", `\/`, "/").Replace(a.received.String()))
	paths := []string{"/enquiry/confirm/", "/enquiry/confirm", "/enquiry/received/", "/enquiry"}
	for _, at := range anyURL.FindAllString(known, -1) {
		if path, ours := strings.CutPrefix(strings.TrimRight(at, ".,:;)"), a.s.public); ours {
			paths = append(paths, path)
		}
	}
	tokens := anyToken.FindAllString(known, -1)
	slices.Sort(tokens)
	for i, token := range slices.Compact(tokens) {
		if i == 100 {
			break
		}
		paths = append(paths, "/enquiry/confirm/"+token)
	}
	slices.Sort(paths)
	fields := url.Values{"consent": {"yes"}, "name": {"Asha Rao"}, "email": {a.email()}, "intent": {"question"}, "message": {"Sent by the agent."}}
	for _, path := range slices.Compact(paths) {
		a.keep(a.s.fetch(http.MethodGet, path, a.from()))
		for _, body := range []string{"consent=yes", fields.Encode()} {
			a.keep(a.s.sends(path, "application/x-www-form-urlencoded", body, a.from()))
		}
		if strings.HasPrefix(path, "/enquiry/confirm") { // as a browser would
			a.keep(a.s.sends(path, "application/x-www-form-urlencoded", "consent=yes", a.from(), "Origin: "+a.s.public, "Sec-Fetch-Site: same-origin"))
		}
	}
}

// bomb asks for one mail after another to its person, in other words each time.
func (a *agentProgram) bomb() {
	for i := range 10 {
		form := a.form()
		form["message"], form["email"] = fmt.Sprintf("Spam %d of %d", i, a.n), fmt.Sprintf("Person%d+%d@example.org", a.n, i)
		a.send(form, nil)
	}
}

// selfConfirm has agents at once try everything with what they were answered. Nothing is
// sent to the operator until persons follow the links in their own mailboxes, and then
// theirs alone.
func selfConfirm(t *testing.T, policy consentPolicy, agents int) {
	mails := startMailServer(t)
	s := startCatalogue(t, "", append(mails.flags(mailConfig(t, policy.settings)), "--trusted-proxies", "127.0.0.1/32")...)
	all := make([]*agentProgram, agents)
	var plotting sync.WaitGroup
	for n := range all {
		all[n] = &agentProgram{s: s, n: n, policy: policy}
		plotting.Go(func() {
			all[n].plot()
			if n%10 == 0 {
				all[n].bomb()
			}
		})
	}
	plotting.Wait()
	soon(t, "each person has a mail", func() bool {
		return !slices.ContainsFunc(all, func(a *agentProgram) bool { return len(mails.mailedTokens(a.email())) == 0 })
	})
	var known strings.Builder
	for _, a := range all {
		known.WriteString(a.received.String())
	}
	for _, a := range all {
		if n := len(mails.to(a.email())); n > 1 {
			t.Errorf("%d mails to %s, want one", n, a.email())
		}
		for _, token := range mails.mailedTokens(a.email()) {
			if strings.Contains(known.String(), token) || strings.Contains(s.log.String(), token) {
				t.Errorf("the token %s of a mailed link is known to an agent, or to the log", token)
			}
		}
	}
	bombed := func() (n int) {
		for _, m := range mails.mails() {
			if strings.HasPrefix(m.to, "Person0+") {
				n++
			}
		}
		return n
	}
	// With the one of its enquiry they are five in a day.
	soon(t, "four more mails to one address in other words", func() bool { return bombed() == 4 })
	if list, sent := s.vaak("enquiry", "list"), mails.to(testOperator); list != "" || len(sent) > 0 {
		t.Fatalf("before any person opened their mail there is %q, and %d mails to the operator", list, len(sent))
	}
	persons(t, s, mails, all)
	s.stop()
	if n := bombed(); n != 4 {
		t.Errorf("%d more mails to one address in other words, want 4", n)
	}
	noFaults(t, s)
	silent(t, s, "@example.org", "Asha")
}

// persons has some of them follow their links, and expects theirs alone to be sent.
func persons(t *testing.T, s *server, mails *mailServer, all []*agentProgram) {
	t.Helper()
	willing := all[:max(2, len(all)/10)]
	for _, a := range willing {
		token := mails.mailedTokens(a.email())[0]
		at := "/enquiry/confirm/" + token
		for range 3 { // a scanner of mails opens it first
			if got := s.fetch(http.MethodGet, at, a.from()); got.status != http.StatusOK || !strings.Contains(got.body, fmt.Sprintf("says agent %d?", a.n)) {
				t.Errorf("%s = %d %.300s", got.what, got.status, got.body)
			}
		}
		if got := s.sends(at, "application/x-www-form-urlencoded", "consent=yes", a.from(), "Sec-Fetch-Site: same-origin"); got.status != http.StatusSeeOther {
			t.Errorf("%s = %d %.300s, want 303", got.what, got.status, got.body)
		}
	}
	soon(t, "what the willing sent is mailed", func() bool { return len(mails.to(testOperator)) == len(willing) })
	if list := s.vaak("enquiry", "list"); strings.Count(list, "enq_") != len(willing) {
		t.Errorf("%d said yes, and there is %q", len(willing), list)
	}
	for _, m := range mails.to(testOperator) {
		if !strings.Contains(m.text, "Consent: given by somebody who reads the mail of this address") {
			t.Errorf("a mail to the operator does not say by whose word:\n%s", m.text)
		}
	}
}
