package console

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/voice"
)

// asked returns n requests of a key, the first of which is the newest, each a second
// before the other.
func asked(orgID, key string, n int) []account.RequestRecord {
	out := make([]account.RequestRecord, n)
	for i := range out {
		out[i] = account.RequestRecord{
			ID: fmt.Sprintf("req-%s-%03d", key[len(key)-3:], i), At: time.Now().Add(-time.Minute - time.Duration(i)*time.Second), OrgID: orgID, KeyID: key,
			Route: "/v1/audio/speech", Voice: string(voice.DefaultVoice().ID), Language: "hi", Engine: "remote/east",
			Characters: 1234, FirstAudio: 12_300 * time.Microsecond, Audio: 67 * time.Second, Status: 200,
		}
	}
	return out
}

var shownRequest = regexp.MustCompile(`>(req-[0-9a-z-]+)</code>`)

// requestsOn returns the ids of the requests of a page.
func requestsOn(body string) (ids []string) {
	for _, m := range shownRequest.FindAllStringSubmatch(body, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// older returns the address of the page that follows.
func older(t *testing.T, body string) string {
	t.Helper()
	m := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(body)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], "&amp;", "&")
}

func TestRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, cfg *Config) { cfg.KeepRequests = 720 * time.Hour })
	b, at := w.as(t, w.member), "/o/"+w.acme.ID+"/requests"
	has(t, shown(t, b.get(at), http.StatusOK), "There has been no request yet", "kept for 30 days")

	k := w.key(t, w.acme.ID, "production")
	w.recorded(t, asked(w.acme.ID, k.ID, 1)...)
	w.recorded(t, asked(w.other.ID, "key_theirs", 3)...)
	w.recorded(t, account.RequestRecord{ID: "<script>", At: time.Now(), OrgID: w.acme.ID, KeyID: account.ConsoleKey, Route: "console /playground", Status: 503, Code: "engine_unavailable"})
	body := shown(t, b.get(at), http.StatusOK)
	has(t, body, "<bdi>production</bdi>", "<bdi>The playground</bdi>", "/o/"+w.acme.ID+"/voices?search="+string(voice.DefaultVoice().ID), ">"+voice.DefaultVoice().Name+"<", "Hindi",
		"by remote/east", "1,234", "12.3 ms", "1:07", "/v1/audio/speech", `<span class="badge good">200</span>`, `<span class="badge bad">503</span> <code class="nowrap">engine_unavailable</code>`,
		"The engine that speaks was not there.", "&lt;script&gt;", `data-copy="request-0"`)
	lacks(t, body, "req-irs", "<script></code>", `rel="next"`, "First page", "console /playground")
	shown(t, w.as(t, w.another).get(at), http.StatusNotFound)
}

func TestRequestPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.key(t, w.acme.ID, "k")
	records := asked(w.acme.ID, k.ID, 130)
	for i := 40; i < 60; i++ { // of one instant, over the end of a page
		records[i].At = records[40].At
	}
	w.recorded(t, records...)
	b, next := w.as(t, w.member), "/o/"+w.acme.ID+"/requests"
	seen, sizes := map[string]bool{}, []int{}
	for next != "" {
		body := shown(t, b.get(next), http.StatusOK)
		ids := requestsOn(body)
		for _, id := range ids {
			if seen[id] {
				t.Errorf("%s is shown twice", id)
			}
			seen[id] = true
		}
		if sizes = append(sizes, len(ids)); len(sizes) > 1 {
			has(t, body, `<a href="/o/`+w.acme.ID+`/requests">First page</a>`)
		}
		next = older(t, body)
	}
	if fmt.Sprint(sizes) != "[50 50 30]" || len(seen) != len(records) {
		t.Errorf("pages of %v with %d requests, want 50, 50 and 30 of %d", sizes, len(seen), len(records))
	}
}

func TestRequestFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.key(t, w.acme.ID, "a"), w.key(t, w.acme.ID, "b")
	of := func(key string, n int, status int, code string) {
		records := asked(w.acme.ID, key, n)
		for i := range records {
			records[i].ID, records[i].Status, records[i].Code = fmt.Sprintf("req-%d-%d", status, i), status, code
		}
		w.recorded(t, records...)
	}
	of(a.ID, 60, 200, "")
	of(a.ID, 55, 429, "rate_limit_exceeded")
	of(b.ID, 3, 499, "client_closed_request")
	of(account.ConsoleKey, 2, 200, "")
	for _, tt := range []struct {
		query        string
		first, total int
		bounded      bool // looks through 20,000 failures alone
	}{
		{"", 50, 120, false},
		{"key=" + a.ID, 50, 115, false},
		{"key=console", 2, 2, false},
		{"key=" + b.ID + "&outcome=failed", 3, 3, true},
		{"outcome=failed", 50, 58, false},
		{"outcome=rate_limit_exceeded", 50, 55, true},
		{"outcome=rate_limit_exceeded&key=" + b.ID, 0, 0, true},
		{"id=req-499-1", 1, 1, false},
		{"id=+req-429-7+&key=" + a.ID + "&outcome=failed", 1, 1, false},
		{"id=req-200-59&outcome=failed", 0, 0, false},
		{"id=req-499", 0, 0, false},
		{"id=" + url.QueryEscape("'; --\x00\xff"), 0, 0, false},
		{"id=" + strings.Repeat("r", 5000), 0, 0, false},
		{"outcome=no_such_code", 0, 0, true},
		{"outcome=" + url.QueryEscape("'; DROP TABLE requests; --\x00"), 0, 0, true},
		{"key=key_unknown", 0, 0, false},
		{"key=" + strings.Repeat("%F0%9F%98%80", 300), 0, 0, false},
		{"before=9999999999999999.0", 50, 120, false},
	} {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			br, next := w.as(t, w.member), "/o/"+w.acme.ID+"/requests?"+tt.query
			total := 0
			for n := 0; next != "" && n < 5; n++ {
				body := shown(t, br.get(next), http.StatusOK)
				ids := requestsOn(body)
				if n == 0 && len(ids) != tt.first {
					t.Errorf("%d requests on the first page, want %d", len(ids), tt.first)
				}
				total += len(ids)
				if len(ids) == 0 {
					has(t, body, "No request is like that")
				}
				if told := strings.Contains(body, "20,000 failures"); told != (tt.bounded && older(t, body) == "") {
					t.Errorf("that only some were looked through is told: %v", told)
				}
				if selects := strings.Count(body, " selected>"); selects != 2 {
					t.Errorf("%d options are chosen, want one of each filter", selects)
				}
				next = older(t, body)
			}
			if total != tt.total {
				t.Errorf("%d requests in all, want %d", total, tt.total)
			}
		})
	}
	for _, mark := range []string{"x", "1", "-1.2", "1.-2", "0.0", "9999999999999999999.1", "1.2.3", "253402300800000000.1"} {
		body := shown(t, w.as(t, w.member).get("/o/"+w.acme.ID+"/requests?before="+mark), http.StatusBadRequest)
		has(t, body, "is no place in the list")
	}
}
