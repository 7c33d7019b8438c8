package speech

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vaak/lang"
)

// paceTSV says how many code points a second the embedded engine reads in each
// language, measured over a paragraph in the default voice.
//
//go:embed pace.tsv
var paceTSV string

var paces = sync.OnceValue(func() map[lang.Code]float64 {
	m := map[lang.Code]float64{}
	for line := range strings.Lines(paceTSV) {
		code, rate, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		perSecond, err := strconv.ParseFloat(rate, 64)
		if err != nil || perSecond <= 0 {
			panic(fmt.Sprintf("pace.tsv: %q is not a pace", line))
		}
		m[lang.Code(code)] = perSecond
	}
	return m
})

// usualPace is that of a language without a measurement.
const usualPace = 14.0

// lasts estimates how long a text is heard at speed 1.
func lasts(code lang.Code, text string) time.Duration {
	pace, ok := paces()[code]
	if !ok {
		pace = usualPace
	}
	return time.Duration(float64(utf8.RuneCountInString(text)) / pace * float64(time.Second))
}
