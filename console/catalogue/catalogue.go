// Package catalogue has the pages on which operators look after datasets: their state,
// what was measured of them, and what Croissant says.
package catalogue

import (
	"embed"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/unseen"
	"vaak/console/page"
	"vaak/croissant/publish"
	"vaak/enquiry"
	"vaak/internal/fault"
)

//go:embed *.html
var files embed.FS

// path is where the list of datasets is.
const path = "/datasets"

// Config is what the pages need.
type Config struct {
	Catalogue *catalogue.Service
	API       string // where clients reach the public pages
}

// pages serves the pages.
type pages struct{ Config }

// New returns the section of the catalogue.
func New(cfg Config) page.Section {
	ps := &pages{cfg}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get(path, page.Operators, ps.datasets),
		page.Get(path+"/{slug}", page.Operators, ps.dataset),
		page.Post(path+"/{slug}/status", page.Operators, ps.moveDataset, ps.dataset),
	}}
}

// statusCount is how many datasets are in a status.
type statusCount struct {
	Status catalogue.Status
	Count  int
}

// datasetList is what the page of datasets shows.
type datasetList struct {
	Entries []*catalogue.Entry // by slug
	Counts  []statusCount
	All     int
	Status  catalogue.Status // the status of the list; "" is all
	Pages   page.Paging
}

// datasets lists those of every status, or of one.
func (ps *pages) datasets(v *page.Visit) error {
	p := datasetList{Status: catalogue.Status(v.R.URL.Query().Get("status"))}
	known := []catalogue.Status{catalogue.Drafted, catalogue.Published, catalogue.Suspended, catalogue.Retired}
	if p.Status != "" && !slices.Contains(known, p.Status) {
		return fault.BadParameter("status", "status %.40q is not one of draft, published, suspended, retired", p.Status)
	}
	counts := map[catalogue.Status]int{}
	var shown []*catalogue.Entry // entries are large, and sorting moves what it sorts
	for e := range ps.Catalogue.All {
		p.All++
		counts[e.Status]++
		if p.Status == "" || e.Status == p.Status {
			shown = append(shown, &e)
		}
	}
	for _, s := range known {
		p.Counts = append(p.Counts, statusCount{s, counts[s]})
	}
	slices.SortFunc(shown, func(a, b *catalogue.Entry) int { return strings.Compare(a.Brief.Slug, b.Brief.Slug) })
	var err error
	if p.Entries, p.Pages, err = page.Slice(v, shown, url.Values{"status": {string(p.Status)}}); err != nil {
		return err
	}
	return v.Show("datasets", "Datasets", p)
}

// datasetPage is what the page of a dataset shows.
type datasetPage struct {
	catalogue.Dataset
	Report   measured
	Verdicts []publish.Verdict
	Blocked  int // how many findings prevent publication
	// Addresses of the public pages; "" while it is not visible.
	Public, Metadata string
}

// May reports whether the dataset can change to a status.
func (p datasetPage) May(to catalogue.Status) bool { return p.Status.MayBecome(to) }

func (ps *pages) dataset(v *page.Visit) error {
	stored, err := ps.findDataset(v)
	if err != nil {
		return err
	}
	p := datasetPage{Dataset: stored.Dataset, Report: report(&stored.Dataset)}
	if p.Status.Visible() {
		p.Public, p.Metadata = ps.public(v, p.URL), ps.public(v, p.Croissant)
	}
	if stored.Dataset.DatePublished == nil { // check the document that publishing it today would give
		today := time.Now().UTC().Format(time.DateOnly)
		stored.Dataset.DatePublished = &today
	}
	if p.Verdicts, err = publish.Verdicts(&stored, ps.API); err != nil {
		return err
	}
	for _, verdict := range p.Verdicts {
		for _, f := range slices.Concat(verdict.Report.Errors, verdict.Report.Warnings) {
			if f.Blocks() {
				p.Blocked++
			}
		}
	}
	return v.Show("dataset", enquiry.Inert(p.Title), p)
}

// findDataset returns the dataset of the path, whatever its status.
func (ps *pages) findDataset(v *page.Visit) (catalogue.Stored, error) {
	stored, err := ps.Catalogue.ShowFiled(v.R.Context(), v.R.PathValue("slug"))
	if fault.KindOf(err) == fault.NotFound {
		return stored, page.NoSuch("dataset")
	}
	return stored, err
}

// public returns the address of a page of the public site. A catalogue that does not know
// the address of the site has paths alone.
func (ps *pages) public(v *page.Visit, address string) string {
	if strings.HasPrefix(address, "/") {
		return ps.API + address
	}
	return address
}

// moves are the actions and notices for each status that a dataset can be given here.
var moves = map[catalogue.Status]struct{ action, notice string }{
	catalogue.Published: {"dataset.publish", "The dataset is published."},
	catalogue.Suspended: {"dataset.suspend", "The dataset is suspended: nobody sees it for now."},
	catalogue.Retired:   {"dataset.retire", "The dataset is retired, for good."},
}

// moveDataset changes the status of a dataset.
func (ps *pages) moveDataset(v *page.Visit) error {
	stored, err := ps.findDataset(v)
	if err == nil {
		err = v.ReadForm(page.MaxForm)
	}
	if err != nil {
		return err
	}
	to := catalogue.Status(v.Sent.Field("to"))
	move, known := moves[to]
	if !known {
		return fault.BadParameter("to", "status %.40q is not one of published, suspended, retired", to)
	}
	if to == catalogue.Retired {
		if err := v.Sent.Sure(); err != nil {
			return err
		}
	}
	change := ps.Catalogue.Move
	if v.Sent.Field("looked_at") == "yes" {
		change = ps.Catalogue.MoveSeen
	}
	_, err = change(v.R.Context(), stored.Dataset.ID, to)
	if _, ok := errors.AsType[*unseen.Error](err); ok {
		err = fault.New(fault.Unprocessable, "not_looked_at", "looked_at", "%v; look at it, then tick the box; nothing was changed", err)
	}
	v.Note(move.action, stored.Dataset.ID, err)
	if err != nil {
		return err
	}
	return v.Done(path+"/"+url.PathEscape(stored.Dataset.Slug), move.notice)
}
