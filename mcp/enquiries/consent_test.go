package enquiries

import (
	"encoding/json"
	"testing"

	"vaak/enquiry"
)

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		raw  string
		want enquiry.Answer
	}{
		{`{"action":"accept","content":{"send":true}}`, enquiry.Answer{Action: enquiry.Accept, Send: true}},
		{` { "content" : { "note" : "x", "send" : true }, "action" : "accept", "_meta" : {} } `, enquiry.Answer{Action: enquiry.Accept, Send: true}},
		{`{"action":"accept","content":{"send":"true"}}`, enquiry.Answer{Action: enquiry.Accept}},
		{`{"action":"accept"}`, enquiry.Answer{Action: enquiry.Accept}},
		{`{"action":"decline","content":{"send":true}}`, enquiry.Answer{Action: enquiry.Decline}},
		{`{"action":"cancel","content":{"send":true}}`, enquiry.Answer{Action: enquiry.Cancel}},
		{`{"action":"agree","content":{"send":true}}`, enquiry.Answer{Action: enquiry.Cancel}},
		{`{"action":"accept","action":"accept","content":{"send":true}}`, enquiry.Answer{Action: enquiry.Cancel}},
		{`{"action":"accept","content":{"send":true}}}`, enquiry.Answer{Action: enquiry.Cancel}},
		{``, enquiry.Answer{Action: enquiry.Cancel}},
	} {
		if got := readAnswer(json.RawMessage(tt.raw)); got != tt.want {
			t.Errorf("readAnswer(%s) = %+v, want %+v", tt.raw, got, tt.want)
		}
	}
}

// FuzzReadAnswer holds the answer against another reading: what is taken for consent
// is an accept with a true box for every program.
func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"action":"accept","content":{"send":true}}`, `{"action":"accept","content":{"send":"true"}}`, `{"action":"decline"}`, `{"action":"cancel"}`,
		`{"action":"accept","content":{"send":false,"send":true}}`, `{"Action":"accept","content":{"send":true}}`, `{"action":"acc\u0065pt","content":{"s\u0065nd":true}}`, `[]`, `null`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := readAnswer(raw)
		switch got.Action {
		case enquiry.Accept, enquiry.Decline, enquiry.Cancel:
		default:
			t.Fatalf("readAnswer(%q) = %+v, which is no action", raw, got)
		}
		if got.Send && got.Action != enquiry.Accept {
			t.Fatalf("readAnswer(%q) = %+v", raw, got)
		}
		var plain any
		err := json.Unmarshal(raw, &plain)
		if got.Action == enquiry.Cancel {
			return
		}
		object, _ := plain.(map[string]any)
		if err != nil || object["action"] != string(got.Action) {
			t.Fatalf("readAnswer(%q) = %+v of %v (%v)", raw, got, plain, err)
		}
		content, _ := object["content"].(map[string]any)
		if agreed := content["send"] == true; got.Send != (agreed && got.Action == enquiry.Accept) {
			t.Fatalf("readAnswer(%q) = %+v, the box is %v", raw, got, content["send"])
		}
	})
}
