//go:build ignore

// Generate packs the names of emoji. It reads the npm packages cldr-annotations-full and
// cldr-annotations-derived-full 48.2.0, unpacked into folders of these names below the folder
// that is its argument.
package main

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// languages are those that get names: the ones with most speakers here.
const languages = "en hi bn ta te mr gu kn ml pa ur or as ne si es fr de pt it nl ru uk pl cs hu ro el tr ar fa he id vi ko ja zh yue sv da fi sw"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run generate.go DIRECTORY")
	}
	all := map[string]map[string]string{}
	for _, code := range strings.Fields(languages) {
		all[code] = read(os.Args[1], code)
	}
	var emoji []string
	for e := range all["en"] {
		if named(e) {
			emoji = append(emoji, e)
		}
	}
	slices.Sort(emoji)
	parts := []string{languages, strings.Join(emoji, "\n")}
	for _, code := range strings.Fields(languages) {
		var names []string
		for _, e := range emoji {
			names = append(names, all[code][e])
		}
		parts = append(parts, strings.Join(names, "\n"))
	}
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestCompression)
	w.Write([]byte(strings.Join(parts, "\x00")))
	w.Close()
	if err := os.WriteFile("names.flate", out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

var colon = regexp.MustCompile(`\s*[:：]\s*`)

// read returns the names in a language.
func read(dir, code string) map[string]string {
	names := map[string]string{}
	for _, from := range [][3]string{{"cldr-annotations-full", "annotations", "annotations"}, {"cldr-annotations-derived-full", "annotationsDerived", "annotationsDerived"}} {
		b, err := os.ReadFile(filepath.Join(dir, from[0], from[1], code, "annotations.json"))
		if err != nil {
			log.Fatal(err)
		}
		var file map[string]struct {
			Annotations map[string]struct{ TTS []string }
		}
		if err := json.Unmarshal(b, &file); err != nil {
			log.Fatal(err)
		}
		for e, a := range file[from[2]].Annotations {
			if len(a.TTS) > 0 && strings.Trim(a.TTS[0], "↑") != "" {
				names[strings.ReplaceAll(e, "\ufe0f", "")] = strings.TrimSpace(colon.ReplaceAllString(strings.NewReplacer("\t", " ", "\n", " ").Replace(a.TTS[0]), " "))
			}
		}
	}
	return names
}

// named reports whether an emoji gets a name of its own: those with a tone of skin, and people
// joined with what they do, have that of the first of their parts.
func named(e string) bool {
	r := []rune(e)
	c := r[0]
	for _, x := range r[1:] {
		if 0x1F3FB <= x && x <= 0x1F3FF {
			return false
		}
	}
	if slices.Contains(r, 0x200D) && (c < 0x1F3F0 || c > 0x1F3F4) && !strings.ContainsRune("❤⛓🐻🐦🐈🐕👁😮😵😶🙂🍋🍄", c) {
		return false
	}
	switch {
	case c < 0x203C:
		return r[len(r)-1] == 0x20E3 || c == 0xA9 || c == 0xAE
	case 0x2194 <= c && c <= 0x2199, 0x21A9 <= c && c <= 0x21AA, 0x2300 <= c && c <= 0x23FF, 0x2600 <= c && c <= 0x27BF, 0x2B00 <= c && c <= 0x2BFF, c >= 0x1F000:
		return true
	}
	return strings.ContainsRune("™ℹ‼⁉〰〽㊗㊙Ⓜ", c)
}
