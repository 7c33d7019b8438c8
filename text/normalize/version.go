package normalize

import (
	"strings"
)

// dotted returns numbers with dots between them and the token after the last.
func (c *cursor) dotted(i int, parts []string) ([]string, int) {
	for c.kind(i) == digits && len(parts) < cap(parts) {
		c.steps++
		parts = append(parts, arabic(c.text(i)))
		i++
		if !c.is(i, '.') || c.kind(i+1) != digits {
			break
		}
		i++
	}
	return parts, i
}

// stop returns the word between the parts of a version: that of the decimal
// point where it is a full stop, else the one of addresses.
func (n *Normalizer) stop() string {
	if n.names.versionPoint != "" {
		return n.names.versionPoint
	}
	if n.loc.Decimal == "." && n.point != "" || n.names.dot == "" {
		return n.point
	}
	return n.names.dot
}

// readAddressNumber reads 192.168.1.1 digit by digit, and other numbers with
// two dots or more as versions.
func readAddressNumber(c *cursor, i int) outcome {
	if !c.opens(i) || !c.is(i+1, '.') || c.kind(i+2) != digits || !c.is(i+3, '.') {
		return outcome{}
	}
	var room [8]string
	parts, end := c.dotted(i, room[:0])
	if len(parts) < 3 || !c.closes(end) {
		return outcome{}
	}
	if c.loc.Group == "." && len(parts[0]) <= 3 && thousands(parts[1:]) {
		return outcome{}
	}
	w, ok := "", false
	if address(parts) {
		w, ok = c.sayParts(parts, c.names.dot, true)
	} else {
		w, ok = c.sayParts(parts, c.stop(), false)
	}
	if !ok {
		return outcome{}
	}
	return said(w, end-i)
}

// thousands says that all parts have three digits, as groups of a number have.
func thousands(parts []string) bool {
	for _, p := range parts {
		if len(p) != 3 {
			return false
		}
	}
	return true
}

// address says that numbers are those of an address of the internet.
func address(parts []string) bool {
	if len(parts) != 4 {
		return false
	}
	for _, p := range parts {
		if len(p) > 3 || atoi(p) > 255 {
			return false
		}
	}
	return true
}

// sayParts reads numbers with a word between them, each digit by digit or as a
// number.
func (n *Normalizer) sayParts(parts []string, between string, spell bool) (string, bool) {
	if between == "" {
		return "", false
	}
	var b []string
	for k, p := range parts {
		if k > 0 {
			b = append(b, between)
		}
		w, ok := "", false
		if spell || len(p) > 4 || len(p) > 1 && p[0] == '0' {
			w, ok = n.spell(p)
		} else {
			w, ok = n.sayInt(atoi(p), "")
		}
		if !ok {
			return "", false
		}
		b = append(b, w)
	}
	return n.join(b...), true
}

// readVersion reads v2.3.1.
func readVersion(c *cursor, i int) outcome {
	if t := c.text(i); t != "v" && t != "V" || c.kind(i+1) != digits || !c.opens(i) || c.stop() == "" {
		return outcome{}
	}
	var room [8]string
	parts, end := c.dotted(i+1, room[:0])
	if !c.closes(end) || len(strings.Join(parts, "")) > most {
		return outcome{}
	}
	w, ok := c.sayParts(parts, c.stop(), false)
	if !ok {
		return outcome{}
	}
	v := c.names.version
	if v == "" {
		v = c.text(i)
	}
	return said(c.join(v, w), end-i)
}
