package write_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/croissant"
)

// TestWriteTimeFrame checks that a time of which one end is known is not told as a
// day, and that one day is.
func TestWriteTimeFrame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, to  *string
		temporal  any
		timeFrame string
	}{
		{new("2026-01-12"), new("2026-02-27"), "2026-01-12/2026-02-27", "2026-01-12 2026-02-27"},
		{new("2026-01-12"), new("2026-01-12"), "2026-01-12", "2026-01-12"},
		{new("2026-01-12"), nil, "2026-01-12/..", ""},
		{nil, new("2026-02-27"), "../2026-02-27", ""},
		{new("2026-01-12"), new("spring"), "2026-01-12/..", ""},
		{nil, nil, nil, ""},
	} {
		d := hindi()
		d.CollectionMethod.From, d.CollectionMethod.To = tt.from, tt.to
		doc := plain(t, written(t, filed(t, d), croissant.V10))
		frame := strings.Join(texts(doc["rai:dataCollectionTimeFrame"]), " ")
		if doc["temporalCoverage"] != tt.temporal || frame != tt.timeFrame {
			t.Errorf("temporalCoverage and time frame = %v, %q, want %v, %q", doc["temporalCoverage"], frame, tt.temporal, tt.timeFrame)
		}
	}
}

// TestWriteConsent checks that what speakers agreed to stands as that.
func TestWriteConsent(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]*catalogue.Consent{
		"":                 nil,
		"Consent: A form.": {Summary: new("A form"), Purposes: []string{" ", ""}},
		"Consent: A form. | Speakers agreed to these purposes: speech recognition, voice assistants.": {
			Summary: new("A form"), Purposes: []string{"speech\nrecognition", "voice assistants", "Speech recognition"},
		},
		"Speakers agreed to these purposes: research only.": {Purposes: []string{"research only"}},
	} {
		d := hindi()
		d.Privacy, d.Consent = nil, c
		doc := plain(t, written(t, filed(t, d), croissant.V10))
		if got := strings.Join(texts(doc["rai:personalSensitiveInformation"]), " | "); got != want {
			t.Errorf("of the consent %+v the document says %q, want %q", c, got, want)
		}
	}
}

// TestWritePatterns checks that files are in the licensed sets whichever way their
// extensions are written.
func TestWritePatterns(t *testing.T) {
	t.Parallel()
	d := hindi()
	d.Specification.Container = map[string]int{"wav": 1, "rf64": 1, "flac": 1, "mp3": 1, "ogg": 1, "sphere": 1}
	d.Transcripts.Formats = []string{"textgrid", "rttm", "ctm", "stm", "seglst", "webvtt", "srt", "csv", "json"}
	files, _ := parts(t, written(t, filed(t, d), croissant.V10))
	for kind, names := range map[string][]string{
		"audio/wav":                {"audio/a.wav", "audio/day 1/b.wave", "audio/c.rf64", "audio/d.bw64"},
		"audio/flac":               {"audio/x/y/z.flac"},
		"audio/mpeg":               {"audio/a.mp3"},
		"audio/ogg":                {"audio/a.ogg", "audio/b.oga", "audio/x/c.opus"},
		"application/octet-stream": {"audio/a.sph"},
		"text/plain":               {"transcripts/a.TextGrid", "transcripts/a.textgrid", "transcripts/x/b.rttm", "transcripts/c.ctm", "transcripts/x/y/d.stm"},
		"application/json":         {"transcripts/a.json", "transcripts/x/b.seglst", "transcripts/c.seglst.json"},
		"text/vtt":                 {"transcripts/a.vtt"},
		"application/x-subrip":     {"transcripts/x/a.srt"},
		"text/csv":                 {"transcripts/a.csv", "transcripts/x/b.tsv"},
	} {
		for _, name := range names {
			ext := path.Ext(name)
			for _, at := range []string{name, strings.TrimSuffix(name, ext) + strings.ToUpper(ext)} {
				if got := kindOf(files, at); got != kind {
					t.Errorf("%s is in the set of %q, want %q", at, got, kind)
				}
			}
		}
	}
	for _, at := range []string{"audio/notes.txt", "audio/a.wav.part", "a.json", "readme.CSV"} {
		if got := kindOf(files, at); got != "" {
			t.Errorf("%s is in the set of %q, want in none", at, got)
		}
	}
	for _, f := range files {
		if all := texts(f.Includes); len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
			t.Errorf("%s has a pattern twice: %q", f.ID, all)
		}
	}
}

// kindOf returns the media type of the licensed set that a path is in, and "" where
// it is in none, or not by both ways to read patterns.
func kindOf(files []part, at string) string {
	for _, f := range files {
		patterns := texts(f.Includes)
		if strings.HasPrefix(f.ID, "licensed-") &&
			slices.ContainsFunc(patterns, func(p string) bool { return matches(p, at, `[^/]*`) }) &&
			slices.ContainsFunc(patterns, func(p string) bool { return matches(p, at, `.*`) }) {
			return f.EncodingFormat
		}
	}
	return ""
}

// matches reports whether a path is in a pattern, where star is what * stands for:
// in some readers it goes over a slash, which the reference library is one of, and
// there ** is no more than that.
func matches(pattern, at, star string) bool {
	deep := `(?:[^/]+/)*`
	if star == `.*` {
		deep = `.*/`
	}
	expression := regexp.QuoteMeta(pattern)
	expression = strings.ReplaceAll(expression, `\*\*/`, "\x00")
	expression = strings.ReplaceAll(expression, `\*`, star)
	return regexp.MustCompile("^" + strings.ReplaceAll(expression, "\x00", deep) + "$").MatchString(at)
}
