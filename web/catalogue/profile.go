package catalogue

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/lang"
	"vaak/web/site"
)

// profile is the conversation of the sample in charts.
type profile struct {
	Method   string
	Shares   *bar
	Silence  string
	Offsets  *offsets
	Timeline *timeline
	Turns    []fact
	TurnsBy  string
	Words    []fact
	WordsBy  string
	English  *bar
	Channels *channelTable
}

// bar is a bar that shows the parts of a whole.
type bar struct {
	Words string // what it shows, for people who do not see it
	By    string // the method of measurement
	Parts []part
}

// part is a part of a bar, in a box 100 wide.
type part struct {
	X, Width string
	Voice    int // number of the colour
	Name     string
	Share    string
}

// newBar returns a bar with a part for each name, as wide as its share.
func newBar(words string, names []string, shares []float64, voice func(int) int) *bar {
	b := &bar{}
	var spoken []string
	at := 0.0
	for i, share := range shares[:min(len(shares), len(names), 50)] {
		// Rounding, or a wrong record, may make the shares sum to more than the whole.
		share = min(unit(share), 1-at)
		p := part{fmt.Sprintf("%.2f", at*100), fmt.Sprintf("%.2f", share*100), voice(i), names[i], percent(share)}
		b.Parts = append(b.Parts, p)
		spoken = append(spoken, p.Name+" "+p.Share)
		at += share
	}
	b.Words = words + strings.Join(spoken, ", ")
	return b
}

// newProfile returns the profile of a sample, or nil where nothing was measured.
func newProfile(x *catalogue.Sample) *profile {
	m, c := x.Metrics, newCast(x)
	p := &profile{Method: method(m.Method), Channels: newChannelTable(m, c)}
	if x.DurationS > 0 && m.Speech.SpeechS > 0 {
		p.Silence = percent(m.Speech.SilenceRatio)
	}
	voice := func(i int) int { return colour(i + 1) }
	version := site.Clip(m.Method.Name, site.WordMax) + " " + site.Clip(m.Method.Version, site.WordMax)
	by := func(name string) string { return site.Clip(name, site.WordMax) + ", " + version }
	if t := m.TurnTaking; t != nil {
		if shares := m.Speech.SpeechShare; len(shares) > 1 && len(shares) == len(c.names) {
			p.Shares = newBar("Share of speech: ", c.names, shares, voice)
			p.Shares.By = by(t.Method)
		}
		p.Offsets = newOffsets(t.FTO, by(t.Method))
		p.Timeline = newTimeline(t, c, x.DurationS, by(t.Method))
		p.Turns, p.TurnsBy = turnFacts(t), by(t.Method)
	} else if l := m.SpeakerLabels; l != nil {
		if names := c.names[:min(len(c.names), len(l.Speakers))]; len(names) > 0 && len(l.SpeechShare) == len(l.Speakers) {
			p.Shares = newBar("Share of speech: ", names, l.SpeechShare, voice)
			p.Shares.By = by(l.Method)
		}
		p.Offsets = newOffsets(l.FTO, by(l.Method))
		p.Turns, p.TurnsBy = []fact{
			{Name: "Turns", Value: site.Whole(l.TurnCount), Note: "Changes of speaker in the transcript."},
			{Name: "Overlap", Value: percent(l.OverlapRatio), Note: "Segments of two speakers at once, of the time with any. From transcript times: not to be compared with figures from audio."},
		}, by(l.Method)
	}
	if x := m.Lexical; x != nil {
		p.Words, p.WordsBy = wordFacts(x), by(x.Method)
		p.English = scripts(x.ScriptShare)
	}
	if p.Shares == nil && p.Offsets == nil && p.Timeline == nil && p.Turns == nil && p.Words == nil && p.Channels == nil {
		return nil
	}
	return p
}

func turnFacts(t *catalogue.TurnTaking) []fact {
	out := []fact{
		{Name: "Overlap", Value: percent(t.OverlapRatio), Note: "Both speak, of the time in which anybody does."},
		{Name: "Turns", Value: site.Whole(t.TurnCount), Note: site.Decimal(t.TurnsPerMin, 1) + " a minute."},
	}
	add := func(name, value, note string) { out = append(out, fact{Name: name, Value: value, Note: note}) }
	if q := t.TurnLengthS; q != nil {
		add("Length of a turn", site.Decimal(q.Median, 1)+" s", "Median; one in ten is longer than "+site.Decimal(q.P90, 1)+" s.")
	}
	add("Backchannels", site.Whole(t.BackchannelCount), site.Decimal(t.BackchannelsPerMin, 1)+" a minute. Short words such as “hmm” while the other holds the floor, told by their length and place.")
	if q := t.PauseMs; q != nil {
		add("Pause", site.Decimal(q.Median, 0)+" ms", "Median silence inside a speaker's turn; "+site.Decimal(t.PausesPerMin, 1)+" a minute.")
	}
	add("Early starts", site.Decimal(t.OverlappedStartsPerMin, 1)+" a minute", "Turns that begin over 200 ms before the other has ended.")
	return out
}

// languages writes the share of each language, the largest first.
func languages(shares map[string]float64) string {
	codes := slices.SortedFunc(maps.Keys(shares), func(a, b string) int {
		return cmp.Or(cmp.Compare(shares[b], shares[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, code := range codes[:min(len(codes), 8)] {
		name := "not told"
		if l, ok := lang.Lookup(lang.Code(code)); ok {
			name = l.Name
		}
		parts = append(parts, name+" "+percent(shares[code]))
	}
	return strings.Join(parts, ", ")
}

func wordFacts(x *catalogue.Lexical) []fact {
	out := []fact{
		{Name: "Words", Value: site.Whole(x.Words), Note: site.Plural(x.Types, "different one", "different ones") + "."},
	}
	add := func(name, value, note string) { out = append(out, fact{Name: name, Value: value, Note: note}) }
	known := func(name string, figure *float64, places int, note string) {
		if figure != nil {
			add(name, site.Decimal(*figure, places), note)
		}
	}
	known("Words a minute", x.WordsPerMin, 0, "Of the time that is transcribed.")
	known("Words a minute of speech", x.Articulation, 0, "How fast people talk while they talk.")
	add("English words", percent(x.EnglishShare), "Written in Latin letters alone. English in the script of the language counts as none.")
	known("Code-mixing index", x.CodeMixIndex, 1, "0 is one script only, 50 is an even mix of two.")
	known("Switches", x.SwitchesPer100, 1, "Changes of script in 100 words.")
	known("Type-token ratio", x.TypeToken, 2, "Different words of the first 1,000.")
	if x.Coverage != nil {
		add("Speech transcribed", percent(*x.Coverage), "Of the speech heard in the audio, inside a segment.")
	}
	if len(x.LanguageShare) > 0 {
		add("Languages", languages(x.LanguageShare), "Those of the dataset and English, told by the words, 20 at a time.")
	}
	for i, shares := range x.ChannelLanguages[:min(len(x.ChannelLanguages), voiceColours)] {
		add(fmt.Sprintf("Languages of channel %d", i+1), languages(shares), "")
	}
	if lag := x.AlignmentLagMs; lag != nil {
		name := "Segments are late by"
		if *lag < 0 {
			name = "Segments are early by"
		}
		add(name, site.Decimal(math.Abs(*lag), 0)+" ms", "Compared with the speech that is heard.")
	}
	for _, w := range []struct {
		name string
		n    int
		note string
	}{
		{"Pace out of reach", x.ImplausibleSegments, "More or less text than can be spoken in that time."},
		{"Nothing to hear", x.UnheardSegments, "Words where hardly any speech is heard."},
	} {
		if w.n > 0 {
			out = append(out, fact{Name: w.name, Value: site.Plural(w.n, "segment", "segments"), Note: w.note, Warn: true})
		}
	}
	if x.OutsideShare != nil && *x.OutsideShare > 0 {
		out = append(out, fact{Name: "Signs outside of the alphabet", Value: site.Decimal(1000**x.OutsideShare, 2) + " in 1,000 letters", Note: strings.Join(slices.Sorted(maps.Keys(x.OutsideSigns)), ", "), Warn: true})
	}
	if x.TimeErrors > 0 {
		out = append(out, fact{Name: "Times out of place", Value: site.Plural(x.TimeErrors, "segment", "segments"), Note: "They end before they begin, or after the audio.", Warn: true})
	}
	return out
}

// scripts returns the bar of the scripts of a transcript, the most frequent first.
func scripts(shares map[string]float64) *bar {
	if len(shares) < 2 {
		return nil
	}
	scaled := make(map[string]int, len(shares))
	// Whole numbers, because byCount sorts counts.
	for k, v := range shares {
		scaled[k] = int(unit(v) * 1e6)
	}
	var names []string
	var values []float64
	for _, k := range byCount(scaled)[:min(len(scaled), voiceColours)] {
		names, values = append(names, scriptName(site.Clip(k, 20))), append(values, shares[k])
	}
	return newBar("Words by script: ", names, values, func(i int) int { return colour(i + 1) })
}

func scriptName(code string) string {
	if name, ok := map[string]string{
		"Latn": "Latin", "Deva": "Devanagari", "Beng": "Bengali", "Taml": "Tamil", "Telu": "Telugu", "Gujr": "Gujarati",
		"Guru": "Gurmukhi", "Knda": "Kannada", "Mlym": "Malayalam", "Orya": "Odia", "Arab": "Arabic", "Olck": "Ol Chiki", "Mtei": "Meetei Mayek",
	}[code]; ok {
		return name
	}
	return code
}
