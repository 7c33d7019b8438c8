package enquiry_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// asksForSample sends an enquiry about a dataset and returns its id.
func asksForSample(t *testing.T, w *world, dataset string) string {
	t.Helper()
	f := ravi()
	f.Intent, f.Dataset = enquiry.Sample, dataset
	r, err := w.service.Submit(t.Context(), from("a"), f, enquiry.ByREST)
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// ticket takes a link apart.
func ticket(t *testing.T, link string) enquiry.Ticket {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil || !strings.HasPrefix(link, "https://data.example/enquiry/sample/rel_") {
		t.Fatalf("link %q, %v", link, err)
	}
	return enquiry.Ticket{ID: strings.TrimPrefix(u.Path, enquiry.SamplePath), Expires: u.Query().Get("expires"), Signature: u.Query().Get("signature")}
}

// TestRelease: the person gets a link by mail, sees the licence, and has the bundle as
// often as was said.
func TestRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := asksForSample(t, w, "hi-cc")
	link, r, err := w.desk.Release(t.Context(), id, enquiry.ReleaseTerms{Downloads: 2})
	if err != nil {
		t.Fatal(err)
	}
	m := w.Letters[len(w.Letters)-1]
	if m.Kind != enquiry.WithSample || m.To != "ravi@example.org" || m.ReplyTo != "desk@data.example" || !strings.Contains(m.Text, "\n"+link+"\n") || strings.Contains(m.Text+m.Subject, "Ravi") {
		t.Errorf("the mail is %+v", m)
	}
	offer, err := w.desk.Offer(t.Context(), ticket(t, link))
	if err != nil || offer.Left != 2 || offer.Dataset.Slug != "hi-cc" || len(offer.Files) != 2 || !strings.Contains(offer.Licence, w.dataset.Licence.Evaluation.Name) || !offer.Expires.Equal(start.Add(7*24*time.Hour)) {
		t.Errorf("Offer = %+v, %v", offer, err)
	}
	for i := range 2 {
		var text bytes.Buffer
		b, err := w.desk.Bundle(t.Context(), from("b"), ticket(t, link))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := b.WriteTo(&text); err != nil || n != int64(text.Len()) || b.Name != "hi-cc-sample.zip" {
			t.Fatalf("bundle %d, %s: %d bytes, %v", i+1, b.Name, n, err)
		}
		want := map[string]string{
			"hi-cc-sample/LICENCE.txt": r.Licence, "hi-cc-sample/sample.wav": "RIFF0123456789", "hi-cc-sample/segments.csv": "start_s\n0\n",
		}
		if diff := cmp.Diff(want, unzipped(t, text.Bytes())); diff != "" {
			t.Errorf("bundle %d (-want +got):\n%s", i+1, diff)
		}
	}
	if _, err := w.desk.Bundle(t.Context(), from("b"), ticket(t, link)); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the third Bundle = %v, want NotFound", err)
	}
	file, err := w.desk.Show(t.Context(), id)
	if err != nil || len(file.Mails) != 3 || len(file.Releases) != 1 || file.Releases[0].Downloads != 2 || len(file.Journal) != 4 || file.Journal[3].Outcome != enquiry.OutcomeAccepted || file.Journal[3].Client == "" {
		t.Errorf("Show = %+v, %v", file, err)
	}
	if again, _, err := w.desk.Release(t.Context(), id, enquiry.ReleaseTerms{}); err != nil || again == link || w.Letters[len(w.Letters)-1].ID == m.ID {
		t.Errorf("a second release: %q, %v", again, err)
	}
}

func unzipped(t *testing.T, text []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(b)
	}
	return out
}

// TestSampleLinks: links that are not ours, or not good any more, lead nowhere and use
// nothing up.
func TestSampleLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link, r, err := w.desk.Release(t.Context(), asksForSample(t, w, "hi-cc"), enquiry.ReleaseTerms{For: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	good := ticket(t, link)
	for name, change := range map[string]func(*enquiry.Ticket){
		"nothing":   func(k *enquiry.Ticket) { *k = enquiry.Ticket{} },
		"signature": func(k *enquiry.Ticket) { k.Signature = "A" + k.Signature[1:] + "A" },
		"longer":    func(k *enquiry.Ticket) { k.Expires += "0" },
		"another":   func(k *enquiry.Ticket) { k.ID = "rel_" + strings.Repeat("a", 26) },
		"unsigned":  func(k *enquiry.Ticket) { k.Signature = "" },
	} {
		k := good
		change(&k)
		_, offered := w.desk.Offer(t.Context(), k)
		if _, err := w.desk.Bundle(t.Context(), from("b"), k); fault.KindOf(err) != fault.NotFound || fault.KindOf(offered) != fault.NotFound {
			t.Errorf("%s: Offer = %v, Bundle = %v; want NotFound", name, offered, err)
		}
	}
	if w.Given[0].Downloads != 0 {
		t.Errorf("%d downloads are counted", w.Given[0].Downloads)
	}
	w.Given[0].Expires = start // as a purge does it
	if _, err := w.desk.Offer(t.Context(), good); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after a purge Offer = %v", err)
	}
	w.Given[0].Expires, w.clock = r.Expires, r.Expires
	if _, err := w.desk.Offer(t.Context(), good); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after its time Offer = %v", err)
	}
}

// TestReleaseRefuses says why not.
func TestReleaseRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	quote, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST)
	if err != nil {
		t.Fatal(err)
	}
	sample := asksForSample(t, w, "hi-cc")
	none := asksForSample(t, w, "")
	for name, tt := range map[string]struct {
		id    string
		terms enquiry.ReleaseTerms
		want  string
	}{
		"unknown":        {"enq_x", enquiry.ReleaseTerms{}, "there is no enquiry"},
		"another intent": {quote.ID, enquiry.ReleaseTerms{}, "not for the sample"},
		"no dataset":     {none, enquiry.ReleaseTerms{}, "names no dataset"},
		"too long":       {sample, enquiry.ReleaseTerms{For: 91 * 24 * time.Hour}, "outside a minute to 90 days"},
		"too many":       {sample, enquiry.ReleaseTerms{Downloads: 101}, "outside 1 to 100"},
		"no text":        {sample, enquiry.ReleaseTerms{Licence: "\xff"}, "not a text in UTF-8"},
		"much text":      {sample, enquiry.ReleaseTerms{Licence: strings.Repeat("a", enquiry.MaxLicence+1)}, "65536 are the most"},
	} {
		if _, _, err := w.desk.Release(t.Context(), tt.id, tt.terms); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Release = %v, want %q", name, err, tt.want)
		}
	}
	if _, err := w.desk.Purge(t.Context(), start.Add(time.Second)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Purge of the future = %v", err)
	}
	w.clock = start.Add(time.Hour)
	for range 2 {
		if err := w.desk.PurgeOne(t.Context(), none); err != nil || !w.Sent[2].Enquiry.Purged || w.Sent[1].Enquiry.Purged {
			t.Errorf("PurgeOne = %v; want that one alone purged", err)
		}
	}
	if err := w.desk.PurgeOne(t.Context(), "enq_x"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("PurgeOne of none = %v, want NotFound", err)
	}
	if n, err := w.desk.Purge(t.Context(), w.clock); err != nil || n != 2 {
		t.Errorf("Purge = %d, %v; want 2", n, err)
	}
	if _, _, err := w.desk.Release(t.Context(), sample, enquiry.ReleaseTerms{}); err == nil || !strings.Contains(err.Error(), "is purged") {
		t.Errorf("after it Release = %v", err)
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := asksForSample(t, w, "hi-cc")
	mail := w.Letters[0].ID
	if err := w.desk.Retry(t.Context(), mail); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Retry of a queued mail = %v, want NotFound", err)
	}
	w.Letters[0].State, w.Letters[0].Attempts = enquiry.Failed, enquiry.Attempts
	if err := w.desk.Retry(t.Context(), mail); err != nil || w.Letters[0].State != enquiry.Queued || w.Letters[0].Attempts != 0 {
		t.Errorf("Retry = %v, mail %+v", err, w.Letters[0])
	}
	if f, err := w.desk.Show(t.Context(), id); err != nil || f.Journal[len(f.Journal)-1].Outcome != enquiry.OutcomeRetried {
		t.Errorf("Show = %+v, %v", f, err)
	}
	if _, err := w.desk.Show(t.Context(), "enq_none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Show of none = %v", err)
	}
	for _, limit := range []int{0, 1001} {
		if _, err := w.desk.List(t.Context(), enquiry.ListQuery{Limit: limit}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("List of %d = %v", limit, err)
		}
	}
	if l, err := w.desk.List(t.Context(), enquiry.ListQuery{Limit: 1}); err != nil || len(l) != 1 || l[0].ID != id {
		t.Errorf("List = %+v, %v", l, err)
	}
}
