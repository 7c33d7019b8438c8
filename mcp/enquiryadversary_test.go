package mcp_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/internal/seal"
)

// attack is something that must not send an enquiry. It gets the arguments of an
// enquiry that no other attack uses.
type attack struct {
	name string
	run  func(t *testing.T, w takesEnquiries, args map[string]any)
}

// TestAdversarialEnquiries has agents and their hosts try to send an enquiry without
// the person's consent. After each attempt nothing is sent, and the journal knows of
// it. At the end consent sends, by the same ways.
func TestAdversarialEnquiries(t *testing.T) {
	t.Parallel()
	calls := 0
	for policy, attacks := range map[enquiry.Policy][]attack{
		enquiry.ElicitationOrLink: concat(stateAttacks(), changeAttacks(), answerAttacks(), strayAnswers(), refusedTokens(), declinedAttacks(), hiddenAttacks()),
		enquiry.AllowAttested:     concat(tokenAttacks(), declinedAttacks()),
	} {
		w := newEnquiries(t, policy)
		for i, a := range attacks {
			before := w.noted()
			args := form("message", fmt.Sprintf("Attempt %d under %s.", i, policy))
			a.run(t, w, args)
			if n := len(w.Sent); n != 0 {
				t.Fatalf("%s: %d enquiries are sent, want none: %+v", a.name, n, w.Sent[0].Enquiry)
			}
			if w.noted() == before {
				t.Errorf("%s: the journal knows nothing of it", a.name)
			}
			if len(w.Letters) > 0 {
				t.Errorf("%s: %d mails", a.name, len(w.Letters))
			}
		}
		calls += len(attacks)
		control(t, w)
	}
	t.Logf("%d attempts", calls)
	if calls < 200 {
		t.Errorf("%d attempts, want at least 200", calls)
	}
}

func concat(all ...[]attack) (out []attack) {
	for _, some := range all {
		out = append(out, some...)
	}
	return out
}

// noted counts what the journal was told.
func (w takesEnquiries) noted() (n int) {
	for _, e := range w.Journal {
		n += max(e.Times, 1)
	}
	return n
}

// control has people consent, which sends.
func control(t *testing.T, w takesEnquiries) {
	t.Helper()
	accept := says(`{"action":"accept","content":{"send":true}}`)
	for i, send := range []func(args map[string]any) outcome{
		func(args map[string]any) outcome {
			return outcomeOf(t, w.modern(t, args, `{}`, retry{w.ask(t, args), yes}))
		},
		func(args map[string]any) outcome {
			return w.legacy(t, "2025-06-18", `{"elicitation":{}}`).call(args, accept)
		},
		func(args map[string]any) outcome {
			return w.overStdio(t, "2025-11-25", `{"elicitation":{}}`, args, accept)
		},
	} {
		if o := send(form("message", fmt.Sprintf("I agree %d.", i))); o.Status != "sent" || len(w.Sent) != i+1 {
			t.Errorf("consent %d = %s, %d are sent", i, o.StructuredContent, len(w.Sent))
		}
	}
}

// say retries a call with a state and a yes.
func (w takesEnquiries) say(t *testing.T, args map[string]any, state string) {
	t.Helper()
	w.modern(t, args, `{}`, retry{state, yes})
}

// stateAttacks say yes with states that were not given out for the enquiry.
func stateAttacks() (all []attack) {
	spoil := func(name string, how func(state string) string) {
		all = append(all, attack{"state " + name, func(t *testing.T, w takesEnquiries, args map[string]any) {
			w.say(t, args, how(w.ask(t, args)))
		}})
	}
	for _, s := range []string{" ", "x", "null", "{}", "true", "consent", "1.AAAA", "..", "\u202e", strings.Repeat("A", 100), strings.Repeat("A", 100_000), base64.RawURLEncoding.EncodeToString([]byte(`{"t":"a","c":"b","a":1}`))} {
		spoil(fmt.Sprintf("made up: %.20q", s), func(string) string { return s })
	}
	for i := range 12 {
		spoil(fmt.Sprintf("cut at %d", i), func(s string) string { return s[:len(s)*i/12] })
		spoil(fmt.Sprintf("without its first %d", i+1), func(s string) string { return s[i+1:] })
	}
	for i := range 40 {
		spoil(fmt.Sprintf("changed at %d", i), func(s string) string {
			b := []byte(s)
			at := i * (len(b) - 1) / 39
			if at == len(b)-1 {
				at-- // the last character may hold bits that stand for nothing
			}
			if b[at]++; b[at] > 'z' {
				b[at] = 'a'
			}
			return string(b)
		})
	}
	for _, extra := range []string{"A", "=", "AAAA", "."} {
		spoil("longer by "+extra, func(s string) string { return s + extra })
		spoil("after "+extra, func(s string) string { return extra + s })
	}
	for _, key := range []*seal.Key{
		seal.New([]byte(strings.Repeat("z", seal.MinBytes))).For("enquiry state"),
		seal.New([]byte(strings.Repeat("k", seal.MinBytes))).For("enquiry attestation"),
		seal.New([]byte(strings.Repeat("k", seal.MinBytes))).For("cursor"),
	} {
		spoil("sealed by another key", func(string) string {
			return key.Seal(fmt.Appendf(nil, `{"t":"abc","c":"","a":%d}`, time.Now().Unix()))
		})
	}
	spoil("sealed by the key, of no enquiry", func(string) string {
		return seal.New([]byte(strings.Repeat("k", seal.MinBytes))).For("enquiry state").Seal(fmt.Appendf(nil, `{"t":"abc","c":"","a":%d}`, time.Now().Unix()))
	})
	for _, late := range []time.Duration{20*time.Minute + 2*time.Second, time.Hour, 24 * time.Hour, 400 * 24 * time.Hour, -time.Hour} {
		all = append(all, attack{fmt.Sprintf("state %s later", late), func(t *testing.T, w takesEnquiries, args map[string]any) {
			state := w.ask(t, args)
			w.ahead.Store(int64(late))
			w.say(t, args, state)
			w.ahead.Store(0)
		}})
	}
	return append(all, attack{"the mailed link in place of a state", func(t *testing.T, w takesEnquiries, args map[string]any) {
		w.modern(t, args, "", retry{})
		link := w.LastLink(w.service)
		w.say(t, args, link)
		w.say(t, args, link[strings.LastIndexByte(link, '/')+1:])
	}})
}

// changeAttacks have the person agree to one enquiry, and send another.
func changeAttacks() (all []attack) {
	change := func(field, was, is string) {
		all = append(all, attack{fmt.Sprintf("%s %q sent as %q", field, was, is), func(t *testing.T, w takesEnquiries, args map[string]any) {
			args = changed(args, field, was)
			w.say(t, changed(args, field, is), w.ask(t, args))
		}})
	}
	lines := map[string]string{"name": "Asha Rao", "company": "Rao Labs", "message": "Please quote. We have a budget of 5.", "agent": "Scout Ja"}
	for field, was := range lines {
		for _, is := range []string{
			"Somebody else", strings.ToUpper(was), strings.ToLower(was), strings.Replace(was, " ", "  ", 1), strings.Replace(was, " ", "\u00a0", 1),
			strings.Replace(was, " ", "\t", 1), strings.Replace(was, "a", "\u0430", 1), strings.Replace(was, "a", "\uff41", 1), strings.Replace(was, "a", "a\u200d", 1),
			strings.Replace(was, "a", "a\u00ad", 1), strings.Replace(was, "a", "a\u0301", 1), strings.Replace(was, "a", "\u200ba", 1), "\u202e" + was, was + ".", "",
		} {
			change(field, was, is)
		}
	}
	for _, is := range []string{"eve@example.org", "ASHA@example.org", "asha@EXAMPLE.org", "asha+x@example.org", "\u0430sha@example.org", "asha@ex\u0430mple.org", "asha @example.org", "asha@example.org,eve@example.org", "asha@example.org\r\nBcc: eve@example.org", "Eve <eve@example.org>"} {
		change("email", "asha@example.org", is)
	}
	for _, is := range []string{"sample", "collection", "question", "QUOTE", "Quote", "quot\u0435"} {
		change("intent", "quote", is)
	}
	for _, is := range []string{typical()[1].Slug, "", strings.ToUpper(typical()[0].Slug), typical()[0].Slug + "-2", "no-such"} {
		change("dataset", typical()[0].Slug, is)
	}
	all = append(all, attack{"two enquiries, each with the state of the other", func(t *testing.T, w takesEnquiries, args map[string]any) {
		other := changed(args, "message", args["message"].(string)+" And another.")
		one, two := w.ask(t, args), w.ask(t, other)
		w.say(t, args, two)
		w.say(t, other, one)
	}})
	change("message", "One line.", "One\nline.")
	change("message", "cafe\u0301", "caf\u00e9")
	return all
}

// changed are arguments with another value of one.
func changed(args map[string]any, field, value string) map[string]any {
	out := maps.Clone(args)
	out[field] = value
	return out
}

// notYes is what hosts answer that is no consent.
var notYes = []string{
	`{"action":"accept"}`, `{"action":"accept","content":null}`, `{"action":"accept","content":{}}`, `{"action":"accept","content":{"send":false}}`,
	`{"action":"accept","content":{"send":"true"}}`, `{"action":"accept","content":{"send":"yes"}}`, `{"action":"accept","content":{"send":"on"}}`,
	`{"action":"accept","content":{"send":1}}`, `{"action":"accept","content":{"send":0}}`, `{"action":"accept","content":{"send":1.0}}`, `{"action":"accept","content":{"send":null}}`,
	`{"action":"accept","content":{"send":[true]}}`, `{"action":"accept","content":{"send":{"send":true}}}`, `{"action":"accept","content":{"send":{}}}`,
	`{"action":"accept","content":{"Send":true}}`, `{"action":"accept","content":{"SEND":true}}`, `{"action":"accept","content":{"send ":true}}`, `{"action":"accept","content":{"s\u0435nd":true}}`,
	`{"action":"accept","content":{"confirm":true}}`, `{"action":"accept","content":{"consent":{"send":true}}}`, `{"action":"accept","content":[{"send":true}]}`,
	`{"action":"accept","content":"{\"send\":true}"}`, `{"action":"accept","content":true}`, `{"action":"accept","send":true}`, `{"action":"accept","Content":{"send":true}}`,
	`{"action":"Accept","content":{"send":true}}`, `{"action":"accepted","content":{"send":true}}`, `{"action":"yes","content":{"send":true}}`, `{"action":"","content":{"send":true}}`,
	`{"action":null,"content":{"send":true}}`, `{"action":true,"content":{"send":true}}`, `{"action":["accept"],"content":{"send":true}}`, `{"ACTION":"accept","content":{"send":true}}`,
	`{"content":{"send":true}}`, `{"send":true}`, `{"action":"decline","content":{"send":true}}`, `{"action":"cancel","content":{"send":true}}`, `{"action":"decline"}`, `{"action":"cancel"}`,
	`{}`, `null`, `true`, `"accept"`, `[]`, `[{"action":"accept","content":{"send":true}}]`, `{"result":{"action":"accept","content":{"send":true}}}`,
}

// twice are answers with a member that stands there twice. Over HTTP their message is
// refused as a whole.
var twice = []string{
	`{"action":"decline","action":"accept","content":{"send":true}}`, `{"action":"accept","content":{"send":false},"content":{"send":true}}`,
	`{"action":"accept","content":{"send":false,"send":true}}`, `{"action":"accept","content":{"send":true,"send":false}}`,
}

// answerAttacks answer a question that was asked with what is no consent.
func answerAttacks() (all []attack) {
	for _, answer := range notYes {
		all = append(all, attack{"2026-07-28 answers " + answer, func(t *testing.T, w takesEnquiries, args map[string]any) {
			w.modern(t, args, `{}`, retry{w.ask(t, args), `{"consent":` + answer + `}`})
		}}, attack{"2025-06-18 answers " + answer, func(t *testing.T, w takesEnquiries, args map[string]any) {
			w.legacy(t, "2025-06-18", `{"elicitation":{}}`).call(args, says(answer))
		}})
	}
	for _, answer := range append(twice, notYes...) {
		all = append(all, attack{"stdio answers " + answer, func(t *testing.T, w takesEnquiries, args map[string]any) {
			w.overStdio(t, "2025-06-18", `{"elicitation":{}}`, args, says(answer))
		}})
	}
	for _, answer := range twice {
		all = append(all, attack{"2026-07-28 answers " + answer, func(t *testing.T, w takesEnquiries, args map[string]any) {
			w.modern(t, args, `{}`, retry{w.ask(t, args), `{"consent":` + answer + `}`})
		}}, attack{"2026-07-28 over stdio answers " + answer, func(t *testing.T, w takesEnquiries, args map[string]any) {
			state, params := w.ask(t, args), `{"consent":`+answer+`}`
			message := strings.Replace(modernEnquiry(1, args, `{}`, retry{state, `"HERE"`}), `"HERE"`, params, 1)
			askCatalogue(t, w.tools, message)
		}})
	}
	return all
}

// strayAnswers answer what was not asked, or not under its name.
func strayAnswers() (all []attack) {
	for _, answers := range []string{yes, `{"other":{"action":"accept","content":{"send":true}}}`, `{"Consent":{"action":"accept","content":{"send":true}}}`, `{"":{"action":"accept","content":{"send":true}}}`, `{}`, `null`, `[]`, `"yes"`, `{"action":"accept","content":{"send":true}}`} {
		for _, capability := range []string{``, `{}`} {
			all = append(all, attack{fmt.Sprintf("no state, answers %s, elicitation %q", answers, capability), func(t *testing.T, w takesEnquiries, args map[string]any) {
				w.modern(t, args, capability, retry{})
				w.modern(t, args, capability, retry{answers: answers})
			}})
		}
		if answers == yes {
			continue
		}
		all = append(all, attack{"a state, answers " + answers, func(t *testing.T, w takesEnquiries, args map[string]any) {
			w.modern(t, args, `{}`, retry{w.ask(t, args), answers})
		}})
	}
	return append(all, attack{"a state alone", func(t *testing.T, w takesEnquiries, args map[string]any) {
		w.modern(t, args, `{}`, retry{state: w.ask(t, args)})
	}}, attack{"an older client that says yes in its first call", func(t *testing.T, w takesEnquiries, args map[string]any) {
		post(t, w.url, encodeJSON(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
			"name": "send_enquiry", "arguments": args, "inputResponses": json.RawMessage(yes), "requestState": "forged"}}), nil)
	}}, attack{"another tool's call", func(t *testing.T, w takesEnquiries, args map[string]any) {
		state := w.ask(t, args)
		post(t, w.url, encodeJSON(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
			"name": "get_dataset", "arguments": map[string]any{"slug": args["dataset"]}, "inputResponses": json.RawMessage(yes), "requestState": state}}), nil)
	}})
}

// refusedTokens attest where the operator does not allow it.
func refusedTokens() (all []attack) {
	for _, name := range []string{"the state", "the end of the mailed link", "made up"} {
		all = append(all, attack{"token: " + name, func(t *testing.T, w takesEnquiries, args map[string]any) {
			w.modern(t, args, "", retry{})
			link := w.LastLink(w.service)
			token := map[string]string{"the state": w.ask(t, args), "the end of the mailed link": link[strings.LastIndexByte(link, '/')+1:], "made up": "yes"}[name]
			w.modern(t, changed(args, "confirmation_token", token), "", retry{})
		}})
	}
	return append(all, attack{"token of a server that allows it", func(t *testing.T, w takesEnquiries, args map[string]any) {
		token := outcomeOf(t, newEnquiries(t, enquiry.AllowAttested).modern(t, args, "", retry{})).Token
		w.modern(t, changed(args, "confirmation_token", token), "", retry{})
		if _, err := w.service.Advance(t.Context(), enquiry.Source{}, enquiry.Form{Name: "A", Email: "asha@example.org", Intent: "quote"}, enquiry.AgentInput{Token: token}); err != nil {
			t.Error(err)
		}
	}})
}

// tokenAttacks attest with tokens that are not those of the enquiry, where the operator
// allows attestation.
func tokenAttacks() (all []attack) {
	spoil := func(name string, how func(token string) string) {
		all = append(all, attack{"token " + name, func(t *testing.T, w takesEnquiries, args map[string]any) {
			token := outcomeOf(t, w.modern(t, args, "", retry{})).Token
			w.modern(t, changed(args, "confirmation_token", how(token)), "", retry{})
		}})
	}
	for _, s := range []string{" ", "x", "true", strings.Repeat("A", 1000)} {
		spoil(fmt.Sprintf("made up: %.9q", s), func(string) string { return s })
	}
	for i := range 8 {
		spoil(fmt.Sprintf("cut at %d", i), func(s string) string { return s[:len(s)*i/8] })
		spoil(fmt.Sprintf("changed at %d", i), func(s string) string {
			b := []byte(s)
			if b[i*len(b)/8]++; b[i*len(b)/8] > 'z' {
				b[i*len(b)/8] = 'a'
			}
			return string(b)
		})
	}
	for field, is := range map[string]string{"name": "Eve", "email": "eve@example.org", "company": "", "intent": "sample", "dataset": "", "message": "Other.", "agent": "Other"} {
		all = append(all, attack{"token with another " + field, func(t *testing.T, w takesEnquiries, args map[string]any) {
			token := outcomeOf(t, w.modern(t, args, "", retry{})).Token
			w.modern(t, changed(changed(args, "confirmation_token", token), field, is), "", retry{})
		}})
	}
	return append(all, attack{"token too late", func(t *testing.T, w takesEnquiries, args map[string]any) {
		token := outcomeOf(t, w.modern(t, args, "", retry{})).Token
		w.ahead.Store(int64(time.Hour))
		w.modern(t, changed(args, "confirmation_token", token), "", retry{})
		w.ahead.Store(0)
	}}, attack{"token in place of a state", func(t *testing.T, w takesEnquiries, args map[string]any) {
		w.say(t, args, outcomeOf(t, w.modern(t, args, "", retry{})).Token)
	}}, attack{"state in place of a token", func(t *testing.T, w takesEnquiries, args map[string]any) {
		w.modern(t, changed(args, "confirmation_token", w.ask(t, args)), "", retry{})
	}}, attack{"token after a decline", func(t *testing.T, w takesEnquiries, args map[string]any) {
		token := outcomeOf(t, w.modern(t, args, "", retry{})).Token
		w.modern(t, args, `{}`, retry{w.ask(t, args), `{"consent":{"action":"decline"}}`})
		w.modern(t, changed(args, "confirmation_token", token), "", retry{})
	}})
}

// declinedAttacks go on after the person said no.
func declinedAttacks() (all []attack) {
	const no = `{"consent":{"action":"decline"}}`
	for field, is := range map[string]string{"name": "Eve", "company": "", "agent": "Other", "email": "ASHA@Example.org"} {
		all = append(all, attack{"another " + field + " after a decline", func(t *testing.T, w takesEnquiries, args map[string]any) {
			w.modern(t, args, `{}`, retry{w.ask(t, args), no})
			args = changed(args, field, is)
			if o := outcomeOf(t, w.modern(t, args, `{}`, retry{})); o.Status != "declined" || o.Token != "" {
				t.Errorf("another %s after a decline: %s", field, o.StructuredContent)
			}
			if o := w.legacy(t, "2025-11-25", `{"elicitation":{}}`).call(args, says(`{"action":"accept","content":{"send":true}}`)); o.Status != "declined" || len(o.asked) > 0 {
				t.Errorf("another %s after a decline: %d questions, %s", field, len(o.asked), o.StructuredContent)
			}
		}}, attack{"a yes to a question with another " + field + " that was open at the decline", func(t *testing.T, w takesEnquiries, args map[string]any) {
			other := changed(args, field, is)
			open := w.ask(t, other)
			w.modern(t, args, `{}`, retry{w.ask(t, args), no})
			w.say(t, other, open)
		}})
	}
	for _, action := range []string{"decline", "cancel"} {
		for name, spoilt := range map[string]func(w takesEnquiries, t *testing.T, args map[string]any) string{
			"made up": func(takesEnquiries, *testing.T, map[string]any) string { return "x" },
			"changed": func(w takesEnquiries, t *testing.T, args map[string]any) string { return w.ask(t, args)[1:] },
			"of another enquiry": func(w takesEnquiries, t *testing.T, args map[string]any) string {
				return w.ask(t, changed(args, "name", "Eve"))
			},
			"too late": func(w takesEnquiries, t *testing.T, args map[string]any) string {
				defer w.ahead.Store(int64(time.Hour))
				return w.ask(t, args)
			},
		} {
			all = append(all, attack{"a question after a " + action + " with a state that is " + name, func(t *testing.T, w takesEnquiries, args map[string]any) {
				state := spoilt(w, t, args)
				defer w.ahead.Store(0)
				if o := outcomeOf(t, w.modern(t, args, `{}`, retry{state, `{"consent":{"action":"` + action + `"}}`})); o.Status != "cancelled" {
					t.Errorf("a %s with a state that is %s: %s", action, name, o.StructuredContent)
				}
			}})
		}
	}
	return append(all, []attack{{"the same state after a decline", func(t *testing.T, w takesEnquiries, args map[string]any) {
		state := w.ask(t, args)
		w.modern(t, args, `{}`, retry{state, no})
		w.say(t, args, state)
	}}, {"another state after a decline", func(t *testing.T, w takesEnquiries, args map[string]any) {
		one, other := w.ask(t, args), w.ask(t, args)
		w.modern(t, args, `{}`, retry{one, no})
		w.say(t, args, other)
	}}, {"a host that says yes without asking, to what was declined", func(t *testing.T, w takesEnquiries, args map[string]any) {
		c := w.legacy(t, "2025-11-25", `{"elicitation":{}}`)
		c.call(args, says(`{"action":"decline"}`))
		for range 5 {
			if o := c.call(args, says(`{"action":"accept","content":{"send":true}}`)); len(o.asked) > 0 || o.Status != "declined" {
				t.Errorf("after a decline: %d questions, %s", len(o.asked), o.StructuredContent)
			}
		}
	}}, {"a host that closes every question", func(t *testing.T, w takesEnquiries, args map[string]any) {
		for range 5 {
			if o := w.legacy(t, "2025-11-25", `{"elicitation":{}}`).call(args, says(`{"action":"cancel"}`)); o.Status != "cancelled" {
				t.Errorf("closed: %s", o.StructuredContent)
			}
		}
	}}}...)
}
