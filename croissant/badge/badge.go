// Package badge says in short what a check of a Croissant document found: as a token that only the
// deployment can make, and as a picture to show beside the document.
//
// Nothing is stored. The token holds the result and is signed, so a page can show the result again
// at any time, and nobody can change it.
package badge

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"vaak/croissant/check"
)

// Result is what a check found, in short.
type Result struct {
	Version  string    // of the format, such as "1.0"; "" when the document names none
	Errors   int       // findings
	Warnings int       // findings
	Omitted  int       // further findings, which the check only counted
	Pasted   bool      // the document was pasted as text, so a file of it may have other line ends
	Rules    []string  // codes of the rules that were broken, sorted
	Digest   string    // SHA-256 of the document, in hex
	Checked  time.Time // UTC, in whole seconds
}

// Of returns the result of a report on a document.
func Of(document []byte, r check.Report, now time.Time) Result {
	sum := sha256.Sum256(document)
	out := Result{
		Errors: len(r.Errors), Warnings: len(r.Warnings), Omitted: r.Omitted, Digest: hex.EncodeToString(sum[:]), Checked: now.UTC().Truncate(time.Second),
	}
	out.Version, _ = strings.CutPrefix(r.ConformsTo, "http://mlcommons.org/croissant/")
	for _, f := range slices.Concat(r.Errors, r.Warnings) {
		out.Rules = append(out.Rules, f.Code)
	}
	slices.Sort(out.Rules)
	out.Rules = slices.Compact(out.Rules)
	return out
}

// Valid reports whether no error was found.
func (r Result) Valid() bool { return r.Errors == 0 }

// Signer signs texts. In the product it is a key of internal/seal.
type Signer interface {
	Sign(parts ...string) string
	Verify(signature string, parts ...string) bool
}

// tokenJSON is the signed part of a token.
type tokenJSON struct {
	Version  string   `json:"v,omitempty"`
	Errors   int      `json:"e,omitempty"`
	Warnings int      `json:"w,omitempty"`
	Omitted  int      `json:"o,omitempty"`
	Pasted   bool     `json:"p,omitempty"`
	Rules    []string `json:"r,omitempty"`
	Digest   string   `json:"d"`
	Checked  int64    `json:"t"` // Unix seconds
}

// maxToken bounds what is read as a token. One with all rules has about 600 bytes.
const maxToken = 2000

// Token returns the result as text that can stand in an address.
func (r Result) Token(by Signer) string {
	body, err := json.Marshal(tokenJSON{r.Version, r.Errors, r.Warnings, r.Omitted, r.Pasted, r.Rules, r.Digest, r.Checked.Unix()})
	if err != nil {
		panic(err) // texts and numbers alone: it cannot fail
	}
	text := base64.RawURLEncoding.EncodeToString(body)
	return text + "." + by.Sign(text)
}

// Read returns the result in a token, or false if the deployment has not made it.
func Read(token string, by Signer) (Result, bool) {
	text, signature, ok := strings.Cut(token, ".")
	if !ok || len(token) > maxToken || !by.Verify(signature, text) {
		return Result{}, false
	}
	body, err := base64.RawURLEncoding.DecodeString(text)
	var t tokenJSON
	if err != nil || json.Unmarshal(body, &t) != nil {
		return Result{}, false
	}
	return Result{t.Version, t.Errors, t.Warnings, t.Omitted, t.Pasted, t.Rules, t.Digest, time.Unix(t.Checked, 0).UTC()}, true
}

// Where results are shown: pages at the first, pictures at the second with ".svg" behind the token.
const (
	ReportsPrefix = "/croissant/reports/"
	BadgesPrefix  = "/croissant/badges/"
)

// Links makes the addresses at which results are shown.
type Links struct {
	By   Signer
	Base string // public address of the server, without a slash at its end
}

// Of returns the address of the page of a result, and that of its picture.
func (l Links) Of(r Result) (report, picture string) {
	token := r.Token(l.By)
	return l.Base + ReportsPrefix + token, l.Base + BadgesPrefix + token + ".svg"
}

// Words returns the two texts of the picture: what was checked, and what was found.
func (r Result) Words() (label, found string) {
	label = strings.TrimSpace("Croissant " + r.Version)
	switch {
	case r.Errors > 0:
		// Where the list of warnings alone is full, what was omitted are warnings.
		full := r.Errors >= check.MaxFindings || r.Warnings < check.MaxFindings
		return label, counted(r.Errors, r.Omitted > 0 && full, "error")
	case r.Warnings > 0:
		return label, "valid, " + counted(r.Warnings, r.Omitted > 0, "warning")
	}
	return label, "valid"
}

// counted returns a number with its noun; more says that there are more than n.
func counted(n int, more bool, what string) string {
	switch {
	case more:
		return fmt.Sprint(n, "+ ", what, "s")
	case n == 1:
		return "1 " + what
	}
	return fmt.Sprint(n, " ", what, "s")
}

// ContentType is the content type of the picture.
const ContentType = "image/svg+xml"

// Colours on which white text has a contrast of 4.5 or more.
const (
	grey  = "#555555"
	green = "#1b6653"
	red   = "#a1232e"
)

// Picture returns the result as an SVG of 20 pixels height, in the form that pages of code
// repositories show.
func (r Result) Picture() []byte {
	label, found := r.Words()
	colour := green
	if !r.Valid() {
		colour = red
	}
	left, right := width(label), width(found)
	name := html.EscapeString(label + ": " + found)
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" viewBox="0 0 %[1]d 20" role="img" aria-label="%[2]s"><title>%[2]s</title>`+
		`<clipPath id="r"><rect width="%[1]d" height="20" rx="3"/></clipPath><g clip-path="url(#r)">`+
		`<rect width="%[3]d" height="20" fill="%[4]s"/><rect x="%[3]d" width="%[5]d" height="20" fill="%[6]s"/></g>`+
		`<g fill="#ffffff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`+
		`<text x="%[7]g" y="14" textLength="%[8]d">%[9]s</text><text x="%[10]g" y="14" textLength="%[11]d">%[12]s</text></g></svg>`+"\n",
		left+right, name, left, grey, right, colour,
		float64(left)/2, left-2*margin, html.EscapeString(label), float64(left)+float64(right)/2, right-2*margin, html.EscapeString(found))
}

// margin is the room beside a text of the picture, in pixels.
const margin = 6

// width returns the width of a part of the picture. A letter of 11 pixels is 6.1 pixels wide on
// average; textLength fits the text to it in any font.
func width(text string) int { return 2*margin + (len([]rune(text))*61+5)/10 }
