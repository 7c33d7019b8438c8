package code

import (
	"strings"
	"unicode"

	"vaak/text/normalize/scan"
)

// Identifier reads numbers whose form shows that they name something and count nothing:
// those of cards in fours, masked ones, UUIDs, IBANs, vehicle plates, and postal codes
// with a hyphen.
func (co *Recognizer) Identifier(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || in.Kind(i-1) == scan.Sign && strings.ContainsRune("-/.,", in.Rune(i-1)) {
		return scan.Outcome{}
	}
	for _, read := range [...]func(*scan.View, int) (string, int){co.masked, co.uuid, co.card, co.Account, co.plates.Plate, co.lot, co.postcodes.Addressed, co.announcedAfter} {
		if w, n := read(in, i); n > 0 {
			return scan.Said(w, n)
		}
	}
	return scan.Outcome{}
}

// Masked reads a number whose first digits are hidden behind stars or bullets: ****4567.
func (co *Recognizer) Masked(in *scan.View, i int) scan.Outcome {
	if w, n := co.dotted(in, i); n > 0 {
		return scan.Said(w, n)
	}
	if !masks(in.Rune(i)) || !in.Opens(i) {
		return scan.Outcome{}
	}
	return scan.Said(co.masked(in, i))
}

// Dotted returns how many dots at i stand for the digits of a number of which only the last
// ones follow: ...4567, …4567. It is 0 when none do.
func Dotted(in *scan.View, i int) int {
	n := 0
	for n < 5 && in.Is(i+n, '.') {
		n++
	}
	if n == 0 && in.Is(i, '…') {
		n = 1
	} else if n < 2 {
		return 0
	}
	if k := in.Kind(i - 1); k == scan.Word || k == scan.Digits || in.Kind(i+n) != scan.Digits || !in.Closes(i+n+1) {
		return 0
	}
	if size := scan.RuneLen(in.Text(i + n)); size < 3 || size > 6 {
		return 0
	}
	if in.Kind(i+n+1) == scan.Sign && in.Kind(i+n+2) == scan.Digits {
		return 0
	}
	return n
}

// dotted reads the last digits of a number behind dots.
func (co *Recognizer) dotted(in *scan.View, i int) (string, int) {
	n := Dotted(in, i)
	if n == 0 || co.quantities.Counted(in, in.Skip(i+n+1)) {
		return "", 0
	}
	w, ok := co.say.Digits(scan.Arabic(in.Text(i + n)))
	if !ok {
		return "", 0
	}
	return w, n + 1
}

// masks reports whether a sign hides a digit.
func masks(r rune) bool { return r == '*' || r == '•' || r == '●' || r == '∗' }

// maskAt returns how many tokens hide digits at i, and how many digits they hide.
func maskAt(in *scan.View, i int) (tokens, hidden int) {
	if in.Kind(i) == scan.Word {
		w := in.Text(i)
		if strings.Trim(w, "x") != "" && strings.Trim(w, "X") != "" || len(w) < 2 {
			return 0, 0
		}
		return 1, len(w)
	}
	for tokens < scan.Lookahead && in.Kind(i+tokens) == scan.Sign && masks(in.Rune(i+tokens)) {
		tokens++
	}
	// One star before four digits is one, too: *4567.
	if tokens == 0 || tokens == 1 && (in.Rune(i) != '*' || in.Kind(i-1) != scan.Space || in.Kind(i+1) != scan.Digits || scan.RuneLen(in.Text(i+1)) != 4) {
		return 0, 0
	}
	return tokens, max(tokens, 3)
}

// masked reads a number of which a part is hidden: XX1234, xxxx-xxxx-1234, 98XXXXXX10.
// Two letters are said, because people say them; a longer mask is left out.
func (co *Recognizer) masked(in *scan.View, i int) (string, int) {
	if in.Kind(i) == scan.Word && in.Rune(i) != 'x' && in.Rune(i) != 'X' {
		return "", 0
	}
	var b strings.Builder
	seen, hidden, parted := 0, 0, 0
	j, end := i, i
	for j-i < 2*scan.Lookahead {
		in.Step()
		if n, h := maskAt(in, j); n > 0 {
			if h == 2 && in.Kind(j) == scan.Word {
				write(&b, co.say.Letters(in.Text(j)), ' ')
			}
			hidden, j = hidden+h, j+n
		} else if in.Kind(j) == scan.Digits && in.Token(j).End-in.Token(j).Start <= 64 {
			w, ok := co.say.Digits(scan.Arabic(in.Text(j)))
			if !ok {
				return "", 0
			}
			sep := byte(' ')
			if seen > 0 {
				sep = ','
			}
			write(&b, w, sep)
			seen += scan.RuneLen(in.Text(j))
			j++
		} else {
			break
		}
		end = j
		if in.Is(j, '-') || in.Skip(j) > j && in.Rune(j) == ' ' {
			parted++
			j++
		} else if k := in.Kind(j + 1); in.Is(j, '.') && hidden > 0 && (k == scan.Digits && scan.RuneLen(in.Text(j+1)) == 3 || masks(in.Rune(j+1))) {
			j++ // a tax number: ***.456.789-**
		}
	}
	// XX 25 may be a roman numeral and a number.
	if hidden < 2 || seen < 2 || hidden < 3 && (parted > 1 || end-i > 2 || seen < 3) || !in.Closes(end) {
		return "", 0
	}
	return b.String(), end - i
}

// write adds words after a space or a comma and a space.
func write(b *strings.Builder, w string, sep byte) {
	if b.Len() > 0 {
		if sep == ',' {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
	}
	b.WriteString(w)
}

// card reads three groups of four digits or more, as on a card: 4111 1111 1111 1111. Years
// in a row are none.
func (co *Recognizer) card(in *scan.View, i int) (string, int) {
	var b strings.Builder
	years, groups, j, end := 0, 0, i, i
	for groups < 6 && in.Kind(j) == scan.Digits {
		in.Step()
		d := scan.Arabic(in.Text(j))
		if len(d) != 4 {
			break
		}
		if d[:2] == "19" || d[:2] == "20" {
			years++
		}
		w, ok := co.say.Digits(d)
		if !ok {
			return "", 0
		}
		write(&b, w, ',')
		groups++
		j++
		end = j
		if !in.Is(j, '-') && in.Skip(j) == j {
			break
		}
		j++
	}
	if groups < 3 || years == groups || !in.Closes(end) || in.Kind(end) == scan.Sign && in.Kind(end+1) == scan.Digits || in.IsPercent(end) {
		return "", 0
	}
	return b.String(), end - i
}

// rest returns at most n bytes of the text from token i on, ending where a token does.
func rest(in *scan.View, i, n int) string {
	j := i
	for j < in.Len() && j-i < n && in.Token(j).End-in.Token(i).Start <= n {
		j++
	}
	if j == i {
		return ""
	}
	return in.Span(i, j)
}

// tokensOf returns how many tokens from i on have n bytes, 0 when none ends there.
func tokensOf(in *scan.View, i, n int) int {
	for j := i; j < in.Len() && j-i < n; j++ {
		if size := in.Token(j).End - in.Token(i).Start; size >= n {
			if size == n {
				return j + 1 - i
			}
			return 0
		}
	}
	return 0
}

// uuid reads a UUID, character by character with a pause between its groups.
func (co *Recognizer) uuid(in *scan.View, i int) (string, int) {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	first := in.Token(i)
	// Most words have no hyphen eight bytes further on.
	if first.R >= 0x80 || first.End-first.Start > 8 || i+6 > in.Len() {
		return "", 0
	}
	s := rest(in, i, len(form))
	if len(s) != len(form) {
		return "", 0
	}
	for k := range len(form) {
		if form[k] == '-' != (s[k] == '-') || form[k] == 'x' && !isHex(s[k]) {
			return "", 0
		}
	}
	return co.grouped(in, i, strings.Split(s, "-"), len(s))
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// grouped says groups of letters and digits that take n bytes from token i on.
func (co *Recognizer) grouped(in *scan.View, i int, groups []string, n int) (string, int) {
	tokens := tokensOf(in, i, n)
	if tokens == 0 || !in.Closes(i+tokens) {
		return "", 0
	}
	var b strings.Builder
	for _, g := range groups {
		w, ok := co.characters(g)
		if !ok {
			return "", 0
		}
		write(&b, w, ',')
	}
	return b.String(), tokens
}

// characters says ASCII letters and digits one by one.
func (co *Recognizer) characters(s string) (string, bool) {
	var parts []string
	for from := 0; from < len(s); {
		digit := s[from] <= '9'
		to := from + 1
		for to < len(s) && (s[to] <= '9') == digit {
			to++
		}
		w, ok := co.say.Letters(s[from:to]), true
		if digit {
			w, ok = co.say.Digits(s[from:to])
		}
		if !ok {
			return "", false
		}
		parts = append(parts, w)
		from = to
	}
	return co.say.Join(parts...), true
}

// Account reads the number of a bank account, an IBAN, as ISO 13616 prints it, in groups of four: DE89
// 3704 0044 0532 0130 00.
func (co *Recognizer) Account(in *scan.View, i int) (string, int) {
	if !in.Token(i).Upper || len(in.Text(i)) != 2 || in.Kind(i+1) != scan.Digits || len(in.Text(i+1)) != 2 || in.Skip(i+2) == i+2 {
		return "", 0
	}
	s := rest(in, i, 42)
	groups := strings.Split(s, " ")
	n, size := 0, 0
	for ; n < len(groups); n++ {
		g := groups[n]
		if g == "" || len(g) > 4 || strings.ContainsFunc(g, func(r rune) bool { return (r < '0' || r > '9') && (r < 'A' || r > 'Z') }) {
			break
		}
		size += len(g) + min(n, 1)
		if len(g) < 4 {
			n++
			break
		}
	}
	if n < 4 {
		return "", 0
	}
	return co.grouped(in, i, groups[:n], size)
}

// announcedAfter reads four to eight digits before words that make a code of them: 482913
// is your OTP.
func (co *Recognizer) announcedAfter(in *scan.View, i int) (string, int) {
	if in.Kind(i) != scan.Digits || in.Skip(i+1) == i+1 {
		return "", 0
	}
	d := in.Text(i)
	if n := scan.RuneLen(d); n < 4 || n > 8 {
		return "", 0
	}
	if _, n := co.after.Match(in, i+2); n == 0 || !in.Closes(i+2+n) {
		return "", 0
	}
	w, ok := co.say.Digits(scan.Arabic(d))
	if !ok {
		return "", 0
	}
	return w, 1
}

// longNumber is the number of digits from which on a number without groups names
// something: people group the digits of large amounts.
const longNumber = 8

// Long reads a long number without groups digit by digit, unless it ends in three zeros or
// counts something. Those of twelve and sixteen digits are read in fours.
func (co *Recognizer) Long(in *scan.View, i int) scan.Outcome {
	if in.Kind(i) != scan.Digits || in.Token(i).End-in.Token(i).Start < longNumber || !in.Opens(i) || !in.Closes(i+1) {
		return scan.Outcome{}
	}
	d := scan.Arabic(in.Text(i))
	if len(d) < longNumber || strings.HasSuffix(d, "000") || co.quantities.Counted(in, in.Skip(i+1)) || in.IsPercent(i+1) || in.IsOperator(in.Skip(i+1)) || in.IsOperator(in.Back(i-1)) {
		return scan.Outcome{}
	}
	// The digits are part of a decimal, a sum of money or a range.
	if in.Kind(i+1) == scan.Sign && in.Kind(i+2) == scan.Digits && !in.Is(i+1, '/') || in.Kind(i-1) == scan.Sign && (strings.ContainsRune("-.,−", in.Rune(i-1)) || unicode.Is(unicode.Sc, in.Rune(i-1))) {
		return scan.Outcome{}
	}
	if len(d) != 12 && len(d) != 16 {
		w, ok := co.say.Digits(d)
		if !ok {
			return scan.Outcome{}
		}
		// Two telephone numbers: 9876543210/9876501234.
		if e := scan.Arabic(in.Text(i + 2)); in.Is(i+1, '/') && in.Kind(i+2) == scan.Digits && len(e) >= longNumber && len(e) <= 64 && in.Closes(i+3) {
			v, _ := co.say.Digits(e)
			return scan.Said(w+", "+v, 3)
		}
		return scan.Said(w, 1)
	}
	var b strings.Builder
	for k := 0; k < len(d); k += 4 {
		w, ok := co.say.Digits(d[k : k+4])
		if !ok {
			return scan.Outcome{}
		}
		write(&b, w, ',')
	}
	return scan.Said(b.String(), 1)
}

// Dashed reads letters, a hyphen and a number: AI-302, NH-44, COVID-19. A number of three
// digits or more is said digit by digit.
func (co *Recognizer) Dashed(in *scan.View, i int) scan.Outcome {
	t := in.Text(i)
	if !in.Opens(i) || in.Is(i-1, '-') || !in.Is(i+1, '-') && !in.Is(i+1, '‑') || in.Kind(i+2) != scan.Digits || !in.Token(i).Upper || in.Token(i).Dense || in.Token(i).R >= 0x530 {
		return scan.Outcome{}
	}
	if scan.RuneLen(t) > 6 || co.quantities.IsCurrency(in, i) && scan.RuneLen(in.Text(i+2)) < 5 || in.Token(i+2).End-in.Token(i+2).Start > 12 {
		return scan.Outcome{}
	}
	parts := []string{t}
	if co.abbreviations.IsWord(t) && scan.RuneLen(in.Text(i+2)) < 3 {
		return scan.Outcome{} // COVID-19 is a name
	}
	if !co.abbreviations.IsWord(t) {
		if scan.RuneLen(t) > 4 {
			return scan.Outcome{}
		}
		parts[0] = co.say.Letters(t)
	}
	// More letters and digits may follow: SBI-4521-X, 1Z-99A.
	j := i + 2
	for {
		in.Step()
		d := scan.Arabic(in.Text(j))
		w, ok := "", false
		if len(d) > 2 || d[0] == '0' {
			w, ok = co.say.Digits(d)
		} else {
			w, ok = co.say.Int(scan.Atoi(d), "")
		}
		if !ok {
			return scan.Outcome{}
		}
		parts = append(parts, w)
		j++
		if in.Kind(j) == scan.Word && in.Token(j).Upper && scan.RuneLen(in.Text(j)) <= 2 {
			parts = append(parts, co.say.Letters(in.Text(j)))
			j++
		}
		// Letters at the end of a plate or a part's number: AB-123-C.
		if in.Is(j, '-') && in.Kind(j+1) == scan.Word && in.Token(j+1).Upper && !in.Token(j+1).Dense && scan.RuneLen(in.Text(j+1)) <= 3 && in.Closes(j+2) {
			parts = append(parts, co.say.Letters(in.Text(j+1)))
			j += 2
			break
		}
		if j-i > scan.Lookahead || !in.Is(j, '-') || in.Kind(j+1) != scan.Digits || in.Token(j+1).End-in.Token(j+1).Start > 12 {
			break
		}
		j++
	}
	if !in.Closes(j) {
		return scan.Outcome{}
	}
	return scan.Said(co.say.Join(parts...), j-i)
}

// Announced reads a number after a word such as "order", of at least four digits, digit
// by digit. A number that counts what follows it is none.
func (co *Recognizer) Announced(in *scan.View, i int) (string, int) {
	if w, n := co.masked(in, i); n > 0 {
		return w, n
	}
	w, n := co.serial(in, i, false)
	if n == 0 {
		return "", 0
	}
	digits, letters := 0, 0
	for k := i; k < i+n; k++ {
		switch in.Kind(k) {
		case scan.Digits:
			digits += scan.RuneLen(in.Text(k))
		case scan.Word:
			letters++
		}
	}
	j := i + n
	if letters == 0 && n == 1 && strings.HasSuffix(scan.Arabic(in.Text(i)), "000") {
		return "", 0 // an amount
	}
	if digits+letters < 4 || letters == 0 && n > 1 && digits < 6 || co.quantities.Counted(in, in.Skip(j)) || in.IsPercent(j) ||
		in.Kind(j) == scan.Sign && strings.ContainsRune(".,/:-", in.Rune(j)) && in.Kind(j+1) == scan.Digits {
		return "", 0
	}
	return w, n
}
