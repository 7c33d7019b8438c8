package translit

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"sync"

	"vaak/text/translit/letters"
)

//go:generate go run ./generate

// lettersGZ are the models of letters, a lane a language: those of the package in the order
// of codes, English, and languages from elsewhere that write Latin letters. The generator
// makes them from the words and lexicons of this package, from english.txt.gz, and from the
// counts of package lang. A lane follows the other, in quarters of a nat.
//
//go:embed letters.bin.gz
var lettersGZ []byte

// englishLane is the lane of English. The others of the package are in the order of codes.
const englishLane = numCodes

// step is the number of steps in a nat.
const step = letters.Step

var modelsOf = sync.OnceValue(func() *letters.Models {
	zip, err := gzip.NewReader(bytes.NewReader(lettersGZ))
	if err != nil {
		panic(err) // embedded
	}
	all, err := io.ReadAll(zip)
	if err != nil {
		panic(err) // embedded
	}
	m := new(letters.Models)
	for lane := range len(all) / len(m) {
		for i := range m {
			m[i][lane] = all[lane*len(m)+i] * (letters.Step / 4)
		}
	}
	return m
})
