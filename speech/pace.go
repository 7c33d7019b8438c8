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

// paceTSV holds the reading pace of the embedded engine in each language, in code points
// a second, measured over a paragraph spoken by the default voice.
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

// defaultPace is used for a language without a measurement, in code points a second.
const defaultPace = 14.0

// estimateDuration estimates how long a text takes to speak at speed 1.
func estimateDuration(code lang.Code, text string) time.Duration {
	pace, ok := paces()[code]
	if !ok {
		pace = defaultPace
	}
	return time.Duration(float64(utf8.RuneCountInString(text)) / pace * float64(time.Second))
}
