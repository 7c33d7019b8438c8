package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vaak/catalogue"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
)

// lines collects the lines of a summary. What is not known has no line.
type lines struct{ strings.Builder }

// line writes a label with the parts that are not empty. It writes nothing when all are empty.
func (l *lines) line(label string, parts ...string) {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	if len(parts) == 0 {
		return
	}
	if l.Len() > 0 {
		l.WriteByte('\n')
	}
	if label != "" {
		l.WriteString(label + ": ")
	}
	l.WriteString(strings.Join(parts, "; "))
}

// summary returns a record in some twenty lines.
func summary(stored *catalogue.Stored) string {
	d := &stored.Dataset
	var l lines
	l.line("", fmt.Sprintf("%s (%s, version %s, %s)", tool.Quoted(d.Title, MaxTitle), d.Slug, guarded(d.Version, 40), d.Status))
	l.line("description", tool.Quoted(d.Description, maxWords))
	l.line("language", fmt.Sprintf("%s (%s)", guarded(d.Language.Name, MaxTitle), d.BCP47), listed("also ", d.OtherLanguages), listed("varieties ", d.Language.Varieties))
	l.line("volume", number(d.Hours)+" h", strconv.Itoa(d.Recordings)+" recordings", counted(d.Conversations, "conversations"), counted(d.Speakers, "speakers"))
	l.line("talk", orNothing(d.Channels), orNothing(d.Collection), listed("about ", d.Domains))
	l.line("files", specificationWords(d.Specification))
	l.line("measured", measurementWords(d.Measurements)...)
	l.line("transcripts", transcriptWords(d)...)
	if m := d.CollectionMethod; m != nil {
		l.line("recorded", words(m.Style), words(m.Setting), words(m.Equipment), words(m.Summary))
	}
	if p := d.Participants; p != nil {
		l.line("participants", words(p.Summary))
	}
	if c := d.Consent; c != nil {
		l.line("consent", listed("for ", c.Purposes), words(c.Summary))
	}
	if p := d.Privacy; p != nil {
		l.line("privacy", claim(p.PersonalData, "personal data", "no personal data"), claim(p.Anonymised, "anonymised", "not anonymised"), words(p.Summary))
	}
	if x := d.Licence; x != nil {
		l.line("licence", words(&x.Name), words(x.URL), words(x.Summary))
	}
	if a := d.Access; a != nil {
		l.line("access", claim(&a.Free, "free", "on licence"), words(a.Conditions))
	}
	if p := d.Provenance; p != nil {
		l.line("provenance", claim(&p.Synthetic, "synthetic, made by machine", ""))
	}
	l.line("not known", strings.Join(d.Gaps, ", "))
	if d.Sample != nil {
		l.sample(d.Sample, sampleLink(stored).Uri)
	}
	if tool.Absolute(d.URL) {
		l.line("page", d.URL)
	}
	return l.String()
}

// maxLines is how many lines of a sample's transcript a summary has.
const maxLines = 6

// sample writes the address of a sample and the beginning of its transcript.
func (l *lines) sample(s *catalogue.Sample, address string) {
	if !tool.Absolute(address) {
		address = ""
	}
	l.line("sample", number(s.DurationS)+" s", fmt.Sprintf("%d Hz", s.SampleRateHz), address)
	if s.Transcript == nil {
		return
	}
	said := s.Transcript.Segments
	for _, line := range said[:min(len(said), maxLines)] {
		who := guarded(firstOf(line.Role, line.Speaker), 40)
		if who == "" && line.Channel > 0 {
			who = "channel " + strconv.Itoa(line.Channel)
		}
		l.line(strings.TrimSpace(fmt.Sprintf("- %.1f s %s", line.StartS, who)), tool.Quoted(line.Text, MaxTitle))
	}
	if more := s.Transcript.Count - maxLines; more > 0 {
		l.line("", fmt.Sprintf("- %d more lines", more))
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// maxSummary is the longest summary or name on a line, in code points.
const maxSummary = 240

// words returns a text of a stranger on one line, in quotes.
func words(s *string) string { return tool.Quoted(orNothing(s), maxSummary) }

// guarded returns a short name that a stranger wrote. It puts the name in quotes if it has
// characters that separate our own words, or is one of them.
func guarded(s string, most int) string {
	s = plain.Line(s, most)
	if strings.ContainsAny(s, `,;:|()"\`) || slices.Contains(ownWords, s) {
		return tool.Quoted(s, most)
	}
	return s
}

// ownWords holds the words that our lines use for values.
var ownWords = []string{notKnown, "yes", "no", "none"}

// notKnown is the text for a value that is not known.
const notKnown = "not known"

// maxListed is how many members of a list are on a line.
const maxListed = 12

// listed returns a list with a word before it, "" when it is empty.
func listed(before string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	short := make([]string, 0, maxListed)
	for _, s := range list[:min(len(list), maxListed)] {
		short = append(short, guarded(s, 80))
	}
	if more := len(list) - maxListed; more > 0 {
		short = append(short, fmt.Sprintf("%d more", more))
	}
	return before + strings.Join(short, ", ")
}

// number returns a number with at most two decimals.
func number(f float64) string {
	s := strconv.FormatFloat(f, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func counted(n *int, what string) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n) + " " + what
}

func claim(b *bool, yes, no string) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return yes
	}
	return no
}

// mostOf returns the value that most files have. Among several it returns the first in alphabetical
// order.
func mostOf(counts map[string]int) string {
	best := ""
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || counts[value] > counts[best] {
			best = value
		}
	}
	return plain.Line(best, 40)
}

func specificationWords(s *catalogue.Specification) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s, %s, %s Hz, median %s s", mostOf(s.Container), mostOf(s.Codec), mostOf(s.SampleRateHz), number(s.DurationS.Median))
}

func measurementWords(m *catalogue.Measurements) []string {
	if m == nil {
		return nil
	}
	parts := []string{median("silence", m.SilenceRatio, "of the time")}
	if t := m.TurnTaking; t != nil {
		parts = append(parts, median("overlap", t.OverlapRatio, "of speech"), median("response", t.FTOMedianMs, "ms"), median("", t.TurnsPerMin, "turns a minute"))
	}
	if w := m.Words; w != nil {
		parts = append(parts, median("", w.WordsPerMin, "words a minute"))
	}
	return parts
}

// median returns the median of a spread with its unit.
func median(what string, s *catalogue.Spread, unit string) string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(what + " " + number(s.Median) + " " + unit)
}

func transcriptWords(d *catalogue.Dataset) []string {
	if !d.Transcribed {
		return []string{"none with times"}
	}
	parts := []string{"with times"}
	if t := d.Transcripts; t != nil {
		held := fmt.Sprintf("%d recordings, %d segments", t.Recordings, t.Segments)
		if t.Words != nil {
			held += ", " + counted(t.Words, "words")
		}
		parts = append(parts, listed("", t.Formats), held)
	}
	if d.EnglishShare != nil {
		parts = append(parts, number(100**d.EnglishShare)+" % of the sample's words in Latin letters")
	}
	return parts
}
