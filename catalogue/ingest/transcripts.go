package ingest

import (
	"maps"
	"math"
	"slices"

	"vaak/catalogue"
	"vaak/catalogue/ingest/card"
	"vaak/catalogue/measure"
	"vaak/catalogue/transcript"
	"vaak/lang"
)

// transcriptsOf summarizes the transcripts, and reports whether the dataset counts as
// transcribed. It returns nil if no recording has a transcript.
func transcriptsOf(c *card.Card, all []Measured) (*catalogue.Transcripts, bool) {
	t := &catalogue.Transcripts{Protocol: optional(c.TranscriptProtocol), WordTimes: true}
	formats := map[string]bool{}
	timed := 0
	var lexical []*catalogue.Lexical // of transcripts with times of their own
	for _, m := range all {
		if m.Lexical == nil {
			continue
		}
		t.Recordings++
		t.Segments += len(m.Transcript)
		t.WordTimes = t.WordTimes && m.WordTimes
		formats[string(m.TranscriptFormat)] = true
		if m.Untimed {
			continue
		}
		if m.Lexical.Words > 0 { // formats such as RTTM have times and no words
			timed++
		}
		lexical = append(lexical, m.Lexical)
	}
	if t.Recordings == 0 {
		return nil, false
	}
	t.Formats = slices.Sorted(maps.Keys(formats))
	t.Coverage, t.Agreement = measure.Coverage(lexical), measure.Agreement(lexical)
	if t.Lexical = wholeLexical(all); t.Lexical != nil {
		told(c, t.Lexical)
		t.Words, t.Script = &t.Lexical.Words, mostShare(t.Lexical.ScriptShare)
	}
	return t, timed*2 >= len(all)
}

// told keeps the shares of the languages that the card names, and of English, and adds the others to
// those of "und". A text in Latin letters may be Hindi that reads as some other language, and a public
// record must not name what nobody speaks.
func told(c *card.Card, l *catalogue.Lexical) {
	if l == nil {
		return
	}
	d := c.Dataset()
	named := map[string]bool{"en": true}
	for _, tag := range append([]string{d.BCP47}, d.OtherLanguages...) {
		if t, ok := lang.Find(tag); ok {
			named[string(t.Code)] = true
		}
	}
	for _, shares := range append([]map[string]float64{l.LanguageShare}, l.ChannelLanguages...) {
		for _, code := range slices.Sorted(maps.Keys(shares)) {
			if code != "und" && !named[code] {
				shares["und"] = math.Round((shares["und"]+shares[code])*1e5) / 1e5
				delete(shares, code)
			}
		}
	}
}

// wholeLexical returns the figures of all transcripts with words together, or nil if there are
// none. The recordings are laid one after the other and measured as one, because counts of
// different words cannot be added up.
func wholeLexical(all []Measured) *catalogue.Lexical {
	var whole measure.Recording
	var segments []transcript.Segment
	wrong, hasty, unheard, untimed := 0, 0, 0, false
	for _, m := range all {
		if m.Lexical == nil || m.Lexical.Words == 0 {
			continue
		}
		// Each recording begins where the one before it ends, so no segment lies in the
		// time of another.
		at := whole.DurationS
		for _, s := range m.Transcript {
			segments = append(segments, shifted(s, at))
		}
		// Recordings may have different numbers of channels.
		for c, speech := range m.Measure.Speech {
			if c == len(whole.Speech) {
				whole.Speech = append(whole.Speech, nil)
			}
			for _, i := range speech {
				whole.Speech[c] = append(whole.Speech[c], measure.Interval{Start: i.Start + at, End: i.End + at})
			}
		}
		wrong += m.Lexical.TimeErrors
		hasty += m.Lexical.ImplausibleSegments
		unheard += m.Lexical.UnheardSegments
		untimed = untimed || m.Untimed
		whole.DurationS += m.Measure.DurationS
	}
	if segments == nil {
		return nil
	}
	l := measure.Words(segments, whole)
	// Counted against each recording, not against the whole.
	l.TimeErrors, l.ImplausibleSegments, l.UnheardSegments = wrong, hasty, unheard
	if untimed {
		l.Coverage, l.IoU = nil, nil
	}
	return &l
}

// shifted returns a segment moved by some seconds, with its words.
func shifted(s transcript.Segment, by float64) transcript.Segment {
	s.Start, s.End = s.Start+by, s.End+by
	s.Words = slices.Clone(s.Words)
	for i := range s.Words {
		s.Words[i].Start += by
		s.Words[i].End += by
	}
	return s
}

// mostShare returns the key with the largest share, the first by name if several have it, or
// nil if no share is above 0.
func mostShare(shares map[string]float64) *string {
	best, most := "", 0.0
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		if shares[name] > most {
			best, most = name, shares[name]
		}
	}
	return optional(best)
}
