package ingest

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// utf16le is text as some editors of Windows write it.
func utf16le(s string) []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

// badCards are folders whose card is at fault.
func badCards() []badFolder {
	audio := "-- audio/a.wav --\nWAV mono\n"
	return []badFolder{
		{name: "no card", base: "-", files: audio, want: []string{"there is no card…card.yaml"}},
		{name: "two cards", files: "-- card.json --\n{}\n", want: []string{"card.yaml: …second card"}},
		{name: "empty card", base: "-", files: "-- card.yaml --\n" + audio, want: []string{"card.yaml: …is empty"}},
		{name: "nothing in card", base: "-", files: "-- card.yaml --\nversion: 1.0.0\n" + audio, want: []string{
			"card.yaml:1: …title is required", "card.yaml:1: …description is required", "card.yaml:1: …language.tag is required",
		}},
		{name: "measured key", base: cardWith("hours: 120\n"), want: []string{`card.yaml:5: …"hours": measured fields cannot be declared`}},
		{name: "measured keys, in other cases", base: cardWith("englishShare: 0.2\nsample_rate_hz: 8000\nSNR: 30\nchannels_measured: dual\n"), want: []string{
			"card.yaml:5: …measured fields cannot be declared", "card.yaml:6: …measured fields cannot be declared",
			"card.yaml:7: …measured fields cannot be declared", "card.yaml:8: …measured fields cannot be declared",
		}},
		{name: "key of the catalogue", base: cardWith("status: published\n"), want: []string{"card.yaml:5: …the catalogue gives it"}},
		{name: "unknown key", base: cardWith("licens:\n  name: X\n"), want: []string{`card.yaml:5: …nearest is "licence"`}},
		{name: "unknown key within", base: cardWith("contact:\n  name: X\n  e_mail: a@b.org\n"), want: []string{`card.yaml:7: …nearest is "email"`}},
		{name: "key twice", base: cardWith("version: 1.0.0\ntitle: Another\n"), want: []string{`card.yaml:6: …"title" is there twice, first in line 1`}},
		{name: "not YAML", base: cardWith("domains: [a, b\nversion: 1.0.0\n"), want: []string{"card.yaml:…is not YAML"}},
		{name: "alias bomb", base: cardWith("domains: &a [x, x, x]\nother_languages: [*a, *a, *a]\n"), want: []string{
			"card.yaml:5: …anchors (&) and aliases", "card.yaml:6: …aliases", "card.yaml:6: …aliases", "card.yaml:6: …aliases",
		}},
		{name: "merge key", base: cardWith("contact:\n  <<: {name: x}\n"), want: []string{"card.yaml:6: …merge keys"}},
		{name: "tag", base: cardWith("citation: !!binary aGk=\n"), want: []string{"card.yaml:5: …tags"}},
		{name: "two documents", base: cardWith("---\ntitle: Another\n---\ntitle: third\n"), want: []string{"card.yaml:7: …second document"}},
		{name: "deep card", base: cardWith("domains: [[[[[[[[[[[[]]]]]]]]]]]]\n"), want: []string{"card.yaml:5: …nested more than 8 deep"}},
		{name: "long card", make: func(t *testing.T, dir string) {
			put(t, dir, "card.yaml", []byte(goodCard+strings.Repeat("# padding\n", 30_000)))
		}, want: []string{"card.yaml: …up to 262144"}},
		{name: "card in UTF-16", make: func(t *testing.T, dir string) { put(t, dir, "card.yaml", utf16le(goodCard)) },
			want: []string{"card.yaml: …UTF-16"}},
		{name: "card in Latin-1", make: func(t *testing.T, dir string) {
			put(t, dir, "card.yaml", []byte(goodCard+"citation: caf\xe9\n"))
		}, want: []string{"card.yaml:5: …not UTF-8"}},
		{name: "unknown language", base: "-", files: "-- card.yaml --\ntitle: T\ndescription: D\nlanguage:\n  tag: klingonese\n" + audio,
			want: []string{"card.yaml:4: …language.tag is no language"}},
		{name: "language to be detected", base: "-", files: "-- card.yaml --\ntitle: T\ndescription: D\nlanguage:\n  tag: auto\n" + audio,
			want: []string{"card.yaml:4: …names no language"}},
		{name: "bad dates", base: cardWith("collection_method:\n  from: 2026-02-30\n  to: 01/03/2026\nprovenance:\n  created: yesterday\n"), want: []string{
			"card.yaml:6: …collection_method.from is a date", "card.yaml:7: …collection_method.to is a date", "card.yaml:9: …provenance.created is a date",
		}},
		{name: "dates out of order", base: cardWith("collection_method:\n  from: 2026-02-03\n  to: 2026-02-01\n"), want: []string{"card.yaml:7: …is before"}},
		{name: "bad values", base: cardWith("slug: Not_A_Slug\nversion: v1\nchannels: stereo\ncollection: podcast\ncontact:\n  email: nobody\n  url: ftp://example.org\n"), want: []string{
			"card.yaml:5: …slug is lower-case", "card.yaml:6: …version is MAJOR", "card.yaml:7: …channels is dual or mono",
			"card.yaml:8: …collection is call-centre or", "card.yaml:10: …e-mail", "card.yaml:11: …https://",
		}},
		{name: "wrong types", base: cardWith("version: 1.0\ndomains: banking\nparticipants:\n  count: many\n  age_range: [60, 18]\nprivacy:\n  anonymised: maybe\n"), want: []string{
			"card.yaml:5: …put it in quotes", `card.yaml:6: …domains is a list, this is text; put it in brackets: ["banking"]`, "card.yaml:8: …participants.count is a number",
			"card.yaml:9: …youngest and the oldest age, such as [18, 65], this is [60, 18]", "card.yaml:11: …privacy.anonymised is true or false",
		}},
		{name: "text for keys", base: cardWith("licence: CC-BY-4.0\nparticipants:\n  gender: half and half\n  age_range: 18\nprivacy: true\n"), want: []string{
			"card.yaml:5: …licence is a mapping, this is text; write keys below it: name, url, summary, evaluation",
			"card.yaml:7: …participants.gender is a mapping, this is text; write keys below it, each with its number",
			"card.yaml:8: …participants.age_range is a list, this is a number; put it in brackets: [18]",
			"card.yaml:9: …privacy is a mapping, this is true or false; write keys below it: summary, personal_data, anonymised",
		}},
		{name: "text turned around", base: cardWith("citation: \"a\u202Egnp\"\n"), want: []string{"card.yaml:5: …U+202E"}},
		{name: "control character", base: cardWith("citation: \"bell \\a\"\n"), want: []string{"card.yaml:5: …U+0007"}},
		{name: "long title", base: "-", files: "-- card.yaml --\ntitle: " + strings.Repeat("t", 201) + "\ndescription: D\nlanguage:\n  tag: hi\n" + audio,
			want: []string{"card.yaml:1: …title has up to 200"}},
		{name: "no such sample", base: cardWith("sample: b\n"), want: []string{`card.yaml:5: …there is no "b"; the nearest is "a"`}},
		{name: "measured key in JSON", base: "-", files: "-- card.json --\n{\"title\": \"T\", \"description\": \"D\",\n \"language\": {\"tag\": \"hi\"},\n \"snrDb\": 30,\n \"title\": \"U\"}\n" + audio,
			want: []string{"card.json:3: …measured fields cannot be declared", "card.json:4: …there twice"}},
		{name: "JSON cut short", base: "-", files: "-- card.json --\n{\"title\": \"T\",\n" + audio, want: []string{"card.json:…is not JSON"}},
		{name: "card is a list", base: "-", files: "-- card.json --\n[1]\n" + audio, want: []string{
			"card.json:1: …a card is a mapping, this is a list; write keys, such as title", "card.json:1: …title is required", "card.json:1: …description is", "card.json:1: …language.tag is",
		}},
	}
}
