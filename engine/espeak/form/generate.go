//go:build ignore

// Command generate writes readings.flate: the pronunciations of the words of the IPA dictionary, in
// the order of their ids; see readings.go. Run it again when the module of the dictionary changes.
package main

import (
	"bytes"
	"compress/flate"
	"log"
	"os"

	"github.com/ikawaha/kagome-dict/ipa"
)

func main() {
	const at = ipa.Pronunciation - ipa.POSHierarchy // a row begins after the columns of the part of speech
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	var line []byte
	for _, row := range ipa.Dict().Contents {
		line = line[:0]
		for _, r := range row[at] {
			if r <= 0x30a0 || r > 0x30ff { // not katakana: the word is a symbol or has no pronunciation
				line = line[:0]
				break
			}
			line = append(line, byte(r-0x30a0))
		}
		if _, err := w.Write(append(line, 0)); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("readings.flate", out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
