package rbnf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"vaak/text/normalize/cldr"
)

// plural is the text of $(cardinal,one{...}other{...})$ for each category; the
// empty string, which no rule of CLDR has, falls back on that of "other".
type plural struct {
	ordinal bool
	joins   bool
	exact   map[uint64]string // =1{...}
	forms   [cldr.Other + 1]string
}

var errPlural = errors.New("malformed plural")

// parsePlural reads what stands between $( and )$.
func parsePlural(s string) (*plural, error) {
	kind, forms, ok := strings.Cut(s, ",")
	if !ok || kind != "cardinal" && kind != "ordinal" {
		return nil, errPlural
	}
	p := &plural{ordinal: kind == "ordinal"}
	for forms = strings.TrimSpace(forms); forms != ""; forms = strings.TrimSpace(forms) {
		selector, rest, ok := strings.Cut(forms, "{")
		text, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return nil, errPlural
		}
		if err := p.set(strings.TrimSpace(selector), text); err != nil {
			return nil, err
		}
		forms = after
	}
	return p, nil
}

// set keeps the text of one selector.
func (p *plural) set(selector, text string) error {
	p.joins = p.joins || joins(text)
	if number, ok := strings.CutPrefix(selector, "="); ok {
		n, ok := parseWhole(number)
		if !ok {
			return errPlural
		}
		if p.exact == nil {
			p.exact = map[uint64]string{}
		}
		p.exact[n] = text
		return nil
	}
	for c := range p.forms {
		if cldr.Category(c).String() == selector {
			p.forms[c] = text
			return nil
		}
	}
	return fmt.Errorf("%w: there is no category %.20q", errPlural, selector)
}

// choose returns the text for a number.
func (p *plural) choose(l *cldr.Locale, n uint64) string {
	if text, ok := p.exact[n]; ok {
		return text
	}
	c := cldr.Other
	if l != nil {
		c = p.category(l, n)
	}
	if int(c) < len(p.forms) && p.forms[c] != "" {
		return p.forms[c]
	}
	return p.forms[cldr.Other]
}

func (p *plural) category(l *cldr.Locale, n uint64) cldr.Category {
	o, ok := cldr.NewOperands(strconv.FormatUint(n, 10))
	switch {
	case !ok:
		return cldr.Other
	case p.ordinal:
		return l.Ordinal(o)
	}
	return l.Plural(o)
}
