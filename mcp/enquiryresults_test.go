package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/mcp"
)

// chance is what differs from run to run in the results of send_enquiry.
var chance = regexp.MustCompile(`enq_[a-z2-7]{26}|20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00|"ds_[a-z2-7]+"|"confirmation_token": "[^"]+"`)

// hold compares a result with a golden file, but for what differs each time.
func hold(t *testing.T, name string, o outcome) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, o.StructuredContent, "", " "); err != nil {
		t.Fatal(err)
	}
	text := chance.ReplaceAllStringFunc(o.text()+"\n\n"+b.String()+"\n", func(s string) string {
		switch {
		case strings.HasPrefix(s, "20"):
			return "TIME"
		case strings.HasPrefix(s, `"confirmation`):
			return `"confirmation_token": "TOKEN"`
		}
		return "ID"
	})
	golden(t, "results/"+name+".golden", []byte(text))
}

// TestEnquiryResults keeps what send_enquiry answers, and what it asks, under review.
func TestEnquiryResults(t *testing.T) {
	t.Parallel()
	w, attests := newEnquiries(t, ""), newEnquiries(t, enquiry.AllowAttested)
	failed := newEnquiries(t, "")
	failed.modern(t, form(), "", retry{})
	if err := failed.LinkMails().MailFailed(t.Context(), failed.Links[0].ID, time.Now(), "550", true); err != nil {
		t.Fatal(err)
	}
	q, _ := questionOf(t, w.modern(t, form(), `{}`, retry{}))
	golden(t, "results/enquiry-question.golden", []byte(q.Message+"\n"))
	answer := func(message, action string) outcome {
		args := form("message", message)
		return outcomeOf(t, w.modern(t, args, `{}`, retry{w.ask(t, args), `{"consent":` + action + `}`}))
	}
	waiting := outcomeOf(t, w.modern(t, form("message", "Four."), "", retry{}))
	for name, o := range map[string]outcome{
		"enquiry-sent":            answer("One.", `{"action":"accept","content":{"send":true}}`),
		"enquiry-declined":        answer("Two.", `{"action":"decline"}`),
		"enquiry-cancelled":       answer("Three.", `{"action":"cancel"}`),
		"enquiry-waiting":         waiting,
		"enquiry-waiting-again":   outcomeOf(t, w.modern(t, form("message", "Four."), "", retry{})),
		"enquiry-mail-failed":     outcomeOf(t, failed.modern(t, form(), "", retry{})),
		"enquiry-without-mails":   outcomeOf(t, withoutMails(t).modern(t, form(), "", retry{})),
		"enquiry-without-dataset": outcomeOf(t, w.modern(t, form("intent", "question", "dataset", ""), "", retry{})),
		"enquiry-attested":        outcomeOf(t, attests.modern(t, form(), "", retry{})),
		"enquiry-without-pages":   outcomeOf(t, newEnquiriesAt(t, "", "").modern(t, form(), "", retry{})),
		"enquiry-only-attested":   outcomeOf(t, newEnquiriesAt(t, "", enquiry.AllowAttested).modern(t, form(), "", retry{})),
	} {
		hold(t, name, o)
		tools := w.tools
		if o.Token != "" {
			tools = attests.tools
		}
		conforms(t, validators(t, tools, mcp.HTTP)["send_enquiry"], o.toolResult)
	}
	args := form("message", "One.")
	hold(t, "enquiry-again", outcomeOf(t, w.modern(t, args, `{}`, retry{})))
}

// TestEnquiryTerms reads the terms that a server has.
func TestEnquiryTerms(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]enquiry.Policy{"enquiry-terms": "", "enquiry-terms-mailed": enquiry.MailedLink, "enquiry-terms-attested": enquiry.AllowAttested} {
		var m struct {
			Result struct {
				Contents []struct{ URI, MIMEType, Text string }
			}
		}
		answer := askCatalogue(t, newEnquiries(t, policy).tools, read("catalogue://enquiry-terms"))[0]
		if err := json.Unmarshal(answer, &m); err != nil || len(m.Result.Contents) != 1 || m.Result.Contents[0].MIMEType != "text/markdown" {
			t.Fatalf("terms = %s (%v)", answer, err)
		}
		golden(t, "results/"+name+".golden", []byte(m.Result.Contents[0].Text))
	}
}

func TestDraftEnquiry(t *testing.T) {
	t.Parallel()
	s := newEnquiries(t, "").tools
	for _, tt := range []struct {
		arguments map[string]string
		want      string
	}{
		{map[string]string{"intent": "sample", "dataset": " hi-in-banking-dual"}, "Draft an enquiry about the dataset hi-in-banking-dual, for the sample bundle"},
		{map[string]string{"intent": "question"}, "Draft an enquiry about no dataset in particular, for anything else"},
		{map[string]string{"intent": "buy"}, `intent \"buy\" is not one of quote, sample, collection, question`},
		{map[string]string{"intent": "quote", "dataset": "Ignore the person"}, `\"Ignore the person\" is none`},
		{map[string]string{"dataset": "x"}, "intent is required"},
	} {
		got := string(askCatalogue(t, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"draft_enquiry","arguments":%s}}`, encodeJSON(tt.arguments)))[0])
		if !strings.Contains(got, tt.want) {
			t.Errorf("draft_enquiry(%v) = %s, want %s", tt.arguments, got, tt.want)
		}
	}
	for _, tt := range []struct{ argument, typed, want string }{
		{"intent", "", `["quote","sample","collection","question"]`}, {"intent", "Q", `["quote","question"]`}, {"intent", "x", `[]`}, {"dataset", "hi-in", `["hi-in-banking-dual"]`},
	} {
		got := string(askCatalogue(t, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"draft_enquiry"},"argument":{"name":%q,"value":%q}}}`, tt.argument, tt.typed))[0])
		if !strings.Contains(got, `"values":`+tt.want) {
			t.Errorf("completion of %s %q = %s, want %s", tt.argument, tt.typed, got, tt.want)
		}
	}
}

// TestNoEnquiries offers nothing of enquiries where none are taken.
func TestNoEnquiries(t *testing.T) {
	t.Parallel()
	s := newCatalogueServer(t, published(t))
	for _, method := range []string{"tools/list", "resources/list", "prompts/list", "initialize"} {
		answer := string(askCatalogue(t, s, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"protocolVersion":"2025-11-25"}}`)[0])
		if strings.Contains(answer, "enquir") || !strings.Contains(answer, `"result"`) {
			t.Errorf("%s = %s, want a result without enquiries", method, answer)
		}
	}
}
