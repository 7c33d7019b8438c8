package dictionaries

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
	"vaak/text/respell"
)

// rules answers with a page of a dictionary's rules of at most most bytes, but at least one
// rule. All pages show the version of the first page, so that an edit between two pages neither
// hides a rule nor shows one twice.
func (d Dictionaries) rules(ctx context.Context, c tool.Call, in listDictionariesInput, most int) (tool.Answer[listDictionariesOutput], error) {
	known, rules, err := d.Service.Get(ctx, c.OrgID, in.ID)
	if err != nil {
		return tool.Answer[listDictionariesOutput]{}, called("id", err)
	}
	from := 0
	if in.Cursor != "" {
		if known.Latest, rules, from, err = d.goOn(ctx, c, in); err != nil {
			return tool.Answer[listDictionariesOutput]{}, err
		}
	}
	for n := min(in.Limit, len(rules)-from); ; {
		out := listDictionariesOutput{
			Dictionaries: []dictionaryBrief{briefDictionary(known)},
			VersionID:    known.Latest.ID, Description: plain.Text(known.Description, maxDescription),
		}
		for _, r := range rules[from : from+n] {
			out.Rules = append(out.Rules, ruleOf(r))
		}
		if from+n < len(rules) {
			out.NextCursor = ruleCursor(from+n, known.Latest.ID)
		}
		a, size, err := out.answer(out.rulesText(from))
		if err != nil || size <= most || n <= 1 {
			return a, err
		}
		// In proportion to the size, and at least one less, so that this ends.
		n = max(1, min(n-1, n*most/size))
	}
}

// ruleCursor returns the cursor of the page that begins with the rule at in a version.
func ruleCursor(at int, version string) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", at, version))
}

// goOn returns the version of the cursor, its rules, and the index where the page begins.
func (d Dictionaries) goOn(ctx context.Context, c tool.Call, in listDictionariesInput) (v dictionary.Version, rules []respell.Rule, from int, err error) {
	wrong := fault.BadParameter("cursor", "the cursor is not one of this dictionary, or its version is kept no more; leave it out to start from the first rule")
	raw, err := base64.RawURLEncoding.DecodeString(in.Cursor)
	number, version, _ := strings.Cut(string(raw), " ")
	// The cursor is made anew and compared whole, so that each page has one cursor. No page that
	// begins with the first rule has one.
	if from, _ = strconv.Atoi(number); err != nil || from < 1 || ruleCursor(from, version) != in.Cursor {
		return v, nil, 0, wrong
	}
	v, rules, err = d.Service.Version(ctx, c.OrgID, in.ID, version)
	if fault.KindOf(err) == fault.NotFound || err == nil && from >= len(rules) {
		err = wrong
	}
	return v, rules, from, err
}

// rulesText returns the page as text, a line for each rule.
func (o listDictionariesOutput) rulesText(from int) string {
	d := o.Dictionaries[0]
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", tool.Quoted(d.Name, maxListedName), tool.Plural(int64(d.Rules), "rule"))
	if n := len(o.Rules); n < d.Rules {
		fmt.Fprintf(&b, ", here %d to %d", from+1, from+n)
	}
	b.WriteString(".")
	if o.Description != "" {
		b.WriteString("\n" + tool.Quoted(o.Description, maxDescription))
	}
	if len(o.Rules) > 0 {
		b.WriteString("\nstring_to_replace|alias|options:")
	}
	for _, r := range o.Rules {
		b.WriteString("\n" + column(r.Term) + "|" + column(r.Alias))
		if options := r.options(); options != "" {
			b.WriteString("|" + options)
		}
	}
	o.next(&b)
	return b.String()
}

// options lists the options of a rule that differ from their defaults.
func (r ruleBrief) options() string {
	var options []string
	if r.CaseSensitive {
		options = append(options, "case_sensitive")
	}
	if r.WordBoundaries != nil {
		options = append(options, "inside words too")
	}
	if len(r.Only) > 0 {
		options = append(options, "only "+column(strings.Join(r.Only, " ")))
	}
	if len(r.Except) > 0 {
		options = append(options, "except "+column(strings.Join(r.Except, " ")))
	}
	return strings.Join(options, ", ")
}
