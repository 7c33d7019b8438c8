package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/text"
	"vaak/text/plate"
)

// link reads a link, e-mail address, handle, hashtag or vehicle plate that begins at i.
func (c *cutter) link(i, end int) bool {
	b := c.text[i]
	if i < c.plain || b >= utf8.RuneSelf || !isMailbox(b) && b != '#' && b != '@' {
		return false
	}
	s := c.text[i:end]
	switch b {
	case '#':
		return c.hashtag(i, end)
	case '@':
		n := 1
		for n < len(s) && (s[n] == '_' || s[n] == '.' || isLatin(s[n]) || isDigit(s[n])) {
			n++
		}
		// A full stop at the end is that of the sentence. The least is @ and two
		// characters.
		return c.addLink(i, i+len(strings.TrimRight(s[:n], ".")), 3)
	}
	if n := plate.India(s); n > 0 {
		return c.addLink(i, i+n, 0)
	}
	if n := c.provincial(i, end); n > 0 {
		return c.addLink(i, i+n, 0)
	}
	// A unit alone is read as one with a number is, km/h and m².
	if n := unitAlone(s); n > 0 && (i == 0 || !isLatinAt(c.text, i-1)) {
		c.add(atom{Span: text.Span{Start: i}, kind: number, lettered: true}, c.whole(i+n))
		return true
	}
	n := 0
	for n < len(s) && isMailbox(s[n]) {
		n++
	}
	// The characters up to here are read once, whatever the outcome. Without this a long
	// word would be read again from each of its letters, in quadratic time.
	c.plain = i + n
	c.work += n
	switch rest := s[n:]; {
	case strings.HasPrefix(rest, "@"):
		m := domain(rest[1:])
		// A name at a bank is an address of UPI: name@okaxis.
		for m == 0 && 1+m < len(rest) && (isLatin(rest[1+m]) || m > 0 && isDigit(rest[1+m])) {
			for 1+m < len(rest) && (isLatin(rest[1+m]) || isDigit(rest[1+m])) {
				m++
			}
		}
		return m > 0 && c.addLink(i, i+n+1+m, 0)
	// At least one character must follow the three of "://".
	case strings.HasPrefix(rest, "://") && isLatin(b):
		return c.addLink(i, i+n+3+address(rest[3:]), n+4)
	case hasPrefixFold(s, "www.") && n > 4:
		return c.addLink(i, i+address(s), 5)
	case strings.IndexByte(s[:n], '.') > 0 && isHost(strings.TrimRight(s[:n], ".-_")):
		return c.addLink(i, i+address(s), 4)
	// A disk and the path of a file on it: C:\x.
	case n == 1 && isLatin(b) && strings.HasPrefix(rest, ":\\"):
		m := n
		for m < len(s) && s[m] > ' ' && s[m] < utf8.RuneSelf && strings.IndexByte("\"<>|,;", s[m]) < 0 {
			m++
		}
		return c.addLink(i, i+len(strings.TrimRight(s[:m], ".?!:)")), 4)
	}
	return false
}

// addLink adds a link if it has at least so many bytes, and grows it to the end
// of its last cluster.
func (c *cutter) addLink(from, to, least int) bool {
	if to-from < least || to <= from {
		return false
	}
	c.work += to - from
	c.add(atom{Span: text.Span{Start: from}, kind: link, script: "Latn", letters: int32(to - from)}, c.whole(to))
	return true
}

// whole returns the end of the cluster of the character before to, which follows
// an atom's letter or digit.
func (c *cutter) whole(to int) int {
	if to == len(c.text) || c.text[to] < utf8.RuneSelf {
		return to
	}
	// Back to the letter before its marks, where a cluster surely begins.
	from := len(strings.TrimRightFunc(c.text[:to], func(r rune) bool { return unicode.In(r, unicode.M, unicode.Cf) }))
	_, size := utf8.DecodeLastRuneInString(c.text[:from])
	n, _ := c.cluster(from - size)
	return max(to, from-size+n)
}

// hashtag reads letters, digits and underscores of any script after #.
func (c *cutter) hashtag(i, end int) bool {
	a := atom{Span: text.Span{Start: i}, kind: link}
	at := i + 1
	for at < end {
		n, script := c.cluster(at)
		if script == "" && c.text[at] != '_' && !isNumeric(c.text[at:]) {
			break
		}
		if a.script == "" {
			a.script = script
		}
		at += n
	}
	if a.script == "" || at == i+1 {
		return false
	}
	// The number of an order goes on behind a hyphen: #DEL-48213.
	if at+1 < end && c.text[at] == '-' && isDigit(c.text[at+1]) && strings.Trim(c.text[i+1:at], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" {
		for at++; at < end && (isDigit(c.text[at]) || c.text[at] == '-' && at+1 < end && isDigit(c.text[at+1])); at++ {
		}
	}
	a.letters = int32(utf8.RuneCountInString(c.text[i:at]))
	c.add(a, at)
	return true
}

// isMailbox reports whether a byte may stand in the name before the @ of an address.
func isMailbox(b byte) bool {
	return isLatin(b) || isDigit(b) || b == '.' || b == '_' || b == '%' || b == '+' || b == '-'
}

// domain returns the length of a name of a host at the start of a text; 0 if
// there is none with a dot.
func domain(s string) int {
	n := 0
	for n < len(s) && (isLatin(s[n]) || isDigit(s[n]) || s[n] == '-' || s[n] == '.') {
		n++
	}
	// A dot or hyphen at the end belongs to the sentence.
	n = len(strings.TrimRight(s[:n], "-."))
	if strings.IndexByte(s[:n], '.') <= 0 {
		return 0
	}
	return n
}

// address returns the length of the rest of a link, without the punctuation of
// the sentence around it. Letters beyond ASCII belong to it after a mark of its
// own that is no hyphen, unless they are of a script that has no spaces.
func address(s string) int {
	n, open, beyond := 0, 0, false
	for n < len(s) {
		if b := s[n]; b < utf8.RuneSelf {
			if b <= ' ' || strings.IndexByte("\"<>{}|\\^`[]", b) >= 0 {
				break
			}
			if b == '(' {
				open++
			} else if b == ')' {
				// A bracket that the link has not opened belongs to the text around it:
				// "(see https://example.org)".
				if open--; open < 0 {
					break
				}
			}
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		// From U+2E80 on are the scripts of East Asia. They put no space after a link, so
		// their letters are the sentence that goes on.
		if !unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r >= 0x2E80 || n > 0 && !beyond && isMailbox(s[n-1]) {
			break
		}
		beyond = true
		n += size
	}
	return len(strings.TrimRight(s[:n], ".,;:!?'*_~-"))
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// unitAlone returns the length of a unit with a sign in it at the start of a text, 0 for
// none.
func unitAlone(s string) int {
	n := letters(s)
	if n == 0 || n == len(s) || n > 3 || s[n] != '/' && s[n] != "²"[0] || !isUnit(s[:n]) {
		return 0
	}
	if s[n] != '/' {
		if r, size := utf8.DecodeRuneInString(s[n:]); (r == '²' || r == '³') && !isLatinAt(s, n+size) {
			return n + size
		}
		return 0
	}
	if m := letters(s[n+1:]); m > 0 && isUnit(s[n+1:n+1+m]) && n+m > 2 {
		return n + 1 + m
	}
	return 0
}

// isHost reports whether a word is a name of a host, with one of the usual ends, or of a
// file, with one of the usual extensions.
func isHost(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot <= 0 || len(s)-dot > 11 || s[dot-1] == '.' {
		return false
	}
	lettered := false
	for i := range dot {
		lettered = lettered || isLatin(s[i])
	}
	if !lettered || !isLatin(s[0]) && !isDigit(s[0]) {
		return false
	}
	switch s[dot+1:] {
	case "com", "org", "net", "edu", "gov", "info", "io", "ai", "app", "dev", "in", "co", "uk", "us", "eu", "de", "fr", "it", "es", "ru", "ua", "jp", "cn", "kr", "br", "gr", "il", "pk", "bd", "lk", "np", "ir", "tr", "pl",
		"mil", "int", "biz", "me", "tv", "ca", "au", "nz", "ch", "at", "be", "nl", "pt", "se", "no", "dk", "fi", "cz", "sk", "hu", "ro", "bg", "hr", "rs", "si", "ee", "lv", "lt", "by", "kz", "ge", "am", "az", "uz", "sa", "ae", "qa", "kw",
		"eg", "ma", "za", "ng", "ke", "tz", "id", "my", "sg", "ph", "th", "vn", "hk", "tw", "mx", "ar", "cl", "pe", "ie", "is", "cloud", "online", "site", "xyz", "tech", "shop", "store", "live", "news", "blog", "club", "bank", "edu.in", "gg", "ly", "fm", "cc", "name", "pro", "mobi", "asia", "space", "website":
		return dot > 1 || len(s)-dot == 4 || s[dot+1:] == "co" || s[dot+1:] == "me"
	case "txt", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "csv", "json", "xml", "yaml", "yml", "html", "css", "js", "py", "java", "php", "sql", "log", "zip", "tar", "gz", "exe", "apk", "jpg", "jpeg", "png", "gif", "svg", "heic", "webp",
		"mp3", "mp4", "m4a", "wav", "ogg", "avi", "mkv", "mov", "md", "epub", "7z", "rar":
		return true
	}
	return false
}

// named returns the script of the name of a file or a host of which the Latin word from start to end is
// the extension, as in отчёт_2024.pdf; "" for none.
func (c *cutter) named(start, end int) string {
	n := len(c.atoms)
	if n == 0 || start != c.atoms[n-1].End+1 || c.text[start-1] != '.' || end-start > len("xhtml") || !isHost("a."+c.text[start:end]) {
		return ""
	}
	// A number may stand between: its script is that of all.
	for k := n - 1; k >= 0 && k > n-4; k-- {
		if k < n-1 && (c.atoms[k+1].Start-c.atoms[k].End > 1 || c.text[c.atoms[k].End] == ' ') {
			return ""
		}
		if a := &c.atoms[k]; a.kind == word && a.script != "" {
			if a.script == "Latn" {
				return ""
			}
			return a.script
		}
	}
	return ""
}

// isCode reports whether a Latin word with digits names something in capitals, as numbers
// of accounts, flights and orders do: XX1234, AI-302, 32B, B4, USB3.0. It has three digits or
// more, or one or two beside one letter; or letters and digits change often, as in a password.
func isCode(s string) bool {
	if len(s) > 1 && s[0]|0x20 == 'v' && strings.Trim(s[1:], "0123456789.") == "" {
		return true // a version: v3.10
	}
	if changes(s) > 2 && len(s) > 5 {
		return true
	}
	name, figure, _ := strings.Cut(s, ".") // USB3.0
	digits := 0
	for i := range len(name) {
		switch b := name[i]; {
		case isDigit(b):
			digits++
		case b == '-' || b == 'x' || b >= 'A' && b <= 'Z':
		default:
			return false
		}
	}
	if figure != "" {
		return digits > 0 && !isDigit(s[0]) && strings.Trim(figure, "0123456789") == ""
	}
	// The seat, sheet or coach B4, but not what people say in English everywhere.
	if digits == len(s)-1 && digits > 0 && digits < 3 && s[0] >= 'A' && s[0] <= 'Z' {
		switch s {
		case "G7", "G8", "G20", "T20", "F1", "N95":
			return false
		}
		return true
	}
	if digits == 1 && len(s) > 3 && isDigit(s[0]) && !strings.ContainsAny(s, "-x") {
		return true // 2BHK
	}
	if digits == 1 && len(s) == 2 && isDigit(s[0]) {
		return strings.IndexByte("ABCEF", s[1]) >= 0 // a class, a seat, a floor; not 5G, 3D and 4K
	}
	// 32B, 14-B and F-10, but not COVID-19.
	return digits > 2 || digits == 2 && isDigit(s[0]) && !isDigit(s[len(s)-1]) && len(strings.Trim(s, "0123456789-")) == 1 ||
		digits > 0 && digits < len(s) && len(s) < 5 && s[len(s)-digits-1] == '-'
}

// changes returns how often letters and digits follow each other in a word.
func changes(s string) (n int) {
	for i := 1; i < len(s); i++ {
		if isLatin(s[i]) && isDigit(s[i-1]) || isDigit(s[i]) && isLatin(s[i-1]) {
			n++
		}
	}
	return n
}

// provincial returns the length of a vehicle plate of China at i behind the character of a
// province, A·62K85; 0 for none.
func (c *cutter) provincial(i, end int) int {
	const dot = "·"
	s := c.text[i:end]
	if i == 0 || s[0] < 'A' || s[0] > 'Z' || !strings.HasPrefix(s[1:], dot) {
		return 0
	}
	if r, _ := utf8.DecodeLastRuneInString(c.text[:i]); !unicode.Is(unicode.Han, r) {
		return 0
	}
	at := 1 + len(dot)
	for at < len(s) && (isDigit(s[at]) || s[at] >= 'A' && s[at] <= 'Z') {
		at++
	}
	if n := at - 1 - len(dot); n < 5 || n > 6 {
		return 0
	}
	return at
}
