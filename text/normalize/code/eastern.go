package code

import (
	"strings"

	"vaak/text/normalize/scan"
)

// eastern reads the plate of a vehicle in East and South East Asia, with its letters and
// its last number digit by digit.
func (co *Recognizer) eastern(in *scan.View, i int) (string, int) {
	if w, n := co.provincial(in, i); n > 0 {
		return w, n
	}
	switch co.say.Code {
	case "id":
		return co.indonesian(in, i)
	case "vi":
		return co.vietnamese(in, i)
	case "ko":
		return co.korean(in, i)
	case "ja":
		// 品川 300 あ 12-34
		if kana := in.Text(i - 2); in.Kind(i-1) == scan.Space && in.Is(i+1, '-') && in.Kind(i-4) == scan.Digits && scan.RuneLen(kana) == 1 && in.Rune(i-2) >= 'ぁ' && in.Rune(i-2) <= 'ん' && in.Closes(i+3) {
			return co.joined(in, i, co.hyphen)
		}
	}
	return "", 0
}

// provincial reads the letters and digits behind the character of a province on a plate:
// 京A·62K85.
func (co *Recognizer) provincial(in *scan.View, i int) (string, int) {
	if len(co.plateLetter) == 0 || !co.plateLetter[province(in, i)] || in.Kind(i) != scan.Word || !in.Token(i).Upper || len(in.Text(i)) != 1 {
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
			w, ok = co.say.Digits(scan.Arabic(t))
		case k == scan.Word && in.Token(j).Upper && in.Rune(j) < 0x80:
			w = co.say.Letters(t)
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
	return co.say.Join(parts...), j - i
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

// joined says two numbers and a word for the hyphen between them.
func (co *Recognizer) joined(in *scan.View, i int, between string) (string, int) {
	if in.Kind(i) != scan.Digits || in.Kind(i+2) != scan.Digits {
		return "", 0
	}
	a, ok := co.say.Int(scan.Atoi(scan.Arabic(in.Text(i))), "")
	b, ok2 := co.say.Int(scan.Atoi(scan.Arabic(in.Text(i+2))), "")
	if !ok || !ok2 {
		return "", 0
	}
	return co.say.Join(a, between, b), 3
}

// indonesia are the first letters of vehicle plates there.
var indonesia = scan.SetOf("A B D E F G H K L M N P R S T W Z AA AB AD AE AG BA BB BD BE BG BH BK BL BM BN BP DA DB DC DD DE DG DH DK DL DM DN DR DS DT EA EB ED KB KH KT KU PA PB")

// indonesian reads B 1234 XYZ.
func (co *Recognizer) indonesian(in *scan.View, i int) (string, int) {
	if !indonesia[in.Text(i)] || in.Kind(i+1) != scan.Space || in.Kind(i+2) != scan.Digits || in.Kind(i+3) != scan.Space || !in.Token(i+4).Upper {
		return "", 0
	}
	d, last := in.Text(i+2), in.Text(i+4)
	if in.Kind(i+4) != scan.Word || len(d) < 3 || len(d) > 4 || len(last) > 3 || !in.Closes(i+5) || co.quantities.Counted(in, i+4) {
		return "", 0
	}
	w, ok := co.say.Digits(scan.Arabic(d))
	if !ok {
		return "", 0
	}
	return co.say.Join(co.say.Letters(in.Text(i)), w, co.say.Letters(last)), 5
}

// vietnamese reads 29A-123.45, 51F-12345 and 59X1-234.56.
func (co *Recognizer) vietnamese(in *scan.View, i int) (string, int) {
	if in.Kind(i) != scan.Digits || len(in.Text(i)) != 2 || in.Kind(i+1) != scan.Word || !in.Token(i+1).Upper || scan.RuneLen(in.Text(i+1)) > 2 {
		return "", 0
	}
	w, ok := co.say.Int(scan.Atoi(scan.Arabic(in.Text(i))), "")
	if !ok {
		return "", 0
	}
	parts := []string{w, co.say.Letters(in.Text(i + 1))}
	j := i + 2
	if in.Kind(j) == scan.Digits && len(in.Text(j)) == 1 {
		w, _ := co.say.Int(scan.Atoi(scan.Arabic(in.Text(j))), "")
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
	w, ok = co.say.Digits(d)
	if !ok || !in.Closes(end) {
		return "", 0
	}
	return co.say.Join(append(parts, w)...), end - i
}

// plateSyllables are those on vehicle plates in Korea.
const plateSyllables = "가나다라마거너더러머버서어저고노도로모보소오조구누두루무부수우주바사아자배허하호"

// korean reads 12가 3456 and 123허4567.
func (co *Recognizer) korean(in *scan.View, i int) (string, int) {
	a, syllable := in.Text(i), in.Text(i+1)
	if in.Kind(i) != scan.Digits || len(a) < 2 || len(a) > 3 || in.Kind(i+1) != scan.Word || scan.RuneLen(syllable) != 1 || !strings.Contains(plateSyllables, syllable) {
		return "", 0
	}
	j := in.Skip(i + 2)
	d := in.Text(j)
	// 20도 2024년 is none.
	if in.Kind(j) != scan.Digits || len(d) != 4 || !in.Closes(j+1) && j > i+2 || j > i+2 && (d[:2] == "19" || d[:2] == "20") || in.Kind(j+1) == scan.Sign && in.Kind(j+2) == scan.Digits || co.quantities.Counted(in, j+1) {
		return "", 0
	}
	w, ok := co.say.Int(scan.Atoi(scan.Arabic(a)), "")
	v, ok2 := co.say.Digits(scan.Arabic(d))
	if !ok || !ok2 {
		return "", 0
	}
	return co.say.Join(w+syllable, v), j + 1 - i
}

// addressWords are words before the number of a house in Vietnam.
var addressWords = scan.SetOf("số Số ngõ Ngõ hẻm Hẻm ngách kiệt về ở tại nhà chỉ đc ĐC")

// houseInLane reads the number of a house in a lane of Vietnam, before the name of the
// street: 45/12 Lê Lợi, 45/12/3 Lê Lợi.
func (co *Recognizer) houseInLane(in *scan.View, i int) (string, int) {
	before := in.Back(i - 1)
	if in.Kind(before) == scan.Word && !addressWords[in.Text(before)] || in.Kind(before) == scan.Digits {
		return "", 0
	}
	var parts []string
	j := i
	for len(parts) < 8 {
		d := scan.Arabic(in.Text(j))
		if in.Kind(j) != scan.Digits || len(d) > 4 || d[0] == '0' {
			return "", 0
		}
		w, ok := co.say.Int(scan.Atoi(d), "")
		if !ok {
			return "", 0
		}
		parts = append(parts, w)
		if j++; !in.Is(j, '/') {
			break
		}
		parts = append(parts, co.say.Signs.Name('/'))
		j++
	}
	next := j + 1
	if len(parts) < 3 || len(parts)%2 == 0 || in.Kind(j) != scan.Space || in.Kind(next) != scan.Word || !in.Capitalized(next) || in.Token(next).Upper {
		return "", 0
	}
	return co.say.Join(parts...), j - i
}

// lot reads the number of a house after the name of a street in Korea: 양화로 45-3.
func (co *Recognizer) lot(in *scan.View, i int) (string, int) {
	if co.say.Code == "vi" && in.Is(i+1, '/') {
		return co.houseInLane(in, i)
	}
	if co.say.Code != "ko" || co.hyphen == "" || in.Kind(i) != scan.Digits || !in.Is(i+1, '-') || in.Kind(i+2) != scan.Digits || !in.Closes(i+3) || in.Kind(i+3) == scan.Sign && in.Kind(i+4) == scan.Digits {
		return "", 0
	}
	j := in.Back(i - 1)
	if a, b := in.Text(i), in.Text(i+2); j == i-1 || in.Kind(j) != scan.Word || in.Kind(j-1) != scan.Word && in.Kind(j-1) != scan.Digits || len(a) < 2 || len(a) > 4 || len(b) > 3 || a[0] == '0' || b[0] == '0' {
		return "", 0
	}
	// Each syllable is a token. 으로 is an ending.
	if strings.Contains("로길동리", in.Text(j)) && !in.Is(j-1, '으') {
		return co.joined(in, i, co.hyphen)
	}
	return "", 0
}
