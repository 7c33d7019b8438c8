package piper

import (
	"regexp"
	"strings"

	"vaak/engine/onnx/symbols"
	"vaak/internal/fault"
	"vaak/lang"
)

// variety is a language as spoken somewhere.
type variety struct {
	code   lang.Code
	region string
}

// varieties are the voices of espeak-ng that name a region, or whose name is not the code of
// their language. The region selects the embedded library's voice that reads like them.
var varieties = map[string]variety{
	"cmn": {"zh", "CN"}, "zh": {"zh", "CN"}, "cmn-latn-pinyin": {"zh", "CN"}, "yue": {"yue", "HK"},
	"en": {"en", "GB"}, "en-029": {"en", "029"}, "en-us": {"en", "US"}, "en-us-nyc": {"en", "US"},
	"es": {"es", "ES"}, "es-419": {"es", "419"},
	"fr": {"fr", "FR"}, "fr-fr": {"fr", "FR"}, "fr-be": {"fr", "BE"}, "fr-ch": {"fr", "CH"},
	"hyw": {"hy", "LB"}, "hy-arevmda": {"hy", "LB"},
	"nb": {"nb", "NO"}, "no": {"nb", "NO"},
	"pt": {"pt", "PT"}, "pt-pt": {"pt", "PT"}, "pt-br": {"pt", "BR"},
}

// readBy returns the language that a voice of espeak-ng reads.
func readBy(voice string) (variety, error) {
	name := strings.ToLower(strings.ReplaceAll(voice, "_", "-"))
	name, _, _ = strings.Cut(name, "+") // a variant changes only the sound
	if v, ok := varieties[name]; ok {
		return v, nil
	}
	// en-gb-x-rp, en-gb-scotland and others are British.
	if strings.HasPrefix(name, "en-gb") {
		return variety{"en", "GB"}, nil
	}
	base, _, _ := strings.Cut(name, "-")
	if v, ok := varieties[base]; ok {
		return v, nil
	}
	if t, ok := lang.Find(base); ok && t.Code != "" {
		return variety{code: t.Code}, nil
	}
	return variety{}, fault.BadParameter("espeak.voice", "espeak.voice must name one of the languages %s; %q is none of them", codes(), symbols.Shown(voice))
}

// codes lists the supported languages.
func codes() string {
	var all []string
	for _, l := range lang.All() {
		all = append(all, string(l.Code))
	}
	return strings.Join(all, ", ")
}

var regionCode = regexp.MustCompile(`^([A-Z]{2}|[0-9]{3})$`)
