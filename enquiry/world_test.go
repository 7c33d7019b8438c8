package enquiry_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/enquiry"
	"vaak/enquiry/enquirytest"
	"vaak/internal/seal"
)

// world is a service with what is around it; its clock stands still.
type world struct {
	*enquirytest.Memory
	service *enquiry.Service
	desk    *enquiry.Desk
	shelf   *catalogue.Service
	dataset *catalogue.Dataset
	clock   time.Time
	log     bytes.Buffer
}

// start is an ordinary moment; a day ends an hour and a half later.
var start = time.Date(2026, 3, 4, 22, 30, 0, 0, time.UTC)

func newWorld(t testing.TB, change ...func(*enquiry.Config)) *world {
	t.Helper()
	w := &world{clock: start}
	w.Memory = &enquirytest.Memory{Now: func() time.Time { return w.clock }}
	c := shelf(t)
	w.shelf = c
	var err error
	if w.dataset, err = c.Dataset(t.Context(), "hi-cc"); err != nil {
		t.Fatal(err)
	}
	cfg := enquiry.Config{
		Store: w.Memory, Catalogue: c, Secret: seal.New(bytes.Repeat([]byte{1}, seal.MinBytes)), PublicURL: "https://data.example",
		Addresses:  enquiry.Addresses{From: "service@data.example", Operator: "desk@data.example", Acknowledge: true},
		MailsLinks: true,
		Now:        func() time.Time { return w.clock }, Log: slog.New(slog.NewTextHandler(&w.log, nil)),
	}
	for _, f := range change {
		f(&cfg)
	}
	if w.service, err = enquiry.New(cfg); err != nil {
		t.Fatal(err)
	}
	w.desk, err = enquiry.NewDesk(enquiry.DeskConfig{
		Records: w.Memory, Now: cfg.Now, Catalogue: c, Secret: cfg.Secret, Addresses: cfg.Addresses, PublicURL: cfg.PublicURL,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// shelf is a catalogue with a dataset of each status and one without a sample.
func shelf(t testing.TB) *catalogue.Service {
	t.Helper()
	m := &cataloguetest.Memory{}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: "https://data.example"})
	if err != nil {
		t.Fatal(err)
	}
	for slug, moves := range map[string][]catalogue.Status{
		"hi-cc":     {catalogue.Published},
		"bare":      {catalogue.Published},
		"draft":     nil,
		"suspended": {catalogue.Published, catalogue.Suspended},
		"retired":   {catalogue.Published, catalogue.Retired},
	} {
		d := catalogue.Draft{Dataset: cataloguetest.Full(slug)}
		if slug == "bare" {
			d.Dataset = cataloguetest.Dataset(slug)
		} else {
			d.Files = []catalogue.DraftFile{
				cataloguetest.File("recordings.csv", "text/csv; charset=utf-8", "recording_id\n1\n"),
				cataloguetest.File("sample/sample.wav", "audio/wav", "RIFF0123456789"),
				cataloguetest.File("sample/segments.csv", "text/csv; charset=utf-8", "start_s\n0\n"),
			}
		}
		_, err := c.Put(t.Context(), d)
		for _, to := range moves {
			if err == nil {
				_, err = c.Move(t.Context(), slug, to)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// ravi is a form that is good.
func ravi() enquiry.Form {
	return enquiry.Form{
		Name: "Ravi Kumar", Email: "ravi@example.org", Company: "Example Ltd.", Intent: enquiry.Quote, Dataset: "hi-cc",
		Message: "We train a recogniser.\nTwo hundred hours, until June.",
	}
}

// from is a client on the network.
func from(client string) enquiry.Source { return enquiry.Source{Client: client, RequestID: "req_1"} }

// outcomes are those of the journal, in its order.
func (w *world) outcomes() (out []enquiry.Outcome) {
	for _, e := range w.Journal {
		out = append(out, e.Outcome)
	}
	return out
}

// gone is a context that has ended.
func gone(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
