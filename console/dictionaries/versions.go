package dictionaries

import (
	"net/url"
	"slices"
	"strconv"

	"vaak/console/page"
	"vaak/dictionary"
	"vaak/text/respell"
)

// versionsPage is what the page of versions shows: the versions that are kept, and the
// differences of two of them.
type versionsPage struct {
	Dictionary              dictionary.Dictionary
	Versions                []dictionary.Version // the latest first
	From, To                dictionary.Version   // the two that are compared; zero when there is only one version
	Added, Removed, Changed int
	Changes                 []change
	Pages                   page.Paging
}

// change is a rule that differs.
type change struct{ dictionary.Change }

// Kind says what was done to the rule: added, removed or changed.
func (c change) Kind() string {
	switch {
	case c.Before == nil:
		return "added"
	case c.After == nil:
		return "removed"
	}
	return "changed"
}

// Options names the options of a rule that differ from the defaults.
func (change) Options(r *respell.Rule) string { return ruleOptions(*r) }

func (ps *pages) versions(v *page.Visit) error {
	d, _, err := ps.findDictionary(v)
	if err != nil {
		return err
	}
	p := versionsPage{Dictionary: d}
	if p.Versions, err = ps.Dictionaries.Versions(v.R.Context(), v.Org.ID, d.ID); err != nil {
		return notNamed(err)
	}
	p.choose(v.R.URL.Query().Get("from"), v.R.URL.Query().Get("to"))
	if p.From.ID != "" {
		if err := ps.compare(v, &p); err != nil {
			return err
		}
	}
	return v.Show("versions", "Versions of "+d.Name, p)
}

// choose sets the versions to compare: those with the given numbers, else the latest and
// the one before it.
func (p *versionsPage) choose(from, to string) {
	if len(p.Versions) < 2 {
		return
	}
	named := func(number string, otherwise int) dictionary.Version {
		if i := slices.IndexFunc(p.Versions, func(v dictionary.Version) bool { return strconv.Itoa(v.Number) == number }); i >= 0 {
			return p.Versions[i]
		}
		return p.Versions[otherwise]
	}
	p.From, p.To = named(from, 1), named(to, 0)
}

// compare fills in the differences of the two versions.
func (ps *pages) compare(v *page.Visit, p *versionsPage) error {
	_, before, err := ps.findVersion(v, p.From.ID)
	if err != nil {
		return err
	}
	_, after, err := ps.findVersion(v, p.To.ID)
	if err != nil {
		return err
	}
	for _, c := range dictionary.Compare(before, after) {
		one := change{c}
		p.Changes = append(p.Changes, one)
		switch one.Kind() {
		case "added":
			p.Added++
		case "removed":
			p.Removed++
		default:
			p.Changed++
		}
	}
	p.Changes, p.Pages, err = page.Slice(v, p.Changes, url.Values{"from": {strconv.Itoa(p.From.Number)}, "to": {strconv.Itoa(p.To.Number)}})
	return err
}

// restoreVersion makes a new version with the rules of an older one. It refuses when there
// is a later version than the one that the person saw.
func (ps *pages) restoreVersion(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	ctx, id := v.R.Context(), v.R.PathValue("dictionary")
	old, rules, err := ps.findVersion(v, v.Sent.Field("version"))
	if err != nil {
		return err
	}
	made, err := ps.Dictionaries.SetAfter(ctx, v.Org.ID, id, v.Sent.Field("latest"), rules)
	v.Note("dictionary.restore", id, err)
	if err != nil {
		return notNamed(err)
	}
	return v.Done(v.At("dictionaries/"+id+"/versions"), "Version "+strconv.Itoa(made.Number)+" has the rules of version "+strconv.Itoa(old.Number)+". Requests use it from now on.")
}
