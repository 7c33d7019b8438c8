package segment

import (
	"strings"

	"vaak/lang"
)

// Romanised returns a Segmenter that takes these words for Indian ones of a
// language.
func Romanised(whole string, request lang.Tag, code lang.Code, words string) Segmenter {
	g := New(whole, request)
	g.label = func(ws []string, _ lang.Tag) []lang.Code {
		codes := make([]lang.Code, len(ws))
		for i, w := range ws {
			if strings.Contains(" "+words+" ", " "+strings.ToLower(w)+" ") {
				codes[i] = code
			}
		}
		return codes
	}
	return g
}

// Work returns how many bytes were looked at, again and again, to cut a text.
func Work(s string, request lang.Tag) int {
	g := New(s, request)
	c := g.cutter(s)
	c.run()
	return c.work
}
