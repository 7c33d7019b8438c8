package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"vaak/lang"
)

// source is the JSON of CLDR by path inside its packages, and the supplemental
// parts that are read once.
type source struct {
	files    map[string][]byte
	parents  map[string]string
	likely   map[string]string
	cardinal map[string]map[string]string
	ordinal  map[string]map[string]string
}

// load reads all packages.
func load() (*source, error) {
	s := &source{files: map[string][]byte{}}
	for _, p := range packages {
		if err := p.read(s.files, wanted()); err != nil {
			return nil, err
		}
	}
	return s, s.supplemental()
}

// localeFiles are the files that are read of each locale.
var localeFiles = []string{"numbers.json", "currencies.json", "units.json", "ca-gregorian.json", "annotations.json"}

// wanted says which files of the packages are read: all supplemental ones and
// those of the locales and of what they inherit from.
func wanted() func(path string) bool {
	keys, rulesFiles := map[string]bool{}, map[string]bool{}
	for _, name := range names() {
		keys[key(name)], rulesFiles[rulesFile(key(name))] = true, true
	}
	return func(path string) bool {
		parts := strings.Split(path, "/")
		switch {
		case len(parts) == 2 && parts[0] == "supplemental":
			return true
		case len(parts) == 2 && parts[0] == "rbnf":
			return rulesFiles[path]
		}
		return len(parts) == 3 && keys[parts[1]] && slices.Contains(localeFiles, parts[2])
	}
}

// supplemental reads the parts that are not by locale.
func (s *source) supplemental() error {
	var doc struct {
		Supplemental struct {
			ParentLocales struct {
				ParentLocale map[string]string
			}
			LikelySubtags map[string]string
			Cardinal      map[string]map[string]string `json:"plurals-type-cardinal"`
			Ordinal       map[string]map[string]string `json:"plurals-type-ordinal"`
		}
	}
	for _, name := range []string{"parentLocales", "likelySubtags", "plurals", "ordinals"} {
		if err := s.decode("supplemental/"+name+".json", &doc); err != nil {
			return err
		}
	}
	d := doc.Supplemental
	s.parents, s.likely, s.cardinal, s.ordinal = d.ParentLocales.ParentLocale, d.LikelySubtags, d.Cardinal, d.Ordinal
	return nil
}

// has reports whether CLDR has a file.
func (s *source) has(path string) bool { return s.files[path] != nil }

// decode reads a JSON file.
func (s *source) decode(path string, into any) error {
	if !s.has(path) {
		return fmt.Errorf("no %s in CLDR %s", path, version)
	}
	if err := json.Unmarshal(s.files[path], into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// chain lists a locale and those it inherits from, nearest first, without the
// root, by CLDR's own names.
func (s *source) chain(name string) []string {
	var out []string
	for k := key(name); k != root && k != ""; k = s.parent(k) {
		out = append(out, k)
	}
	return out
}

// parent returns what a locale inherits from. Norwegian Bokmål is Norwegian.
func (s *source) parent(k string) string {
	if p, ok := s.parents[k]; ok {
		return p
	}
	at := strings.LastIndexByte(k, '-')
	return k[:max(at, 0)]
}

// otherScripts are the regions that write another script of the extract than
// the language usually does.
var otherScripts = []string{"pa-PK", "sr-ME", "yue-CN", "zh-HK", "zh-MO", "zh-TW"}

// aliases maps tags that the extract has no locale of to the one that they
// inherit from or, by their likely script, mean; sorted lines of "tag name". The
// usual script of a language maps to the language itself.
func (s *source) aliases(locales []*locale) []byte {
	known := map[string]bool{}
	for _, l := range locales {
		known[l.name] = true
	}
	lines := []string{}
	add := func(tag, name string) {
		if !known[tag] {
			lines = append(lines, tag+" "+name+"\n")
		}
	}
	for tag := range s.parents {
		for p := s.parent(tag); p != root && p != ""; p = s.parent(p) {
			code, _, regional := strings.Cut(p, "-")
			if known[p] && regional && strings.HasPrefix(tag, code+"-") {
				add(tag, p)
				break
			}
		}
	}
	for _, tag := range otherScripts {
		full := s.likely[tag]
		for _, name := range []string{full, full[:max(strings.LastIndexByte(full, '-'), 0)]} {
			if known[name] {
				add(tag, name)
				break
			}
		}
	}
	for _, l := range lang.All() {
		parts := strings.Split(s.likely[string(l.Code)], "-")
		if len(parts) == 3 {
			add(string(l.Code)+"-"+parts[1], string(l.Code))
		}
	}
	slices.Sort(lines)
	return []byte(strings.Join(slices.Compact(lines), ""))
}
