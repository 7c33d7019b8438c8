package voice

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"vaak/lang"
)

//go:embed previews.tsv
var previewsTSV string

var previews = sync.OnceValue(func() map[lang.Code]string {
	m := map[lang.Code]string{}
	for line := range strings.Lines(previewsTSV) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		code, text, ok := strings.Cut(line, "\t")
		if !ok {
			panic(fmt.Sprintf("previews.tsv: no text: %q", line))
		}
		m[lang.Code(code)] = text
	}
	return m
})

// PreviewText returns the sentence that previews speak in a language: an everyday sentence of
// three to six seconds with many of the language's sounds, in NFC and in the language's own
// orthography. It is "" for a language that is not supported.
func PreviewText(code lang.Code) string { return previews()[code] }
