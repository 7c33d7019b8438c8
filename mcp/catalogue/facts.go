package catalogue

import (
	"math"

	"vaak/catalogue"
	"vaak/mcp/plain"
)

// fact is a property by which records are compared.
type fact struct {
	field string                         // its name, with the unit
	of    func(r *catalogue.Dataset) any // its value: nil when not known, else comparable with ==
}

// facts holds the properties by which records are compared, in the order of the result. Declared
// facts have the words of the card. Measured facts are medians over the files.
var facts = []fact{
	{"status", func(r *catalogue.Dataset) any { return string(r.Status) }},
	{"language", func(r *catalogue.Dataset) any { return r.BCP47 }},
	{"other languages", func(r *catalogue.Dataset) any { return list(r.OtherLanguages, "none") }},
	{"hours", func(r *catalogue.Dataset) any { return r.Hours }},
	{"recordings", func(r *catalogue.Dataset) any { return r.Recordings }},
	{"conversations", func(r *catalogue.Dataset) any { return known(r.Conversations) }},
	{"speakers", func(r *catalogue.Dataset) any { return known(r.Speakers) }},
	{"channels", func(r *catalogue.Dataset) any { return known(r.Channels) }},
	{"collection", func(r *catalogue.Dataset) any { return known(r.Collection) }},
	{"domains", func(r *catalogue.Dataset) any { return list(r.Domains, "") }},
	{"transcribed", func(r *catalogue.Dataset) any { return r.Transcribed }},
	{"sample to hear", func(r *catalogue.Dataset) any { return r.HasSample }},
	{"share of English", func(r *catalogue.Dataset) any { return rounded(r.EnglishShare) }},
	{"codec", ofFiles(func(s *catalogue.Specification) any { return value(mostOf(s.Codec)) })},
	{"sample rate Hz", ofFiles(func(s *catalogue.Specification) any { return value(mostOf(s.SampleRateHz)) })},
	{"median length s", ofFiles(func(s *catalogue.Specification) any { return rounded(&s.DurationS.Median) })},
	{"loudness LUFS", ofFiles(func(s *catalogue.Specification) any { return middle(s.LoudnessLUFS) })},
	{"signal to noise dB", ofFiles(func(s *catalogue.Specification) any { return middle(s.SNRDB) })},
	{"bandwidth Hz", ofFiles(func(s *catalogue.Specification) any { return middle(s.EffectiveBandwidthHz) })},
	{"clipped files", ofFiles(func(s *catalogue.Specification) any { return s.ClippedFiles })},
	{"silence share", ofTalk(func(m *catalogue.Measurements) any { return middle(m.SilenceRatio) })},
	{"overlap share", ofTurns(func(t *catalogue.Turns) any { return middle(t.OverlapRatio) })},
	{"response ms", ofTurns(func(t *catalogue.Turns) any { return middle(t.FTOMedianMs) })},
	{"turns per minute", ofTurns(func(t *catalogue.Turns) any { return middle(t.TurnsPerMin) })},
	{"words per minute", ofTalk(func(m *catalogue.Measurements) any {
		if m.Words == nil {
			return nil
		}
		return middle(m.Words.WordsPerMin)
	})},
	{"words transcribed", ofTranscripts(func(t *catalogue.Transcripts) any { return known(t.Words) })},
	{"times of words", ofTranscripts(func(t *catalogue.Transcripts) any { return t.WordTimes })},
	{"style", func(r *catalogue.Dataset) any {
		if r.CollectionMethod == nil {
			return nil
		}
		return known(r.CollectionMethod.Style)
	}},
	{"purposes consented to", func(r *catalogue.Dataset) any {
		if r.Consent == nil {
			return nil
		}
		return list(r.Consent.Purposes, "")
	}},
	{"personal data", ofPrivacy(func(p *catalogue.Privacy) any { return known(p.PersonalData) })},
	{"anonymised", ofPrivacy(func(p *catalogue.Privacy) any { return known(p.Anonymised) })},
	{"licence", func(r *catalogue.Dataset) any {
		if r.Licence == nil {
			return nil
		}
		return value(plain.Line(r.Licence.Name, MaxTitle))
	}},
	{"free", func(r *catalogue.Dataset) any {
		if r.Access == nil {
			return nil
		}
		return r.Access.Free
	}},
	{"synthetic", func(r *catalogue.Dataset) any {
		if r.Provenance == nil {
			return nil
		}
		return r.Provenance.Synthetic
	}},
}

func ofFiles(of func(*catalogue.Specification) any) func(*catalogue.Dataset) any {
	return func(r *catalogue.Dataset) any {
		if r.Specification == nil {
			return nil
		}
		return of(r.Specification)
	}
}

func ofTalk(of func(*catalogue.Measurements) any) func(*catalogue.Dataset) any {
	return func(r *catalogue.Dataset) any {
		if r.Measurements == nil {
			return nil
		}
		return of(r.Measurements)
	}
}

func ofTurns(of func(*catalogue.Turns) any) func(*catalogue.Dataset) any {
	return ofTalk(func(m *catalogue.Measurements) any {
		if m.TurnTaking == nil {
			return nil
		}
		return of(m.TurnTaking)
	})
}

func ofTranscripts(of func(*catalogue.Transcripts) any) func(*catalogue.Dataset) any {
	return func(r *catalogue.Dataset) any {
		if r.Transcripts == nil {
			return nil
		}
		return of(r.Transcripts)
	}
}

func ofPrivacy(of func(*catalogue.Privacy) any) func(*catalogue.Dataset) any {
	return func(r *catalogue.Dataset) any {
		if r.Privacy == nil {
			return nil
		}
		return of(r.Privacy)
	}
}

// known returns the value that a pointer leads to, nil for nil. It puts a text on one line.
func known[T any](p *T) any {
	if p == nil {
		return nil
	}
	if s, ok := any(*p).(string); ok {
		return value(plain.Line(s, MaxTitle))
	}
	return *p
}

// value returns a text, nil when it is empty.
func value(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// members is a list on one line, or a word of ours for an empty list. Each member is guarded.
type members string

// list returns a list on one line. Empty is what it returns for an empty list; "" makes an
// empty list count as not known.
func list(all []string, empty members) any {
	switch {
	case len(all) > 0:
		return members(listed("", all))
	case empty != "":
		return empty
	}
	return nil
}

// rounded returns a number with at most two decimals, nil for nil.
func rounded(f *float64) any {
	if f == nil {
		return nil
	}
	return math.Round(*f*100) / 100
}

func middle(s *catalogue.Spread) any {
	if s == nil {
		return nil
	}
	return rounded(&s.Median)
}
