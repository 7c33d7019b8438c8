package code

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

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
		return speak.Joined(co.say, in, i, co.hyphen)
	}
	return "", 0
}
