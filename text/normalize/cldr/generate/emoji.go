package main

import (
	"bytes"
	"compress/flate"
	"regexp"
	"slices"
	"strings"
)

// emojiLanguages are those in which emoji get names: the ones with most speakers here.
const emojiLanguages = "en hi bn ta te mr gu kn ml pa ur or as ne si es fr de pt it nl ru uk pl cs hu ro el tr ar fa he id vi ko ja zh yue sv da fi sw"

// emoji packs the names of emoji for text/emoji: the languages, then the emoji, then the names
// of each language in the order of the emoji, in parts that NUL separates, compressed.
func (s *source) emoji() ([]byte, error) {
	all := map[string]map[string]string{}
	for code := range strings.FieldsSeq(emojiLanguages) {
		var err error
		if all[code], err = s.emojiNames(code); err != nil {
			return nil, err
		}
	}
	var emoji []string
	for e := range all["en"] {
		if named(e) {
			emoji = append(emoji, e)
		}
	}
	slices.Sort(emoji)
	parts := []string{emojiLanguages, strings.Join(emoji, "\n")}
	for code := range strings.FieldsSeq(emojiLanguages) {
		var names []string
		for _, e := range emoji {
			names = append(names, all[code][e])
		}
		parts = append(parts, strings.Join(names, "\n"))
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write([]byte(strings.Join(parts, "\x00"))); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

var colon = regexp.MustCompile(`\s*[:：]\s*`)

// emojiNames returns the names in a language.
func (s *source) emojiNames(code string) (map[string]string, error) {
	type annotations struct {
		Annotations map[string]struct{ TTS []string }
	}
	names := map[string]string{}
	for _, part := range []string{"annotations", "annotationsDerived"} {
		var file map[string]annotations
		if err := s.decode(part+"/"+code+"/annotations.json", &file); err != nil {
			return nil, err
		}
		for e, a := range file[part].Annotations {
			if len(a.TTS) > 0 && strings.Trim(a.TTS[0], "↑") != "" {
				names[strings.ReplaceAll(e, "\ufe0f", "")] = strings.TrimSpace(colon.ReplaceAllString(strings.NewReplacer("\t", " ", "\n", " ").Replace(a.TTS[0]), " "))
			}
		}
	}
	return names, nil
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
