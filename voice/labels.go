package voice

import (
	"strconv"

	"vaak/lang"
)

// Labels returns the labels of the voice as the API has them, all strings: native_language (its
// English name), native_language_code, accent, quality_band, is_native_source ("true" or
// "false"), preview_language (a code) and gender. A voice that the operator has added also has
// engine, and quality and license if its files tell them. The map belongs to the caller.
func (v Voice) Labels() map[string]string {
	native := string(v.Native)
	if l, ok := lang.Lookup(v.Native); ok {
		native = l.Name
	}
	labels := map[string]string{
		"native_language":      native,
		"native_language_code": string(v.Native),
		"accent":               v.Accent,
		"quality_band":         v.QualityBand,
		"is_native_source":     strconv.FormatBool(v.NativeSource),
		"preview_language":     string(v.PreviewLanguage),
		"gender":               string(v.Gender),
	}
	if v.Engine != "" {
		labels["engine"] = v.Engine
	}
	if v.Quality != "" {
		labels["quality"] = v.Quality
	}
	if v.License != "" {
		labels["license"] = v.License
	}
	return labels
}
