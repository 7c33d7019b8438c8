package console

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/enquiry"
	"vaak/internal/fault"
)

const datasetsPath = "/datasets"

func (c *Console) datasetRoutes() []route {
	if c.Catalogue == nil {
		return nil
	}
	return []route{
		get(datasetsPath, operators, (*visit).datasets),
		get(datasetsPath+"/{slug}", operators, (*visit).dataset),
		post(datasetsPath+"/{slug}/status", operators, (*visit).moveDataset, (*visit).dataset),
	}
}

// statusCount is how many datasets are in a status.
type statusCount struct {
	Status catalogue.Status
	Count  int
}

// datasetList is what the page of datasets shows.
type datasetList struct {
	lengths
	Entries []catalogue.Entry // by slug
	Counts  []statusCount
	All     int
	Status  catalogue.Status // the one that is shown; "" is all
	Pages   paging
}

// datasets lists those of every status, or of one.
func (v *visit) datasets() error {
	p := datasetList{Status: catalogue.Status(v.r.URL.Query().Get("status"))}
	known := []catalogue.Status{catalogue.Drafted, catalogue.Published, catalogue.Suspended, catalogue.Retired}
	if p.Status != "" && !slices.Contains(known, p.Status) {
		return fault.BadParameter("status", "status %.40q is not one of draft, published, suspended, retired", p.Status)
	}
	counts := map[catalogue.Status]int{}
	var shown []catalogue.Entry
	for e := range v.Catalogue.All {
		p.All++
		counts[e.Status]++
		if p.Status == "" || e.Status == p.Status {
			shown = append(shown, e)
		}
	}
	for _, s := range known {
		p.Counts = append(p.Counts, statusCount{s, counts[s]})
	}
	slices.SortFunc(shown, func(a, b catalogue.Entry) int { return strings.Compare(a.Brief.Slug, b.Brief.Slug) })
	var err error
	if p.Entries, p.Pages, err = paged(v, shown, url.Values{"status": {string(p.Status)}}); err != nil {
		return err
	}
	return v.show("datasets", "Datasets", p)
}

// datasetPage is what the page of a dataset shows.
type datasetPage struct {
	lengths
	catalogue.Dataset
	Report   measured
	Verdicts []publish.Verdict
	Blocked  int // findings that keep it from being published
	// Addresses of the public pages; "" while it is not visible.
	Public, Metadata string
}

// May reports whether the dataset can come to a status from the one that it has.
func (p datasetPage) May(to catalogue.Status) bool { return p.Status.MayBecome(to) }

func (v *visit) dataset() error {
	stored, err := v.findDataset()
	if err != nil {
		return err
	}
	p := datasetPage{Dataset: stored.Dataset, Report: report(&stored.Dataset)}
	if p.Status.Visible() {
		p.Public, p.Metadata = v.public(p.URL), v.public(p.Croissant)
	}
	if stored.Dataset.DatePublished == nil { // as it would be published now
		today := time.Now().UTC().Format(time.DateOnly)
		stored.Dataset.DatePublished = &today
	}
	if p.Verdicts, err = publish.Verdicts(&stored, v.API); err != nil {
		return err
	}
	for _, verdict := range p.Verdicts {
		for _, f := range slices.Concat(verdict.Report.Errors, verdict.Report.Warnings) {
			if f.Blocks() {
				p.Blocked++
			}
		}
	}
	return v.show("dataset", enquiry.Inert(p.Title), p)
}

// findDataset returns the dataset of the path, whatever its status.
func (v *visit) findDataset() (catalogue.Stored, error) {
	stored, err := v.Catalogue.ShowFiled(v.r.Context(), v.r.PathValue("slug"))
	if fault.KindOf(err) == fault.NotFound {
		return stored, noSuch("dataset")
	}
	return stored, err
}

// public returns the address of a page of the public site: a catalogue that was not
// told where that is has paths.
func (v *visit) public(address string) string {
	if strings.HasPrefix(address, "/") {
		return v.API + address
	}
	return address
}

// moves are the actions that change the status of a dataset, and the notices.
var moves = map[catalogue.Status]struct{ action, notice string }{
	catalogue.Published: {"dataset.publish", "The dataset is published."},
	catalogue.Suspended: {"dataset.suspend", "The dataset is suspended: nobody sees it for now."},
	catalogue.Retired:   {"dataset.retire", "The dataset is retired, for good."},
}

// moveDataset changes the status of a dataset.
func (v *visit) moveDataset() error {
	stored, err := v.findDataset()
	if err == nil {
		err = v.form(maxForm)
	}
	if err != nil {
		return err
	}
	to := catalogue.Status(v.field("to"))
	move, known := moves[to]
	if !known {
		return fault.BadParameter("to", "status %.40q is not one of published, suspended, retired", to)
	}
	if to == catalogue.Retired {
		if err := v.sure(); err != nil {
			return err
		}
	}
	_, err = v.Catalogue.Move(v.r.Context(), stored.Dataset.ID, to)
	v.note(move.action, stored.Dataset.ID, err)
	if err != nil {
		return err
	}
	return v.done(datasetsPath+"/"+url.PathEscape(stored.Dataset.Slug), move.notice)
}
