package console

import (
	"net/url"
	"slices"
	"strconv"

	"vaak/dictionary"
	"vaak/text/respell"
)

// versionsPage is what the page of versions shows: all that are kept, and how two of
// them differ.
type versionsPage struct {
	Dictionary              dictionary.Dictionary
	Versions                []dictionary.Version // the latest first
	From, To                dictionary.Version   // that are compared; zero where there is one alone
	Added, Removed, Changed int
	Changes                 []change
	Pages                   paging
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

// Options names the options of a rule that are not usual.
func (change) Options(r *respell.Rule) string { return ruleOptions(*r) }

func (v *visit) versions() error {
	d, _, err := v.findDictionary()
	if err != nil {
		return err
	}
	p := versionsPage{Dictionary: d}
	if p.Versions, err = v.Dictionaries.Versions(v.r.Context(), v.org.ID, d.ID); err != nil {
		return notNamed(err)
	}
	p.choose(v.r.URL.Query().Get("from"), v.r.URL.Query().Get("to"))
	if p.From.ID != "" {
		if err := v.compare(&p); err != nil {
			return err
		}
	}
	return v.show("dictionaryversions", "Versions of "+d.Name, p)
}

// choose decides which versions are compared: those that are asked for by number, else
// the latest with the one before it.
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

// compare fills in how the two versions differ.
func (v *visit) compare(p *versionsPage) error {
	_, before, err := v.findVersion(p.From.ID)
	if err != nil {
		return err
	}
	_, after, err := v.findVersion(p.To.ID)
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
	p.Changes, p.Pages, err = paged(v, p.Changes, url.Values{"from": {strconv.Itoa(p.From.Number)}, "to": {strconv.Itoa(p.To.Number)}})
	return err
}

// restoreVersion makes a version with the rules of an older one.
func (v *visit) restoreVersion() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	ctx, id := v.r.Context(), v.r.PathValue("dictionary")
	old, rules, err := v.findVersion(v.field("version"))
	if err != nil {
		return err
	}
	made, err := v.Dictionaries.SetAfter(ctx, v.org.ID, id, v.field("latest"), rules)
	v.note("dictionary.restore", id, err)
	if err != nil {
		return notNamed(err)
	}
	return v.done(v.at("dictionaries/"+id+"/versions"), "Version "+strconv.Itoa(made.Number)+" has the rules of version "+strconv.Itoa(old.Number)+". Requests use it from now on.")
}
