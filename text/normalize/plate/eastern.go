package plate

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// eastern reads the plate of a vehicle in East and South East Asia, with its letters and
// its last number digit by digit.
func (pl *Recognizer) eastern(in *scan.View, i int) (string, int) {
	if w, n := pl.provincial(in, i); n > 0 {
		return w, n
	}
	switch pl.say.Code {
	case "id":
		return pl.indonesian(in, i)
	case "vi":
		return pl.vietnamese(in, i)
	case "ko":
		return pl.korean(in, i)
	case "ja":
		// 品川 300 あ 12-34
		if kana := in.Text(i - 2); in.Kind(i-1) == scan.Space && in.Is(i+1, '-') && in.Kind(i-4) == scan.Digits && scan.RuneLen(kana) == 1 && in.Rune(i-2) >= 'ぁ' && in.Rune(i-2) <= 'ん' && in.Closes(i+3) {
			return speak.Joined(pl.say, in, i, pl.hyphen)
		}
	}
	return "", 0
}

// provincial reads the letters and digits behind the character of a province on a plate:
// 京A·62K85.
func (pl *Recognizer) provincial(in *scan.View, i int) (string, int) {
	if len(pl.letters) == 0 || !pl.letters[province(in, i)] || in.Kind(i) != scan.Word || !in.Token(i).Upper || len(in.Text(i)) != 1 {
		return "", 0
	}
	parts, size, j := []string{in.Text(i)}, 0, i+1
	if in.Is(j, '·') || in.Is(j, '•') {
		j++
	}
	for ; size < 6; j++ {
		in.Step()
		t, w, ok := in.Text(j), "", true
		switch k := in.Kind(j); {
		case k == scan.Digits:
			w, ok = pl.say.Digits(scan.Arabic(t))
		case k == scan.Word && in.Token(j).Upper && in.Rune(j) < 0x80:
			w = pl.say.Letters(t)
		default:
			ok = false
		}
		if !ok {
			break
		}
		parts, size = append(parts, w), size+scan.RuneLen(t)
	}
	if size < 5 || size > 6 {
		return "", 0
	}
	return pl.say.Join(parts...), j - i
}

// province returns the character before token i, which may be the last of the text before.
func province(in *scan.View, i int) string {
	if i > 0 {
		return in.Text(i - 1)
	}
	w := in.WordBefore(0)
	if w == "" {
		return ""
	}
	return string(scan.LastRune(w))
}

// indonesia are the first letters of vehicle plates there.
var indonesia = scan.SetOf("A B D E F G H K L M N P R S T W Z AA AB AD AE AG BA BB BD BE BG BH BK BL BM BN BP DA DB DC DD DE DG DH DK DL DM DN DR DS DT EA EB ED KB KH KT KU PA PB")

// indonesian reads B 1234 XYZ.
func (pl *Recognizer) indonesian(in *scan.View, i int) (string, int) {
	if !indonesia[in.Text(i)] || in.Kind(i+1) != scan.Space || in.Kind(i+2) != scan.Digits || in.Kind(i+3) != scan.Space || !in.Token(i+4).Upper {
		return "", 0
	}
	d, last := in.Text(i+2), in.Text(i+4)
	if in.Kind(i+4) != scan.Word || len(d) < 3 || len(d) > 4 || len(last) > 3 || !in.Closes(i+5) || pl.quantities.Counted(in, i+4) {
		return "", 0
	}
	w, ok := pl.say.Digits(scan.Arabic(d))
	if !ok {
		return "", 0
	}
	return pl.say.Join(pl.say.Letters(in.Text(i)), w, pl.say.Letters(last)), 5
}

// vietnamese reads 29A-123.45, 51F-12345 and 59X1-234.56.
func (pl *Recognizer) vietnamese(in *scan.View, i int) (string, int) {
	if in.Kind(i) != scan.Digits || len(in.Text(i)) != 2 || in.Kind(i+1) != scan.Word || !in.Token(i+1).Upper || scan.RuneLen(in.Text(i+1)) > 2 {
		return "", 0
	}
	w, ok := pl.say.Int(scan.Atoi(scan.Arabic(in.Text(i))), "")
	if !ok {
		return "", 0
	}
	parts := []string{w, pl.say.Letters(in.Text(i + 1))}
	j := i + 2
	if in.Kind(j) == scan.Digits && len(in.Text(j)) == 1 {
		w, _ := pl.say.Int(scan.Atoi(scan.Arabic(in.Text(j))), "")
		parts = append(parts, w)
		j++
	}
	if !in.Is(j, '-') && in.Kind(j) != scan.Space || in.Kind(j+1) != scan.Digits {
		return "", 0
	}
	d, end := scan.Arabic(in.Text(j+1)), j+2
	switch {
	case len(d) == 3 && in.Is(end, '.') && in.Kind(end+1) == scan.Digits && len(in.Text(end+1)) == 2:
		d += scan.Arabic(in.Text(end + 1))
		end += 2
	case in.Is(j, '-') && (len(d) == 4 || len(d) == 5):
	default:
		return "", 0
	}
	w, ok = pl.say.Digits(d)
	if !ok || !in.Closes(end) {
		return "", 0
	}
	return pl.say.Join(append(parts, w)...), end - i
}

// plateSyllables are those on vehicle plates in Korea.
const plateSyllables = "가나다라마거너더러머버서어저고노도로모보소오조구누두루무부수우주바사아자배허하호"

// korean reads 12가 3456 and 123허4567.
func (pl *Recognizer) korean(in *scan.View, i int) (string, int) {
	a, syllable := in.Text(i), in.Text(i+1)
	if in.Kind(i) != scan.Digits || len(a) < 2 || len(a) > 3 || in.Kind(i+1) != scan.Word || scan.RuneLen(syllable) != 1 || !strings.Contains(plateSyllables, syllable) {
		return "", 0
	}
	j := in.Skip(i + 2)
	d := in.Text(j)
	// 20도 2024년 is none.
	if in.Kind(j) != scan.Digits || len(d) != 4 || !in.Closes(j+1) && j > i+2 || j > i+2 && (d[:2] == "19" || d[:2] == "20") || in.Kind(j+1) == scan.Sign && in.Kind(j+2) == scan.Digits || pl.quantities.Counted(in, j+1) {
		return "", 0
	}
	w, ok := pl.say.Int(scan.Atoi(scan.Arabic(a)), "")
	v, ok2 := pl.say.Digits(scan.Arabic(d))
	if !ok || !ok2 {
		return "", 0
	}
	return pl.say.Join(w+syllable, v), j + 1 - i
}
