// Package croissant has the pages of the validator of Croissant documents: the form to check one,
// the report on it, its badge, and a page for each rule. Nothing that is sent is kept.
package croissant

import (
	"embed"
	"html/template"
	"net/http"
	"strings"
	"time"

	"vaak/croissant/badge"
	"vaak/croissant/check"
	"vaak/croissant/publish"
	"vaak/web/site"
)

// rulePrefix is where the pages of rules are.
const rulePrefix = site.RulesPath + "/"

//go:embed *.html
var files embed.FS

// Config is what the pages need.
type Config struct {
	Site    *site.Site
	Service *publish.Service
	// Signer makes the links to reports and badges; nil leaves them out.
	Signer badge.Signer
	Now    func() time.Time // nil is time.Now
}

// pages renders the pages. It is safe for concurrent use.
type pages struct {
	Config
	check, report, rules, rule *template.Template
	byCode                     map[string]check.Rule
}

// New returns the routes of the pages.
func New(cfg Config) ([]site.Route, error) {
	p := &pages{Config: cfg, byCode: map[string]check.Rule{}}
	if p.Now == nil {
		p.Now = time.Now
	}
	for _, r := range check.Rules() {
		p.byCode[r.Code] = r
	}
	for _, t := range []struct {
		to   **template.Template
		file string
	}{{&p.check, "check.html"}, {&p.report, "report.html"}, {&p.rules, "rules.html"}, {&p.rule, "rule.html"}} {
		var err error
		if *t.to, err = site.Parse(files, t.file); err != nil {
			return nil, err
		}
	}
	routes := []site.Route{
		{Path: site.CheckPath, Page: http.HandlerFunc(p.serveForm), Post: http.HandlerFunc(p.serveCheck)},
		{Path: site.RulesPath, Page: http.HandlerFunc(p.serveRules)},
		{Path: rulePrefix, Name: "code", Page: http.HandlerFunc(p.serveRule)},
	}
	if cfg.Signer == nil {
		return routes, nil
	}
	return append(routes,
		site.Route{Path: badge.ReportsPrefix, Name: "token", Page: http.HandlerFunc(p.serveReport)},
		site.Route{Path: badge.BadgesPrefix, Name: "token", Page: http.HandlerFunc(p.serveBadge)},
	), nil
}

// ruleView is a rule as pages show it.
type ruleView struct {
	check.Rule
	Href    string
	Error   bool
	Asks    string // who asks for it
	Library bool   // whether the reference library refuses what breaks it
}

func newRule(r check.Rule) ruleView {
	asks := map[string]string{
		"library":       "The format; the reference library mlcroissant asks for it, too.",
		"specification": "The specification of the format; the reference library mlcroissant does not look.",
		"ours":          "This service: documents that break it mislead their readers, though the format does not forbid it.",
	}
	return ruleView{r, rulePrefix + r.Code, r.Severity == check.Error, asks[r.Origin], r.Origin == "library" && r.Severity == check.Error}
}

// serveRules answers with the list of rules.
func (p *pages) serveRules(w http.ResponseWriter, r *http.Request) {
	var all []ruleView
	for _, rule := range check.Rules() {
		all = append(all, newRule(rule))
	}
	p.Site.Send(w, r, site.Answer{
		Status: http.StatusOK, Title: "Rules of Croissant", Description: "Every rule that Croissant documents are checked for, and how to correct what breaks it.",
		Path: site.RulesPath, Page: p.rules, View: all,
	})
}

// serveRule answers with the page of a rule.
func (p *pages) serveRule(w http.ResponseWriter, r *http.Request) {
	code := r.PathValue("code")
	rule, ok := p.byCode[code]
	if !ok {
		p.Site.SendTrouble(w, r, http.StatusNotFound, site.Trouble{Heading: "There is no such rule", Words: "The rules have codes such as E024 and W03; " + site.RulesPath + " lists them."})
		return
	}
	p.Site.Send(w, r, site.Answer{
		Status: http.StatusOK, Title: "Rule " + code + " of Croissant", Description: site.Clip(rule.Title, site.TitleMax), Path: rulePrefix + code, Page: p.rule, View: newRule(rule),
	})
}

// serveBadge answers with the picture of a result.
func (p *pages) serveBadge(w http.ResponseWriter, r *http.Request) {
	token, svg := strings.CutSuffix(r.PathValue("token"), ".svg")
	result, ok := badge.Read(token, p.Signer)
	if !ok || !svg {
		p.noReport(w, r)
		return
	}
	d := site.NewDocument(badge.ContentType, site.FilePolicy, result.Picture())
	d.Cache, d.Modified = "public, max-age=86400, immutable", result.Checked
	d.ServeHTTP(w, r)
}

func (p *pages) noReport(w http.ResponseWriter, r *http.Request) {
	p.Site.SendTrouble(w, r, http.StatusNotFound, site.Trouble{Heading: "There is no such report", Words: "The link may be cut off. Check the document again at " + site.CheckPath + "."})
}
