package accents

import (
	"os"
	"strings"

	"vaak/lang"
)

const declarationPath = "engine/espeak/testdata/udhr.tsv"

// readDeclaration returns the first sentence of the Universal Declaration of Human
// Rights in the languages of the table, in their usual script.
func readDeclaration(path string) (map[lang.Code]string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	texts := map[lang.Code]string{}
	for line := range strings.Lines(string(b)) {
		code, text, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if _, known := lang.Lookup(lang.Code(code)); ok && known && line[0] != '#' {
			texts[lang.Code(code)] = text
		}
	}
	return texts, nil
}
