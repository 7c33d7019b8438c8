package respell

import (
	"slices"
	"strings"
	"unicode"
)

// particles are the endings that Korean writes onto a noun, and the forms of the
// copula. A word also ends before one of them, or two in a row.
var particles = strings.Fields(`
은 는 이 가 을 를 에 의 로 으로 와 과 도 만 께 나 이나 랑 이랑 야 아 여 이여 뿐 든 이든 든지 이든지
에서 에게 에게서 한테 한테서 께서 에서의 에로의 로서 으로서 로써 으로써 로의 으로의
까지 부터 처럼 보다 마다 조차 마저 밖에 같이 만큼 대로 하고 커녕 은커녕 는커녕 이라도 라도 이나마 나마 이야 이야말로 야말로 치고
인 이다 이고 이며 이면 이지만 이라 이라는 이라고 라는 라고 이란 란 이라면 라면 이므로 이니까 이어서 여서 이었던 였던
입니다 입니까 이에요 예요 이었다 였다 이었습니다 였습니다 이죠 이지요 이군요 이네요 인데 인데요 일 들 님 씨`)

// maxParticle is the number of syllables of the longest of them.
const maxParticle = 5

// particle says whether the Hangul from cell j on is particles up to the end of the
// word.
func (w *words) particle(j int) certainty {
	var syllables [2 * maxParticle]rune
	n := 0
	for ; j < w.len(); j++ {
		r := w.list[j].base
		if r == 0 {
			continue
		}
		if !wordly(r) || !unicode.IsDigit(r) && !sameScript('가', r) {
			if w.open && j == w.len()-1 && unicode.IsDigit(r) {
				return unknown
			}
			return asCertain(areParticles(syllables[:n]))
		}
		if n == len(syllables) || unicode.IsDigit(r) {
			return no
		}
		syllables[n] = r
		n++
	}
	if w.open {
		return unknown
	}
	return asCertain(areParticles(syllables[:n]))
}

// areParticles reports whether syllables are one particle or two.
func areParticles(syllables []rune) bool {
	s := string(syllables)
	if slices.Contains(particles, s) {
		return true
	}
	return slices.ContainsFunc(particles, func(p string) bool {
		rest, ok := strings.CutPrefix(s, p)
		return ok && slices.Contains(particles, rest)
	})
}
