package console

import (
	"context"
	"net/http"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/catalogue/measure"
	"vaak/catalogue/unseen"
	"vaak/croissant/publish"
	"vaak/enquiry"
)

// strict has the catalogue of the product: what Croissant refuses is not published.
func strict(w *world, cfg *Config) {
	var err error
	cfg.Catalogue, err = catalogue.New(context.Background(), catalogue.Config{
		Store: w.datasets, Files: w.datasets, PublicURL: api,
		Publishing: func(s *catalogue.Stored) error { return publish.Ready(s, api) },
		Unseen:     unseen.Stored,
	})
	if err != nil {
		panic(err)
	}
	cfg.Desk, err = enquiry.NewDesk(enquiry.DeskConfig{
		Records: w.enquiries, Catalogue: cfg.Catalogue, Secret: w.secret, PublicURL: api,
		Addresses: enquiry.Addresses{From: "vaak@example.org", Operator: "desk@example.org"},
	})
	if err != nil {
		panic(err)
	}
}

// full is a record that may be published.
func full(slug string) catalogue.Dataset {
	d := cataloguetest.Full(slug)
	d.Licence = &catalogue.Licence{Name: "Example Licence 1.0", Evaluation: &catalogue.Terms{Name: "Evaluation 1.0"}}
	d.Provenance = &catalogue.Provenance{Creator: &catalogue.Organisation{Name: "Example Lab"}}
	return d
}

// put publishes a dataset with a sample.
func (w *world) put(t testing.TB, d catalogue.Dataset) catalogue.Dataset {
	t.Helper()
	d, err := w.Catalogue.Put(t.Context(), catalogue.Draft{Dataset: d, Publish: true, Files: []catalogue.DraftFile{
		cataloguetest.File("recordings.csv", "text/csv; charset=utf-8", "recording_id\n1\n"),
		cataloguetest.File("sample/sample.wav", "audio/wav", "RIFF0123456789"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDatasetLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strict)
	b := w.as(t, w.operator)
	has(t, shown(t, b.get("/datasets"), http.StatusOK), "No dataset yet.", "<code>vaak dataset ingest</code>", "<code>vaak demo</code>")
	d, err := w.Catalogue.Put(t.Context(), catalogue.Draft{Dataset: full("hi-cc"), Files: []catalogue.DraftFile{cataloguetest.File("recordings.csv", "text/csv; charset=utf-8", "recording_id\n1\n")}})
	if err != nil {
		t.Fatal(err)
	}
	at := "/datasets/hi-cc"
	body := shown(t, b.get(at), http.StatusOK)
	has(t, body, `<span class="badge quiet">draft</span>`, "no public page", "<button>Publish</button>", "publishable")
	lacks(t, body, api+"/catalogue", "Suspend", "Retire")

	for _, step := range []struct {
		to, action, badge string
		links, lacks      []string
	}{
		{"published", "publish", "good\">published", []string{`href="` + api + `/catalogue/datasets/hi-cc"`, `href="` + api + `/catalogue/datasets/hi-cc/croissant.json"`, "Suspend", "Retire"}, []string{"<button>Publish"}},
		{"suspended", "suspend", "warn\">suspended", []string{"<button>Publish", "Retire", "no public page"}, []string{api + "/catalogue", "Suspend this"}},
		{"published", "publish", "good\">published", []string{"Public page"}, nil},
		{"retired", "retire", "quiet\">retired", []string{"nothing follows", "Public page"}, []string{"<button>Publish", "Suspend this", "Retire this"}},
	} {
		moved(t, b.post(at+"/status", "to", step.to, "sure", "yes"), at)
		w.notedLast(t, "", "dataset."+step.action, d.ID, "done")
		body := shown(t, b.get(at), http.StatusOK)
		has(t, body, append(step.links, step.badge)...)
		lacks(t, body, step.lacks...)
		if got, err := w.Catalogue.Show(t.Context(), "hi-cc"); err != nil || string(got.Status) != step.to {
			t.Fatalf("the status is %s, %v; want %s", got.Status, err, step.to)
		}
	}
	has(t, shown(t, b.post(at+"/status", "to", "published"), http.StatusConflict), "is retired, which is final")
	w.notedLast(t, "", "dataset.publish", d.ID, "status_conflict")
	shown(t, b.get("/datasets/"+d.ID), http.StatusOK)
}

func TestDatasetRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strict)
	b := w.as(t, w.operator)
	bare := cataloguetest.Dataset("bare")
	if _, err := w.Catalogue.Put(t.Context(), catalogue.Draft{Dataset: bare}); err != nil {
		t.Fatal(err)
	}
	at := "/datasets/bare"
	before := w.state(t)
	has(t, shown(t, b.get(at), http.StatusOK), "not publishable", "E012", "E014", "licence", "/creator", "were not measured", "<code>licence</code>", "<code>sample</code>")
	for _, tt := range []struct {
		to     string
		status int
		want   string
	}{
		{"gone", 400, "is not one of published, suspended, retired"},
		{hostile[0], 400, "is not one of"},
		{"draft", 400, "is not one of"},
		{"", 400, "is not one of"},
		{"retired", 400, "tick the box"},
	} {
		has(t, shown(t, b.post(at+"/status", "to", tt.to), tt.status), tt.want, `role="alert"`, "not publishable")
	}
	if after := w.state(t); after != before {
		t.Errorf("what was refused changed\n%s\nto\n%s", before, after)
	}
	has(t, shown(t, b.post(at+"/status", "to", "suspended"), http.StatusConflict), "can become published;")
	refused := shown(t, b.post(at+"/status", "to", "published"), http.StatusUnprocessableEntity)
	has(t, refused, "Dataset bare cannot be published: ", "the card needs licence.name", "E012", "E014", "Version 1.0", "Version 1.1")
	for _, v := range w.verdicts(t, "bare") {
		for _, f := range append(v.Report.Errors, v.Report.Warnings...) {
			has(t, refused, `<th scope="row">`+f.Code+"</th>")
		}
	}
	if got, err := w.Catalogue.Show(t.Context(), "bare"); err != nil || got.Status != catalogue.Drafted {
		t.Errorf("the status is %s, %v; want draft", got.Status, err)
	}
	shown(t, b.get("/datasets/none"), http.StatusNotFound)
	shown(t, b.post("/datasets/none/status", "to", "published"), http.StatusNotFound)
}

// TestDatasetIsLookedAtFirst publishes a dataset with a phone number in the name of a file only when
// somebody ticks the box.
func TestDatasetIsLookedAtFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strict)
	b := w.as(t, w.operator)
	d, err := w.Catalogue.Put(t.Context(), catalogue.Draft{Dataset: full("hi-cc"), Files: []catalogue.DraftFile{
		cataloguetest.File("recordings.csv", "text/csv; charset=utf-8", "recording_id,path\n1,audio/+919876543210.wav\n")}})
	if err != nil {
		t.Fatal(err)
	}
	at := "/datasets/hi-cc"
	refused := shown(t, b.post(at+"/status", "to", "published"), http.StatusUnprocessableEntity)
	has(t, refused, "path of recording 1; look at it, then tick the box", `name="looked_at" type="checkbox" value="yes" aria-invalid="true"`)
	lacks(t, refused, "98765")
	w.notedLast(t, "", "dataset.publish", d.ID, "not_looked_at")
	moved(t, b.post(at+"/status", "to", "published", "looked_at", "yes"), at)
	w.notedLast(t, "", "dataset.publish", d.ID, "done")
}

func (w *world) verdicts(t testing.TB, slug string) []publish.Verdict {
	t.Helper()
	s, err := w.Catalogue.ShowFiled(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	s.Dataset.DatePublished = new("2026-01-02") // as it would be published
	all, err := publish.Verdicts(&s, api)
	if err != nil || len(all) != 2 || all[0].Report.Valid {
		t.Fatalf("the verdicts are %+v, %v", all, err)
	}
	return all
}

func TestDatasetsByStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	for i := range 120 {
		slug := "set-" + string([]byte{'a' + byte(i/26), 'a' + byte(i%26)})
		if _, err := w.Catalogue.Put(t.Context(), catalogue.Draft{Dataset: cataloguetest.Dataset(slug), Publish: i%3 == 0}); err != nil {
			t.Fatal(err)
		}
	}
	has(t, shown(t, b.get("/datasets?status=retired"), http.StatusOK), "No dataset has the status retired.")
	has(t, shown(t, b.get("/datasets?page=9"), http.StatusOK), "Page 3 of 3")
	first := shown(t, b.get("/datasets"), http.StatusOK)
	has(t, first, "All (120)", "draft (80)", "published (40)", "suspended (0)", "retired (0)", "set-aa", "set-bx", `href="/datasets?page=2"`)
	lacks(t, first, "set-by")
	only := shown(t, b.get("/datasets?status=draft&page=2"), http.StatusOK)
	has(t, only, "set-eo", `<a href="/datasets?status=draft" rel="prev"`)
	lacks(t, only, "set-aa", `good">published`)
	has(t, shown(t, b.get("/datasets?status=gone"), http.StatusBadRequest), "is not one of draft, published, suspended, retired")
}

func TestMeasurementReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := full("hi-cc")
	s := d.Specification
	s.MeasuredFrom = catalogue.Extent{Files: 1200, Hours: 99.5, Share: 0.75}
	s.DurationS = catalogue.Durations{Min: 7, Median: 65, Max: 3723, Total: 7200}
	s.Codec, s.SampleRateHz = map[string]int{"pcm_s16le": 3, "flac": 1197}, map[string]int{"8000": 1200}
	s.ChannelsClaimed, s.ChannelsMeasured = "dual", hostile[0]
	s.Method = catalogue.Method{Name: "vaak-audio", Version: "1.2"}
	s.ClippedFiles, s.UpsampledFiles, s.SilentChannels = 11, 12, 13
	s.SNRDB = &catalogue.Spread{Median: 31.256, P10: 20, P90: 40.5}
	d.Measurements.SpeechSeconds = 3600
	d.Measurements.SilenceRatio = &catalogue.Spread{Median: 0.225, P10: 0.1, P90: 0.4}
	d.Sample.Metrics.Audio[0].LowConfidence = true
	w.put(t, d)
	body := shown(t, w.as(t, w.operator).get("/datasets/hi-cc"), http.StatusOK)
	has(t, body, "1,200 files, 99.5 hours, 75 % of all files", "2:00:00", "0:07 to 1:02:03, median 1:05", "flac (1,197 files), pcm_s16le (3 files)", "8,000 Hz (1,200 files)", "22.5 % (10 % to 40 % in most files)",
		"31.26 (20 to 40.5 in most files)", "<dt>Speech share</dt><dd>50 %</dd>", "Files that are clipped: 11.", "Files that were upsampled: 12.", "Channels that are silent: 13.",
		"Only 75 % of the files were measured.", "Measured by vaak-audio/1.2; "+measure.Method+" measures more or otherwise.", "The card says dual", "Channel 1 of the sample: it is doubtful where people speak.", "Gaps: what nobody has told", "<code>licence.url</code>")
	harmless(t, body, hostile[0])
}

func TestHostileDatasets(t *testing.T) {
	t.Parallel()
	for _, name := range hostile {
		w := newWorld(t)
		d := cataloguetest.Dataset("odd")
		d.Title = name
		if _, err := w.Catalogue.Put(t.Context(), catalogue.Draft{Dataset: d}); err != nil {
			t.Fatal(err)
		}
		b := w.as(t, w.operator)
		harmless(t, shown(t, b.get("/datasets"), http.StatusOK), name)
		harmless(t, shown(t, b.get("/datasets/odd"), http.StatusOK), name)
	}
}
