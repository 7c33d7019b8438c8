package card

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"vaak/catalogue"
	"vaak/catalogue/ingest/report"
	"vaak/internal/fault"
	"vaak/lang"
)

// LanguageOf returns the language that a card names: any form of a supported language, or
// the BCP 47 tag of any other.
func LanguageOf(s string) (catalogue.Language, error) {
	tag, err := lang.Resolve(s)
	if err == nil && !tag.IsZero() {
		return supportedLanguage(tag), nil
	}
	if l, ok := otherLanguage(s); ok {
		return l, nil
	}
	if fe, ok := errors.AsType[*fault.Error](err); ok {
		return catalogue.Language{}, fmt.Errorf("is no language that is known, nor a BCP 47 tag: %s", fe.Msg)
	}
	return catalogue.Language{}, fmt.Errorf("names no language: %s", report.Quote(s))
}

// supportedLanguage returns one of the languages that Vaak supports, with the usual region
// where the card names none.
func supportedLanguage(tag lang.Tag) catalogue.Language {
	row, _ := lang.Lookup(tag.Code) // never fails: Resolve returns supported languages only
	region := tag.Region
	if region == "" {
		_, region, _ = strings.Cut(row.BCP47, "-")
	}
	country := region
	if len(country) != 2 { // a UN M.49 area such as 001 or 419 is no country
		country = ""
	}
	l := catalogue.Language{
		Name: row.Name, NativeName: optional(row.Native), ISO6393: row.ISO6393, ISO6391: optional(row.ISO6391),
		BCP47: row.BCP47, Script: optional(tag.Script), Region: optional(country),
	}
	if tag.Region != "" || tag.Script != "" {
		l.BCP47 = joined("-", string(tag.Code), tag.Script, region)
	}
	return l
}

// otherLanguage returns a language that is registered and not supported by Vaak.
func otherLanguage(s string) (catalogue.Language, bool) {
	tag, err := language.Parse(s)
	// language.Parse also takes underscores and extensions. A record holds plain tags of
	// BCP 47.
	if err != nil || strings.Contains(s, "_") || len(tag.Extensions()) > 0 {
		return catalogue.Language{}, false
	}
	base, script, region := tag.Raw()
	iso3, iso1 := base.ISO3(), ""
	name := display.English.Languages().Name(language.Make(base.String()))
	if name == "" || iso3 == "und" || iso3 == "" || iso3 == "mul" || iso3 == "mis" || iso3 == "zxx" { // ISO 639's codes for no particular language
		return catalogue.Language{}, false
	}
	if len(base.String()) == 2 {
		iso1 = base.String()
	}
	l := catalogue.Language{
		Name: name, NativeName: optional(display.Self.Name(language.Make(base.String()))),
		ISO6393: iso3, ISO6391: optional(iso1), BCP47: tag.String(),
	}
	// Zzzz and ZZ are the codes for an unknown script and region (ISO 15924, CLDR).
	if script.String() != "Zzzz" {
		l.Script = optional(script.String())
	}
	if region.String() != "ZZ" {
		l.Region = optional(region.String())
	}
	return l, true
}

// optional returns s, or nil if it is empty: records tell unknown from empty.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// joined joins the parts that are not empty.
func joined(sep string, parts ...string) string {
	var filled []string
	for _, p := range parts {
		if p != "" {
			filled = append(filled, p)
		}
	}
	return strings.Join(filled, sep)
}
