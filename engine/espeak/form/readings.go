package form

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"github.com/ikawaha/kagome-dict/ipa"
	"github.com/ikawaha/kagome/v2/tokenizer"
)

//go:generate go run generate.go

// readingsData has the pronunciation of each word of the IPA dictionary, in the order of ids.
// Each katakana is one byte, its distance from U+30A0; a 0 ends the word. The dictionary
// package has the pronunciations too, but in a form that takes another 75 MB to load. Source:
// IPADIC 2.7.0 (ICOT and Nara Institute of Science and Technology), as packed by
// github.com/ikawaha/kagome-dict/ipa.
//
//go:embed readings.flate
var readingsData []byte

// class tells how a Japanese word is joined to the word before it.
type class uint8

const (
	aWord    class = iota // begins a word of the form
	aPrefix               // begins one that the next word continues
	anEnding              // continues the word before: particles, auxiliary verbs, suffixes
	aNumeral
	aSymbol
)

// dictionary splits Japanese into words and knows their pronunciations. It is safe for
// concurrent use.
type dictionary struct {
	tokenizer *tokenizer.Tokenizer
	kana      []byte   // all pronunciations, concatenated
	start     []uint32 // where each pronunciation begins, by id, and where the last one ends
	class     []class  // by id
}

// readings loads the dictionary. That takes 0.6 s of processor time and up to 95 MB of resident
// memory, of which 36 MB stay (measured).
var readings = sync.OnceValue(func() *dictionary {
	words := ipa.DictShrink() // without the words' details; nothing else in the program loads it
	d := &dictionary{class: make([]class, len(words.POSTable.POSs))}
	name := words.POSTable.NameList
	for id, pos := range words.POSTable.POSs {
		part, kind := name[pos[0]], ""
		if len(pos) > 1 {
			kind = name[pos[1]]
		}
		d.class[id] = classOf(part, kind)
	}
	d.kana, d.start = unpack(readingsData, len(words.Morphs))
	words.POSTable.POSs = nil // frees 17 MB; d.class has what is needed of it
	t, err := tokenizer.New(words, tokenizer.OmitBosEos())
	if err != nil {
		panic(fmt.Sprintf("the IPA dictionary: %v", err)) // it is part of the program
	}
	d.tokenizer = t
	debug.FreeOSMemory() // return the memory that loading needed
	return d
})

// unpack decodes readingsData, which must hold n words. It panics if it does not, because the data
// is part of the program.
func unpack(data []byte, n int) (kana []byte, start []uint32) {
	packed, err := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	if err != nil {
		panic(fmt.Sprintf("readings.flate: %v", err))
	}
	kana, start = make([]byte, 0, len(packed)-n), make([]uint32, 1, n+1)
	for _, b := range packed {
		if b != 0 {
			kana = append(kana, b)
			continue
		}
		start = append(start, uint32(len(kana)))
	}
	if len(start) != n+1 {
		panic(fmt.Sprintf("readings.flate: %d words, the dictionary has %d; run go generate", len(start)-1, n))
	}
	return kana, start
}

// pronunciation appends the katakana of a word to b: nothing if the dictionary has none.
func (d *dictionary) pronunciation(b []rune, id int) []rune {
	for _, k := range d.kana[d.start[id]:d.start[id+1]] {
		b = append(b, 0x30a0+rune(k))
	}
	return b
}

// classOf returns the class of a word from its part of speech and the subdivision of that,
// which may be empty.
func classOf(part, kind string) class {
	switch {
	case part == "助詞", part == "助動詞", kind == "接尾", kind == "非自立", kind == "接続助詞":
		return anEnding
	case part == "接頭詞":
		return aPrefix
	case part == "名詞" && kind == "数":
		return aNumeral
	case part == "記号":
		return aSymbol
	}
	return aWord
}
