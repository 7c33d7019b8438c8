package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestCompare sets datasets side by side, and says what is wrong with what was asked for.
func TestCompare(t *testing.T) {
	t.Parallel()
	h := asking(t, newClerk())
	for _, tt := range []struct {
		query  string
		status int
		says   []string
		lacks  string
	}{
		{"", 200, []string{"Add a dataset"}, "What differs"},
		{"dataset=hindi-bank-calls&dataset=odia-bare", 200, []string{"What differs", "not known", `href="/catalogue?similar=hindi-bank-calls"`, "/enquiry?dataset=odia-bare"}, ""},
		{"dataset=hindi-bank-calls&dataset=hindi-bank-calls&dataset=https://x.test/catalogue/datasets/ODIA-bare", 200, []string{"What differs"}, "cannot be compared"},
		{"dataset=" + hindi().ID, 400, []string{"choose two datasets or more", "Hindi bank calls"}, ""},
		{"dataset=hindi-bank-calls&dataset=%3Cscript%3Ealert", 400, []string{"there is no dataset", "&lt;script&gt;"}, "<script>alert"},
		{"dataset=hindi-bank-calls&dataset=odia-bare&dataset=bengali-radio-plays&dataset=hinglish-chat&dataset=tamil-telephony", 400, []string{"4 datasets at most"}, "Add a dataset"},
	} {
		w := get(t, h, "/catalogue/compare?"+tt.query)
		body := w.Body.String()
		checkMarkup(t, body)
		if w.Code != tt.status {
			t.Errorf("%s: %d, want %d", tt.query, w.Code, tt.status)
		}
		for _, want := range tt.says {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", tt.query, want)
			}
		}
		if tt.lacks != "" && strings.Contains(body, tt.lacks) {
			t.Errorf("%s has %q", tt.query, tt.lacks)
		}
	}
}

// TestBrief: a search is a link to keep, which shows what may fit too, and fills in the form.
func TestBrief(t *testing.T) {
	t.Parallel()
	h := asking(t, newClerk())
	body := get(t, h, "/catalogue?language=hi-IN&min_hours=5&channels=dual&license=CC+BY+4.0&min_speakers=3").Body.String()
	var unknown, form string
	for _, e := range elements(t, body) {
		switch href := e.attrs["href"]; {
		case strings.Contains(href, "unknown=true"):
			unknown = href
		case strings.Contains(href, "message="):
			form = href
		}
	}
	if unknown == "" || !strings.Contains(form, "intent=collection") {
		t.Fatalf("the brief leads to %q and %q", unknown, form)
	}
	page := get(t, h, form)
	for _, want := range []string{"- language: hi-IN", "- hours: at least 5", "- channels: a channel per speaker", "- licence: CC BY 4.0", "- speakers: at least 3", "/catalogue?"} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("the form of the brief lacks %q", want)
		}
	}
	if w := get(t, h, unknown); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "or not known") {
		t.Errorf("with what is not known: %d", w.Code)
	}
	if strings.Contains(get(t, h, "/catalogue").Body.String(), "as a brief") {
		t.Error("the whole list is a brief")
	}
	long := get(t, h, "/enquiry?message="+url.QueryEscape(strings.Repeat("a", 6000)+"</textarea><script>")).Body.String()
	checkMarkup(t, long)
	if strings.Contains(long, "<script>\n") || strings.Contains(long, strings.Repeat("a", 5002)) {
		t.Error("a long message is not cut")
	}
}
