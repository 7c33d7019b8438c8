package web_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// library is a catalogue in memory: a real one with a simple way of searching.
type library struct {
	sets  []*catalogue.Dataset
	files map[string]catalogue.Content
	lists atomic.Int64 // how often it was listed
	down  error        // what every call answers
}

func (l *library) List(q catalogue.Query) (catalogue.Page, error) {
	l.lists.Add(1)
	if l.down != nil {
		return catalogue.Page{}, l.down
	}
	if q.MinHours < 0 {
		return catalogue.Page{}, fault.BadParameter("min_hours", "min_hours %v is below 0", q.MinHours)
	}
	if q.Channels != "" && q.Channels != catalogue.Dual && q.Channels != catalogue.Mono {
		return catalogue.Page{}, fault.BadParameter("channels", "channels is dual or mono, not %q", q.Channels)
	}
	page := catalogue.Page{Tag: fmt.Sprint(len(l.sets)), Facets: &catalogue.Facets{}}
	hours := 0.0
	var found []catalogue.Brief
	for _, d := range l.sets {
		if d.Status == catalogue.Published && matches(d, q) {
			found = append(found, brief(d))
			hours += d.Hours
			count(page.Facets, d)
		}
	}
	page.Count, page.TotalHours = len(found), int(hours+.5)
	from, err := strconv.Atoi(cmp.Or(q.Cursor, "0"))
	if err != nil || from < 0 || from > len(found) {
		return catalogue.Page{}, fault.BadParameter("cursor", "cursor %q is not one of ours", q.Cursor)
	}
	to := min(from+cmp.Or(q.Limit, catalogue.MaxPage), len(found))
	page.Datasets = found[from:to]
	if to < len(found) {
		page.Next = strconv.Itoa(to)
	}
	return page, nil
}

func matches(d *catalogue.Dataset, q catalogue.Query) bool {
	return strings.Contains(strings.ToLower(d.Title+" "+d.Language.Name+" "+strings.Join(d.Domains, " ")), strings.ToLower(q.Q)) &&
		(len(q.Languages) == 0 || slices.Contains(q.Languages, d.BCP47)) &&
		(q.Channels == "" || d.Channels != nil && *d.Channels == q.Channels) &&
		(q.Collection == "" || d.Collection != nil && *d.Collection == q.Collection) &&
		(!q.Sample || d.HasSample) && (!q.Transcribed || d.Transcribed) && d.Hours >= q.MinHours
}

func brief(d *catalogue.Dataset) catalogue.Brief {
	return catalogue.Brief{
		ID: d.ID, Slug: d.Slug, Title: d.Title, Language: d.Language.Name, BCP47: d.BCP47, Hours: d.Hours, Channels: d.Channels,
		Collection: d.Collection, Domain: d.Domain, Transcribed: d.Transcribed, HasSample: d.HasSample, EnglishShare: d.EnglishShare,
		URL: d.URL, Record: d.Record,
	}
}

func count(f *catalogue.Facets, d *catalogue.Dataset) {
	add := func(to *[]catalogue.Count, value, label string) {
		if i := slices.IndexFunc(*to, func(c catalogue.Count) bool { return c.Value == value }); i >= 0 {
			(*to)[i].Count++
		} else if value != "" {
			*to = append(*to, catalogue.Count{Value: value, Label: label, Count: 1})
		}
	}
	add(&f.Language, d.BCP47, d.Language.Name)
	for _, p := range []struct {
		to    *[]catalogue.Count
		value *string
	}{{&f.Channels, d.Channels}, {&f.Collection, d.Collection}, {&f.Domain, d.Domain}} {
		if p.value != nil {
			add(p.to, *p.value, "")
		}
	}
	if d.HasSample {
		f.Sample++
	}
	if d.Transcribed {
		f.Transcribed++
	}
}

func (l *library) Dataset(_ context.Context, slugOrID string) (*catalogue.Dataset, error) {
	if l.down != nil {
		return nil, l.down
	}
	for _, d := range l.sets {
		if (d.Slug == slugOrID || d.ID == slugOrID) && d.Status.Visible() {
			return d, nil
		}
	}
	return nil, fault.New(fault.NotFound, fault.CodeNotFound, "slug", "no dataset with the slug %q", slugOrID)
}

func (l *library) Filed(ctx context.Context, slugOrID string) (*catalogue.Stored, error) {
	d, err := l.Dataset(ctx, slugOrID)
	if err != nil {
		return nil, err
	}
	s := &catalogue.Stored{Revision: 1, Dataset: *d}
	if d.Manifest != "" {
		s.Files = []catalogue.File{{Name: "recordings.csv", ContentType: "text/csv", SizeBytes: 9, SHA256: strings.Repeat("0", 64), URL: d.Manifest}}
	}
	return s, nil
}

func (l *library) Answer(ctx context.Context, slugOrID string) (*catalogue.Answer, error) {
	d, err := l.Dataset(ctx, slugOrID)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(d)
	return &catalogue.Answer{Slug: d.Slug, Croissant: d.Croissant, JSON: text, Tag: "tag"}, err
}

func (l *library) Tag() string { return l.Changes().Tag() }

func (l *library) Content(_ context.Context, slugOrID, name string) (catalogue.Content, error) {
	if c, ok := l.files[slugOrID+"/"+name]; ok {
		return c, nil
	}
	return catalogue.Content{}, fs.ErrNotExist
}

func (l *library) Changes() *catalogue.Changes {
	var all []catalogue.Entry
	tag := sha256.New()
	for _, d := range l.sets {
		all = append(all, catalogue.EntryOf(d))
		fmt.Fprintln(tag, d.Slug, d.Status, d.DateModified)
	}
	return catalogue.NewChanges(hex.EncodeToString(tag.Sum(nil)), all)
}

func (l *library) Similar(s string) []string {
	var out []string
	for _, d := range l.sets {
		if d.Status == catalogue.Published && s != "" && strings.HasPrefix(d.Slug, s[:1]) && len(out) < 3 {
			out = append(out, d.Slug)
		}
	}
	return out
}

const origin = "http://speech.test:8080"

func shelves() *library {
	return &library{sets: []*catalogue.Dataset{hindi(), hinglish(), tamil(), retired(), bare()}}
}

// base is a record with what every record has.
func base(slug, title string, language catalogue.Language, hours float64) *catalogue.Dataset {
	page := origin + "/catalogue/datasets/" + slug
	return &catalogue.Dataset{
		ID: "ds_" + (slug + "0000000000000000")[:16], Slug: slug, Title: title, Description: title + ".\nRecorded for research and products.",
		Version: "1.0.0", Status: catalogue.Published, Language: language, BCP47: language.BCP47, OtherLanguages: []string{}, Hours: hours, Recordings: 120,
		URL: page, Record: origin + "/api/catalogue/datasets/" + slug, Manifest: page + "/recordings.csv",
		DateModified: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Gaps: []string{},
	}
}

func bare() *catalogue.Dataset {
	d := base("odia-bare", "Odia", catalogue.Language{Name: "Odia", ISO6393: "ory", BCP47: "or"}, 1)
	d.Recordings, d.Description, d.Version, d.Manifest = 1, "", "", ""
	d.Gaps = []string{"access", "channels", "citation", "consent", "contact", "licence", "newfield", "sample", "specification", "speakers"}
	return d
}

func retired() *catalogue.Dataset {
	d := base("bengali-radio-plays", "Bengali radio plays", catalogue.Language{Name: "Bengali", NativeName: new("বাংলা"), ISO6393: "ben", BCP47: "bn-IN"}, 4.5)
	d.Status = catalogue.Retired
	return d
}
