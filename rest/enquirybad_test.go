package rest

import (
	"encoding/json"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/rest/frame"
)

// badEnquiryOf checks a 400 of an enquiry and returns its body.
func badEnquiryOf(t *testing.T, w *httptest.ResponseRecorder) (e frame.EnquiryError) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != 400 || e.Error == "" || e.Error != e.Message || e.Code == "" {
		t.Errorf("status %d, body %s, %v; want 400 with a sentence, twice, and a code", w.Code, w.Body, err)
	}
	if e.Field != "" && !strings.Contains(e.Error, e.Field) {
		t.Errorf("%q does not name the field %s", e.Error, e.Field)
	}
	if e.Code != fault.CodeInvalidBody && e.Field == "" || e.Code == fault.CodeInvalidBody && e.Field != "" {
		t.Errorf("code %s with field %q", e.Code, e.Field)
	}
	return e
}

// TestBadEnquiries sends what an enquiry can have wrong to the real service.
func TestBadEnquiries(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e})
	with := func(name, value string) string {
		fields := map[string]string{"name": `"Asha"`, "email": `"asha@example.org"`, "intent": `"question"`, "message": `"Why?"`}
		fields[name] = value
		var all []string
		for name, value := range fields {
			if value != "" {
				all = append(all, `"`+name+`":`+value)
			}
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	for _, tt := range []struct {
		name, body  string
		field, says string
		asked       bool // the service was: the fault is one of value
	}{
		// What cannot be read.
		{"empty", ``, "", "empty", false},
		{"not json", `{"name":`, "", "byte 8", false},
		{"a form", `name=Asha&email=asha%40example.org`, "", "not JSON", false},
		{"invalid UTF-8", "{\"name\":\"\xff\"}", "", "UTF-8", false},
		{"lone surrogate", with("message", `"\ud800"`), "", "surrogate", false},
		{"NUL", with("message", `"a\u0000b"`), "", "NUL", false},
		{"duplicate key", `{"name":"a","name":"b"}`, "", `"name" twice`, false},
		{"duplicate key, escaped", `{"name":"a","n\u0061me":"b"}`, "", `"name" twice`, false},
		{"duplicate key in what is ignored", with("x", `{"a":1,"a":2}`), "", `"a" twice`, false},
		{"deep", with("x", strings.Repeat("[", 40)+strings.Repeat("]", 40)), "", "32 levels", false},
		{"trailing bytes", with("", "") + ` {}`, "", "goes on", false},
		{"array", `[{"name":"a"}]`, "", "must be a JSON object, not an array", false},
		{"string", `"name"`, "", "not a string", false},
		{"number", `1`, "", "not a number", false},
		{"null", `null`, "", "not null", false},

		// What has the wrong type.
		{"name is a number", with("name", `5`), "name", "name must be a string, not a number", false},
		{"name is an array", with("name", `["Asha"]`), "name", "not an array", false},
		{"email is an object", with("email", `{"address":"a@b.org"}`), "email", "email must be a string, not an object", false},
		{"email is a list", with("email", `["a@example.org","b@example.org"]`), "email", "not an array", false},
		{"intent is a boolean", with("intent", `true`), "intent", "not a boolean", false},
		{"message is a number", with("message", `1e400`), "message", "not a number", false},
		{"message is an object", with("message", `{}`), "message", "not an object", false},
		{"dataset is an array", with("dataset", `["s-03"]`), "dataset", "not an array", false},
		{"dataset is false", with("dataset", `false`), "dataset", "not a boolean", false},
		{"company is a number", with("company", `0`), "company", "not a number", false},
		{"agent is an object", with("agent", `{"name":"bot"}`), "agent", "not an object", false},

		// What is missing.
		{"nothing", `{}`, "name", "missing", true},
		{"no name", with("name", ``), "name", "missing", true},
		{"name in another case", `{"Name":"Asha","email":"asha@example.org","intent":"quote"}`, "name", "missing", true},
		{"name is null", with("name", `null`), "name", "missing", true},
		{"name is empty", with("name", `""`), "name", "missing", true},
		{"name is white space", with("name", `" \t\u00a0 "`), "name", "missing", true},
		{"no email", with("email", ``), "email", "missing", true},
		{"email is null", with("email", `null`), "email", "missing", true},
		{"email is empty", with("email", `""`), "email", "missing", true},
		{"no intent", with("intent", ``), "intent", "one of quote, sample, collection, question", true},
		{"intent is null", with("intent", `null`), "intent", "missing", true},
		{"no message", with("message", ``), "message", "missing", true},
		{"message is null", with("message", `null`), "message", "missing", true},
		{"message is white space", with("message", `" \n\n "`), "message", "missing", true},

		// What is not what it must be.
		{"email without a domain", with("email", `"asha"`), "email", "", true},
		{"email without a person", with("email", `"@example.org"`), "email", "", true},
		{"email with a display name", with("email", `"Asha <asha@example.org>"`), "email", "", true},
		{"two emails", with("email", `"asha@example.org, bina@example.org"`), "email", "", true},
		{"email with a line end", with("email", `"asha@example.org\r\nBcc: all@example.org"`), "email", "", true},
		{"email too long", with("email", `"`+strings.Repeat("a", 64)+"@"+strings.Repeat("b.", 100)+`org"`), "email", "", true},
		{"name with a line end", with("name", `"Asha\r\nBcc: all@example.org"`), "name", "", true},
		{"intent unknown", with("intent", `"buy"`), "intent", "buy", true},
		{"intent in capitals", with("intent", `"Quote"`), "intent", "Quote", true},
		{"dataset unknown", with("dataset", `"s-3"`), "dataset", "s-3", true},
		{"dataset is a draft", with("dataset", `"s-29"`), "dataset", "s-29", true},
		{"dataset is a path", with("dataset", `"../s-03"`), "dataset", "s-03", true},
		{"dataset with a line end", with("dataset", `"s-03\nx"`), "dataset", "", true},
		{"dataset unknown whatever the intent", `{"name":"A","email":"a@example.org","intent":"collection","dataset":"none"}`, "dataset", "none", true},
		{"name too long", with("name", long(201)), "name", "201", true},
		{"message too long", with("message", long(5001)), "message", "5001", true},
		{"company too long", with("company", long(201)), "company", "201", true},
		{"company with a line end", with("company", `"Bank\u2028X"`), "company", "", true},
		{"agent too long", with("agent", long(201)), "agent", "201", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := len(e.forms)
			w := do(h, enquire(tt.body))
			f := badEnquiryOf(t, w)
			if f.Field != tt.field || !strings.Contains(f.Error, tt.says) {
				t.Errorf("field %q, %q; want %q and %q", f.Field, f.Error, tt.field, tt.says)
			}
			if asked := len(e.forms) > before; asked != tt.asked || len(e.kept.Sent)+len(e.kept.Letters) != 0 {
				t.Errorf("the service was asked: %t, want %t; %d are kept", asked, tt.asked, len(e.kept.Sent))
			}
			if w.Header().Get("Retry-After") != "" || w.Header().Get("X-Enquiry-Id") != "" {
				t.Errorf("headers %v", w.Header())
			}
		})
	}
}

func TestEnquiryTooLarge(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e})
	sized := func(n int) string {
		body := person(`"more":""`)
		return strings.Replace(body, `"more":"`, `"more":"`+strings.Repeat("x", n-len(body)), 1)
	}
	if w := do(h, enquire(sized(64<<10))); w.Code != 202 {
		t.Errorf("64 KiB: %d %s, want 202", w.Code, w.Body)
	}
	for _, r := range []string{sized(64<<10 + 1), strings.Repeat(" ", 1<<20)} {
		for _, length := range []int64{int64(len(r)), -1} {
			request := enquire(r)
			request.ContentLength = length
			if f := catalogueFailure(t, do(h, request), 413); f.Error != fault.CodeBodyTooLarge || !strings.Contains(f.Message, "65536") {
				t.Errorf("%d bytes, declared %d: %+v", len(r), length, f)
			}
		}
	}
	if w := do(h, enquire(person(`"message":"`+strings.Repeat(`\u0939`, 5000)+`"`))); w.Code != 202 {
		t.Errorf("the longest message, escaped: %d %s, want 202", w.Code, w.Body)
	}
	if len(e.forms) != 2 {
		t.Errorf("%d reached the service, want 2", len(e.forms))
	}
}

// TestUnknownDatasetOfEnquiry: its answer says what may have been meant.
func TestUnknownDatasetOfEnquiry(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c, Enquiries: newEnquiries(t, c)})
	f := badEnquiryOf(t, do(h, enquire(person(`"dataset":"s-3"`))))
	if f.Slug != "s-3" || !slices.Equal(f.DidYouMean, c.Similar("s-3")) || len(f.DidYouMean) == 0 {
		t.Errorf("slug %q, didYouMean %q", f.Slug, f.DidYouMean)
	}
	f = badEnquiryOf(t, do(h, enquire(person(`"dataset":"`+strings.Repeat("é", 300)+`"`))))
	if len(f.Slug) > 100 || !utf8.ValidString(f.Slug) || strings.Contains(f.Slug, "\ufffd") {
		t.Errorf("slug %q is over 100 bytes or broken", f.Slug)
	}
	// The dataset is unknown, but the company is of a wrong type: the dataset is first.
	if f := badEnquiryOf(t, do(h, enquire(person(`"dataset":"s-3","company":5`)))); f.Field != "dataset" || len(f.DidYouMean) == 0 {
		t.Errorf("with a company of a wrong type: %+v", f)
	}
	if f := badEnquiryOf(t, do(h, enquire(person(`"dataset":5`)))); f.Slug != "" || f.DidYouMean != nil {
		t.Errorf("of a wrong type: %+v", f)
	}
}

// TestEnquiryOrder breaks several fields at once, in each way that they can be broken:
// the first by the order of the contract is named. Lengths are last.
func TestEnquiryOrder(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e})
	type fields = map[string]string
	bad := []struct {
		name string
		ways []string // values
	}{
		{"name", []string{`5`, `null`, `""`}},
		{"email", []string{`[]`, `null`, `"asha"`}},
		{"intent", []string{`{}`, `null`, `"buy"`}},
		{"message", []string{`1`, `null`, `" "`}},
		{"dataset", []string{`true`, `"none"`}},
		{"company", []string{`5`, `"a\nb"`}},
		{"agent", []string{`{}`, `"a\nb"`}},
	}
	good := fields{"name": `"Asha"`, "email": `"asha@example.org"`, "intent": `"question"`, "message": `"Why?"`, "dataset": `"s-03"`, "company": `"Bank"`, "agent": `"bot"`}
	ask := func(f fields) string {
		var all []string
		for name, value := range f {
			all = append(all, `"`+name+`":`+value)
		}
		return badEnquiryOf(t, do(h, enquire("{"+strings.Join(all, ",")+"}"))).Field
	}
	for i, first := range bad {
		for _, way := range first.ways {
			for _, second := range bad[i:] {
				for _, other := range second.ways {
					f := fields{}
					for name, value := range good {
						f[name] = value
					}
					f[second.name], f[first.name] = other, way
					if got := ask(f); got != first.name {
						t.Errorf("%s %s and %s %s: field %q, want the first", first.name, way, second.name, other, got)
					}
				}
			}
		}
	}
	long := fields{"name": `"` + strings.Repeat("n", 201) + `"`, "message": `"` + strings.Repeat("m", 5001) + `"`, "company": `"` + strings.Repeat("c", 201) + `"`}
	for _, later := range bad[1:] {
		for _, way := range later.ways {
			f := fields{}
			for name, value := range good {
				f[name] = value
			}
			for name, value := range long {
				f[name] = value
			}
			f[later.name] = way
			if got := ask(f); got != later.name {
				t.Errorf("%s %s and texts that are too long: field %q, want %q", later.name, way, got, later.name)
			}
		}
	}
	if len(e.kept.Sent) != 0 {
		t.Errorf("%d are kept", len(e.kept.Sent))
	}
}

// FuzzEnquiryBody posts any bytes: whatever they are, the server is not at fault, a
// refusal keeps nothing and says what is wrong, and what is taken is kept.
func FuzzEnquiryBody(f *testing.F) {
	for _, seed := range []string{
		person(`"intent":"question","message":"Why?"`), person(`"dataset":"s-03","company":null`), person(`"dataset":"S 03","agent":"\ud83d\ude00"`),
		`{"name":5}`, `{"name":"A","email":7,"intent":"buy"}`, `{"name":"A","email":"a@b.c\r\nBcc: x@y.z","intent":"quote"}`, `[]`, `null`, ``, `{`,
		`{"n\u0061me":"A","email":"\u0061@example.org","intent":"sample"}`, "{\"name\":\"\xff\"}", `{"name":"A","name":"B"}`,
		`{"name":"=?utf-8?q?A?=","email":"a@xn--n3h.example","intent":"question","message":"<b>\u2028.\r\n.\r\n"}`,
	} {
		f.Add([]byte(seed))
	}
	c := newCatalogue(f)
	e := newEnquiries(f, c, enquiry.Limits{Sender: math.MaxInt, Client: math.MaxInt, All: math.MaxInt})
	h := newHandler(f, Config{Catalogue: c, Enquiries: e})
	f.Fuzz(func(t *testing.T, body []byte) {
		e.kept.Sent, e.kept.Letters, e.kept.Journal, e.forms, e.sources, e.ways = nil, nil, nil, nil, nil, nil
		w := do(h, enquire(string(body)))
		switch {
		case w.Code == 202:
			if len(e.kept.Sent) != 1 || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%q is taken, and %d are kept: %s", body, len(e.kept.Sent), w.Body)
			}
		case w.Code == 400:
			badEnquiryOf(t, w)
			fallthrough
		default:
			if w.Code < 400 || w.Code > 499 || len(e.kept.Sent) != 0 {
				t.Errorf("%q is answered with %d %s, and %d are kept", body, w.Code, w.Body, len(e.kept.Sent))
			}
		}
	})
}
