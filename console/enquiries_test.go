package console

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"vaak/console/page"
	"vaak/enquiry"
)

// ask sends an enquiry as the form of the site does, and returns its id.
func (w *world) ask(t testing.TB, f enquiry.Form) string {
	t.Helper()
	service, err := enquiry.New(enquiry.Config{
		Store: w.enquiries, Catalogue: w.Catalogue, Secret: w.secret, PublicURL: api,
		Addresses: enquiry.Addresses{From: "vaak@example.org", Operator: "desk@example.org", Acknowledge: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Name, f.Email, f.Intent = cmp.Or(f.Name, "Asha Rao"), cmp.Or(f.Email, "asha@example.net"), cmp.Or(f.Intent, enquiry.Quote)
	r, err := service.Submit(t.Context(), enquiry.Source{Client: f.Email, RequestID: "req_1"}, f, enquiry.ByPage)
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

func TestEnquiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strict)
	b := w.as(t, w.operator)
	has(t, shown(t, b.get("/enquiries"), http.StatusOK), "No enquiry yet.")
	w.put(t, full("hi-cc"))
	id := w.ask(t, enquiry.Form{Company: "Rao & Sons", Dataset: "hi-cc", Message: "Two hundred hours,\nby June."})
	list := shown(t, b.get("/enquiries"), http.StatusOK)
	has(t, list, `href="/enquiries/`+id+`"`, "Asha Rao", "asha@example.net", "<td>Licence quote</td>", "hi-cc", "2 waiting")
	lacks(t, list, "mailto:", "Two hundred")

	mail := w.enquiries.Letters[0].ID
	if err := w.enquiries.MailFailed(t.Context(), mail, time.Now(), "RCPT TO was refused: 550 5.1.1", true); err != nil {
		t.Fatal(err)
	}
	if err := w.enquiries.MailSent(t.Context(), w.enquiries.Letters[1].ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	has(t, shown(t, b.get("/enquiries"), http.StatusOK), "1 failed", "1 delivered")
	at := "/enquiries/" + id
	body := shown(t, b.get(at), http.StatusOK)
	has(t, body, "Rao &amp; Sons", "Two hundred hours,<br>by June.", "Consent was given on the form of the site by whoever filled it in.", "<td>On the form of the site</td>", "<td>Sent</td>", "The enquiry, to the operator", "Receipt, to the person", "RCPT TO was refused: 550 5.1.1",
		`action="`+at+"/mails/"+mail+`/retry"`, "Request <code>req_1</code>", "Only an enquiry that asks for the sample")
	lacks(t, body, "<code>page</code>", "mailto:", at+"/mails/"+w.enquiries.Letters[1].ID)

	moved(t, b.post(at+"/mails/"+mail+"/retry"), at)
	w.notedLast(t, "", "enquiry.retry", mail, "done")
	if got := w.enquiries.Letters[0].State; got != enquiry.Queued {
		t.Errorf("the mail is %s, want queued", got)
	}
	has(t, shown(t, b.get(at), http.StatusOK), "The mail is queued again", "<td>Mail queued again</td>")
	has(t, shown(t, b.post(at+"/mails/"+mail+"/retry"), http.StatusConflict), "This mail is queued; only a failed one")
	has(t, shown(t, b.post(at+"/release"), http.StatusConflict), "not for the sample bundle")
	w.notedLast(t, "", "enquiry.release", id, "not_releasable")
}

func TestEnquiriesOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	one, two := w.ask(t, enquiry.Form{Message: "one"}), w.ask(t, enquiry.Form{Message: "two"})
	mail := w.enquiries.Letters[0].ID
	if err := w.enquiries.MailFailed(t.Context(), mail, time.Now(), "no", true); err != nil {
		t.Fatal(err)
	}
	shown(t, b.post("/enquiries/"+two+"/mails/"+mail+"/retry"), http.StatusNotFound)
	if got := w.enquiries.Letters[0].State; got != enquiry.Failed {
		t.Errorf("a mail of %s was queued by the page of %s", one, two)
	}
	for _, path := range []string{"/enquiries/enq_none", "/enquiries/%3Cscript%3E", "/enquiries/" + strings.Repeat("x", 2000)} {
		shown(t, b.get(path), http.StatusNotFound)
		shown(t, b.post(path+"/purge", "sure", "yes"), http.StatusNotFound)
		shown(t, b.post(path+"/release"), http.StatusNotFound)
	}
}

func TestPurgeEnquiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	id := w.ask(t, enquiry.Form{Company: "Secret Ltd", Message: "my secret"})
	at := "/enquiries/" + id
	has(t, shown(t, b.post(at+"/purge"), http.StatusBadRequest), "tick the box", "my secret", `<details class="confirm" open>`)
	moved(t, b.post(at+"/purge", "sure", "yes"), at)
	w.notedLast(t, "", "enquiry.purge", id, "done")
	body := shown(t, b.get(at), http.StatusOK) + shown(t, b.get("/enquiries"), http.StatusOK)
	has(t, body, "What the person typed is deleted", `<span class="quiet">Deleted</span>`)
	lacks(t, body, "my secret", "Secret Ltd", "asha@", "Asha", "Delete it")
	moved(t, b.post(at+"/purge", "sure", "yes"), at)
}

func TestReleaseSample(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strict)
	b := w.as(t, w.operator)
	w.put(t, full("hi-cc"))
	at := "/enquiries/" + w.ask(t, enquiry.Form{Intent: enquiry.Sample, Dataset: "hi-cc"})
	has(t, shown(t, b.get(at), http.StatusOK), `name="once"`)
	for _, tt := range []struct{ field, value, want string }{
		{"days", "0", "Days 0 is outside 1 to 90"},
		{"days", "91", "Days 91 is outside 1 to 90"},
		{"days", "9223372036854775807", "is outside 1 to 90"},
		{"days", "week", "Days &#34;week&#34; is not a whole number"},
		{"downloads", "0", "Downloads 0 is outside 1 to 100"},
		{"downloads", "101", "Downloads 101 is outside 1 to 100"},
		{"licence", strings.Repeat("x", enquiry.MaxLicence+1), "and 65536 are the most"},
	} {
		fields := map[string]string{"days": "8", "downloads": "9", "licence": "kept licence"}
		fields[tt.field] = tt.value
		body := shown(t, b.post(at+"/release", "days", fields["days"], "downloads", fields["downloads"], "licence", fields["licence"]), http.StatusBadRequest)
		has(t, body, tt.want, `role="alert"`)
		if tt.field != "licence" {
			has(t, body, "kept licence</textarea>")
		}
	}
	if n := len(w.enquiries.Given); n != 0 {
		t.Fatalf("what was refused released %d samples", n)
	}
	licence := strings.Repeat("ल", enquiry.MaxLicence/3)
	body := shown(t, b.post(at+"/release", "days", "3", "downloads", "2", "licence", licence), http.StatusOK)
	w.notedLast(t, "", "enquiry.release", strings.TrimPrefix(at, "/enquiries/"), "done")
	if len(w.enquiries.Given) != 1 {
		t.Fatalf("there are %d releases, want 1", len(w.enquiries.Given))
	}
	r := w.enquiries.Given[0]
	if r.Licence != licence || r.Most != 2 || r.Expires.Sub(r.Released).Round(time.Hour) != 72*time.Hour {
		t.Errorf("the release is for %d downloads until %s with %d bytes of licence", r.Most, r.Expires, len(r.Licence))
	}
	link := api + enquiry.SamplePath + r.ID + "?expires="
	has(t, body, link, "for 2 downloads", `data-copy="sample-link"`)
	lacks(t, body, "ल")
	again := shown(t, b.get(at), http.StatusOK)
	has(t, again, r.ID, "0 of 2")
	lacks(t, again, link)
	has(t, shown(t, b.get("/enquiries"), http.StatusOK), `<span class="badge good">released</span>`)

	// A form is taken once.
	shown(t, b.post(at+"/release", "once", "a"), http.StatusOK)
	has(t, shown(t, b.post(at+"/release", "once", "a", "licence", "kept licence"), http.StatusConflict), "sent already", "kept licence</textarea>")
	if n := len(w.enquiries.Given); n != 2 {
		t.Fatalf("there are %d releases, want 2", n)
	}
	w.enquiries.Given = w.enquiries.Given[:1]

	shown(t, b.post(at+"/release"), http.StatusOK) // by what the form does not say
	if r := w.enquiries.Given[1]; r.Most != 5 || r.Expires.Sub(r.Released).Round(time.Hour) != 7*24*time.Hour || !strings.Contains(r.Licence, "Evaluation 1.0") {
		t.Errorf("the release is %+v", r)
	}
}

func TestEnquiryPages(t *testing.T) {
	t.Parallel()
	// Three come at a time, so that the edge of a page is between two of one instant.
	begin := time.Date(2026, 3, 4, 5, 6, 7, 123456000, time.UTC)
	w := newWorld(t)
	for i := range 2*page.Lines + 3 {
		w.enquiries.Now = func() time.Time { return begin.Add(time.Duration(i/3) * time.Second) }
		w.ask(t, enquiry.Form{Name: fmt.Sprintf("Asha %03d", i), Email: fmt.Sprintf("a%d@example.net", i)})
	}
	b := w.as(t, w.operator)
	next, seen := "/enquiries", map[string]bool{}
	for n := range 3 {
		body := shown(t, b.get(next), http.StatusOK)
		for _, name := range regexp.MustCompile("<bdi>Asha [0-9]+").FindAllString(body, -1) {
			if seen[name] {
				t.Errorf("page %d shows %s again", n, name)
			}
			seen[name] = true
		}
		_, link, more := strings.Cut(body, `<a href="/enquiries?before=`)
		if more != (n < 2) || strings.Contains(body, "First page") != (n > 0) {
			t.Fatalf("page %d links to older ones: %t", n, more)
		}
		address, _, _ := strings.Cut(link, `"`)
		next = "/enquiries?before=" + html.UnescapeString(address)
	}
	if len(seen) != 2*page.Lines+3 {
		t.Errorf("three pages showed %d enquiries, want each once", len(seen))
	}
	has(t, shown(t, b.get("/enquiries?before=yesterday"), http.StatusBadRequest), "is not a time such as")
}

// What strangers type is text, also where it is of an older version that let more in.
func TestHostileEnquiries(t *testing.T) {
	t.Parallel()
	for i, name := range hostile {
		w := newWorld(t)
		id := fmt.Sprintf("enq_%d", i)
		_, err := w.enquiries.KeepEnquiry(t.Context(), enquiry.Submission{
			Enquiry: enquiry.Enquiry{ID: id, Method: enquiry.ByMail, Draft: enquiry.Draft{Form: enquiry.Form{
				Name: name, Email: name, Company: name, Intent: enquiry.Question, Message: name + "\nhttp://evil.example/", Agent: name,
			}}},
			Limits: enquiry.DefaultLimits,
			Mails:  []enquiry.Mail{{ID: "mail_1", Enquiry: id, To: name, Problem: name, State: enquiry.Failed}},
			Entry:  enquiry.Entry{Enquiry: id, Outcome: enquiry.OutcomeSent, Shown: name, Source: enquiry.Source{Agent: name}, Times: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		b := w.as(t, w.operator)
		harmless(t, shown(t, b.get("/enquiries"), http.StatusOK), name)
		body := shown(t, b.get("/enquiries/"+id), http.StatusOK)
		harmless(t, body, name)
		has(t, body, "<br>http://evil.example/")
		lacks(t, body, `href="http://evil`, "mailto:")
	}
}
