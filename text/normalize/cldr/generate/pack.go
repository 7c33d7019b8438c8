package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
)

// pack writes the file that package cldr opens; see its archive type.
func pack(locales []*locale, aliases []byte) ([]byte, error) {
	preset := preset()
	var out []byte
	var err error
	add := func(data, dictionary []byte) {
		var field []byte
		if err == nil {
			field, err = deflate(data, dictionary)
		}
		out = binary.AppendUvarint(out, uint64(len(data)))
		out = appendField(out, string(field))
	}
	add(preset, nil)
	add(aliases, nil)
	for _, l := range locales {
		out = appendField(out, l.name)
		out = appendField(out, l.base)
		add(l.segment(), preset)
	}
	return out, err
}

// segment writes the records of a locale in the order of their keys.
func (l *locale) segment() []byte {
	var out []byte
	for _, k := range sorted(l.records) {
		out = appendField(out, k)
		out = appendField(out, l.records[k])
	}
	return out
}

// preset is the dictionary that all segments are compressed with: what is the
// same in every language.
func preset() []byte {
	var out []byte
	add := func(kind string, names []string) {
		for _, n := range names {
			out = appendField(out, kind+"/"+n)
		}
	}
	// deflate reaches back from the end of the dictionary, so what is most frequent stands
	// last: the keys of records.
	out = append(out, "masculine\n\nfeminine\n\nneuter\n\ninanimate\n\ncommon\n\none {0} \ntwo {0} \nfew {0} \nmany {0} \nother {0} "...)
	out = append(out, "%spellout-numbering-year:\n%spellout-ordinal-feminine:\n%spellout-ordinal-masculine:\n"...)
	out = append(out, "0: =%spellout-numbering=;\n0: =%spellout-cardinal-masculine=;\n-x: minus →→;\nx.x: =#,##0.#=;\n"...)
	out = append(out, "1000000000000000000: =#,##0=;\n%spellout-cardinal-feminine:\n%spellout-cardinal-neuter:\n"...)
	add("currency", currencies)
	add("symbol", symbols)
	add("unit", units)
	return out
}

// deflate compresses data with a preset dictionary.
func deflate(data, dictionary []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriterDict(&b, flate.BestCompression, dictionary)
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return b.Bytes(), nil
}

// appendField appends a text behind its length.
func appendField(out []byte, text string) []byte {
	out = binary.AppendUvarint(out, uint64(len(text)))
	return append(out, text...)
}
