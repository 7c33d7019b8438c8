package croissant

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vaak/croissant/badge"
	"vaak/croissant/check"
	"vaak/internal/fault"
	"vaak/web/site"
)

// maxForm bounds a form, in bytes: the document as text or as a file, and what a browser writes
// around it.
const maxForm = check.MaxDocument + 64<<10

// formView is the form.
type formView struct {
	Problem string // why nothing was checked; "" for nothing
	MaxKiB  int
	Rules   int    // how many there are
	Base    string // public address of the server
}

func (p *pages) serveForm(w http.ResponseWriter, r *http.Request) {
	p.sendForm(w, r, http.StatusOK, "")
}

func (p *pages) sendForm(w http.ResponseWriter, r *http.Request, status int, problem string) {
	p.Site.Send(w, r, site.Answer{
		Status: status, Title: "Check a Croissant document", Description: "Checks Croissant 1.0 and 1.1 documents, the metadata of datasets: every fault with its place, its rule and how to correct it.",
		Path: site.CheckPath, Form: true, Hidden: status != http.StatusOK, Page: p.check,
		View: formView{Problem: problem, MaxKiB: check.MaxDocument >> 10, Rules: len(p.byCode), Base: p.Site.PublicURL()},
	})
}

// findingView is a finding as the report shows it.
type findingView struct {
	check.Finding
	Href  string // of its rule
	Short bool   // its path stays on one line
}

// reportView is a report: whole after a check, in short behind a link.
type reportView struct {
	Valid           bool
	Version         string
	Verdict         string
	Digest, Checked string
	Errors          []findingView
	Warnings        []findingView
	Omitted         int        // findings that the page does not have
	Pasted          bool       // the digest is that of text, with LF at the end of each line
	Rules           []ruleView // that were broken; of a report behind a link
	Whole           bool
	Picture         string // path of the badge; "" without one
	Link            string // address of the report; "" without one
	Markdown        string // what shows the badge on a page of Markdown
	HTML            string
}

// serveCheck checks the document of a form and answers with the report.
func (p *pages) serveCheck(w http.ResponseWriter, r *http.Request) {
	document, pasted, err := readForm(w, r)
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	report, err := p.Service.Validate(r.Context(), document)
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	result := badge.Of(document, report, p.Now())
	result.Pasted = pasted
	v := p.newReport(result)
	v.Whole, v.Rules = true, nil
	v.Errors, v.Warnings = p.findings(report.Errors), p.findings(report.Warnings)
	v.Omitted = report.Omitted + len(report.Errors) - len(v.Errors) + len(report.Warnings) - len(v.Warnings)
	p.Site.Send(w, r, site.Answer{
		Status: http.StatusOK, Title: v.Verdict, Description: "What was found in a Croissant document.", Path: site.CheckPath, Hidden: true, Private: true, Page: p.report, View: v,
	})
}

// mostShown is how many findings of a kind the page has: the API and the command have more.
const mostShown = 200

func (p *pages) findings(all []check.Finding) (out []findingView) {
	for _, f := range all[:min(len(all), mostShown)] {
		out = append(out, findingView{f, rulePrefix + f.Code, len(f.Path) < 40})
	}
	return out
}

func (p *pages) newReport(result badge.Result) reportView {
	label, found := result.Words()
	v := reportView{
		Valid: result.Valid(), Version: result.Version, Pasted: result.Pasted, Verdict: label + ": " + found,
		Digest: result.Digest, Checked: result.Checked.Format("2006-01-02 15:04:05 UTC"),
	}
	for _, code := range result.Rules {
		if rule, ok := p.byCode[code]; ok {
			v.Rules = append(v.Rules, newRule(rule))
		}
	}
	if p.Signer == nil {
		return v
	}
	report, picture := badge.Links{By: p.Signer, Base: p.Site.PublicURL()}.Of(result)
	v.Link, v.Picture = report, strings.TrimPrefix(picture, p.Site.PublicURL())
	v.Markdown = "[![" + v.Verdict + "](" + picture + ")](" + v.Link + ")"
	v.HTML = `<a href="` + v.Link + `"><img src="` + picture + `" alt="` + v.Verdict + `"></a>`
	return v
}

// serveReport answers with the report behind a link.
func (p *pages) serveReport(w http.ResponseWriter, r *http.Request) {
	token := r.PathValue("token")
	result, ok := badge.Read(token, p.Signer)
	if !ok {
		p.noReport(w, r)
		return
	}
	v := p.newReport(result)
	p.Site.Send(w, r, site.Answer{
		Status: http.StatusOK, Title: v.Verdict, Description: "What was found in a Croissant document.", Path: badge.ReportsPrefix + token, Hidden: true, Page: p.report, View: v,
	})
}

// readForm returns the document of a form: the file that was chosen, else the text that was pasted.
// Browsers send text with CR LF at the end of each line (the HTML standard asks for it), which few
// files have: it is returned with LF.
func readForm(w http.ResponseWriter, r *http.Request) (document []byte, pasted bool, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, false, fault.New(fault.Invalid, fault.CodeInvalidBody, "", "the form is not of the type multipart/form-data, which the page sends")
	}
	var typed []byte
	for range 10 { // the form has two fields
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false, broken(w, err)
		}
		body, err := io.ReadAll(io.LimitReader(part, check.MaxDocument+1))
		if err != nil {
			return nil, false, broken(w, err)
		}
		switch {
		case part.FormName() == "file" && len(body) > 0:
			return body, false, nil
		case part.FormName() == "document" && len(strings.TrimSpace(string(body))) > 0:
			typed = body
		}
	}
	if typed == nil {
		return nil, false, fault.BadParameter("document", "there is nothing to check: choose a file, or paste the document")
	}
	return bytes.ReplaceAll(typed, []byte("\r\n"), []byte("\n")), true, nil
}

// broken is the error of a form that did not arrive whole.
func broken(w http.ResponseWriter, err error) error {
	w.Header().Set("Connection", "close") // the remainder of the body is not read
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.TooLarge, fault.CodeBodyTooLarge, "document", "the document is over %d KiB, which is the most that is checked", check.MaxDocument>>10)
	}
	return fault.New(fault.Invalid, fault.CodeInvalidBody, "", "the form broke off on its way here")
}

// refuse answers with the form and why nothing was checked.
func (p *pages) refuse(w http.ResponseWriter, r *http.Request, err error) {
	statuses := map[fault.Kind]int{
		fault.Invalid: http.StatusBadRequest, fault.TooLarge: http.StatusRequestEntityTooLarge,
		fault.Unavailable: http.StatusServiceUnavailable, fault.Cancelled: site.StatusClientGone,
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || !slices.Contains([]fault.Kind{fault.Invalid, fault.TooLarge, fault.Unavailable, fault.Cancelled}, f.Kind) {
		p.Site.CatalogueFailed(w, r, err)
		return
	}
	if f.Kind == fault.Unavailable {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(f.RetryAfter.Seconds())))))
	}
	p.sendForm(w, r, statuses[f.Kind], site.Clip(f.Msg, site.TitleMax))
}
