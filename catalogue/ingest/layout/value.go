package layout

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vaak/catalogue/ingest/card"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/transcript"
)

const (
	maxPath    = 1024          // bytes
	maxID      = 128           // bytes
	maxSeconds = 7 * 24 * 3600 // of any time in a manifest
)

// AudioExtensions are the extensions of audio files, in lower case. Which format a file has
// is decided by its bytes, not by its extension.
var AudioExtensions = map[string]bool{
	".wav": true, ".wave": true, ".flac": true, ".mp3": true, ".ogg": true, ".opus": true, ".oga": true,
	".sph": true, ".rf64": true, ".bw64": true,
}

// IsManifest reports whether a file in audio/ is the manifest of an AudioFolder.
func IsManifest(p string) bool {
	return p == "audio/metadata.csv" || p == "audio/metadata.jsonl"
}

// defaultID makes the id of a recording from its path: what is below audio/ without the
// extension, with hyphens in place of slashes and spaces. Of a folder that is not in our own
// layout, it leaves out the folders that all audio is in.
func (s *Set) defaultID(p string) string {
	p = strings.TrimPrefix(p, s.top)
	id := strings.NewReplacer("/", "-", " ", "-").Replace(strings.TrimSuffix(p, path.Ext(p)))
	if s.Found.Own {
		return id
	}
	// Readers of tables take an id such as 007 for a number.
	if _, err := strconv.ParseFloat(id, 64); err == nil {
		id = "rec-" + id
	}
	return usableID(id)
}

// usableID returns a name that can be an id as it is, and makes an id of any other: characters
// that ids do not have are left out, and part of the digest of the name is added, so that two
// names do not become one.
func usableID(name string) string {
	if badID(name) == "" {
		return name
	}
	kept := strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf && badID("x"+string(r)) == "":
			return r
		case r == ' ' || r == '/' || r == ':':
			return '-'
		}
		return -1
	}, name)
	kept = strings.Trim(kept[:min(len(kept), 100)], ".-")
	sum := sha256.Sum256([]byte(name))
	return strings.TrimPrefix(kept+"-"+hex.EncodeToString(sum[:4]), "-")
}

// badID returns what is allowed as the id of a recording if id is not, else "".
func badID(id string) string {
	const allowed = "an id has letters A to Z, digits, hyphens, dots and underscores, up to 128, and begins with no dot"
	if id == "" || len(id) > maxID || id[0] == '.' {
		return allowed
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return allowed
		}
	}
	return ""
}

// badPath returns what is wrong with a path in a manifest, as the end of a sentence, or "".
func badPath(p string) string {
	switch {
	case p == "":
		return "is empty"
	case len(p) > maxPath:
		return "is too long"
	case tree.BadName(p) != "":
		return tree.BadName(p)
	case strings.Contains(p, "://"):
		return "is an address; nothing is fetched, the file must be in the folder"
	case strings.HasPrefix(p, "/") || len(p) > 1 && p[1] == ':':
		return isAbsolute
	}
	// ".." is refused even where it would stay inside: no honest manifest needs it.
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return leaves
		}
	}
	return ""
}

// What badPath says of paths of another machine, which may be found by their end; see [Set.find].
const (
	isAbsolute = "is absolute; paths begin in the folder"
	leaves     = "leaves the folder"
)

// usualSplit returns train, validation or test if a word is a usual name of these, else "".
func usualSplit(word string) string {
	switch name, _ := splitName(word); name {
	case "train", "validation", "test":
		return name
	}
	return ""
}

// splitOfPath returns the usual split that a path names: the first of its folders that is called
// like one, or the first such word in the name of the file; else "".
func splitOfPath(p string) string {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		if split := usualSplit(part); split != "" {
			return split
		}
	}
	for _, word := range strings.FieldsFunc(path.Base(p), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if split := usualSplit(word); split != "" {
			return split
		}
	}
	return ""
}

// splitName returns the usual name of a split; why says what is wrong with s, or is "".
func splitName(s string) (name, why string) {
	switch low := strings.ToLower(strings.TrimSpace(s)); low {
	case "":
		return "", ""
	case "train", "training":
		return "train", ""
	case "validation", "valid", "val", "dev", "development":
		return "validation", ""
	case "test", "testing", "eval", "evaluation":
		return "test", ""
	default:
		if len(low) > 40 || badID(low) != "" {
			return "", "is train, validation, test or another word of up to 40 letters and digits"
		}
		return low, ""
	}
}

// inOrder sorts segments by time and returns them.
func inOrder(segments []transcript.Segment) []transcript.Segment {
	slices.SortStableFunc(segments, func(a, b transcript.Segment) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Channel, b.Channel))
	})
	return segments
}

// speakersOf returns the speakers of segments: in the order of channels if each speaker has
// a channel of their own, which byChannel says, else as they appear. It returns nil if a segment has
// none.
func speakersOf(segments []transcript.Segment) (names []string, byChannel bool) {
	channels := map[string]int{}
	owners := map[int]string{}
	byChannel = true
	for _, s := range segments {
		if s.Speaker == "" {
			return nil, false // a list that may lack people would be counted
		}
		if _, known := channels[s.Speaker]; !known {
			names = append(names, s.Speaker)
			channels[s.Speaker] = s.Channel
		}
		// A channel with two speakers, or a speaker on two channels.
		if owner, taken := owners[s.Channel]; s.Channel == 0 || taken && owner != s.Speaker || channels[s.Speaker] != s.Channel {
			byChannel = false
		}
		owners[s.Channel] = s.Speaker
	}
	if byChannel {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(channels[a], channels[b]) })
	}
	return names, byChannel && len(names) > 0
}

// seconds returns a time in seconds; false is a problem that it has added. Go would also
// read hexadecimal numbers and underscores, which no manifest has.
func (s *Set) seconds(at Place, what, text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xXpP_") {
		s.Report.Add(at.File, at.Line, "the %s is in seconds, this is %s", what, report.Quote(text))
		return 0, false
	}
	return v, true
}

// span reports whether a start and an end are possible; false is a problem that it has
// added.
func (s *Set) span(at Place, start, end float64) bool {
	for _, v := range []float64{start, end} {
		if math.IsNaN(v) || v < 0 || v > maxSeconds {
			s.Report.Add(at.File, at.Line, "the time %v is outside 0 to %d seconds", v, maxSeconds)
			return false
		}
	}
	if end < start {
		s.Report.Add(at.File, at.Line, "the end %v is before the start %v", end, start)
		return false
	}
	return true
}

// spoken returns the text of a segment in NFC, without white space around it. Control
// characters are a problem.
func (s *Set) spoken(at Place, text string) string {
	text = norm.NFC.String(strings.TrimSpace(text))
	if strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' || transcript.Overrides(c) }) {
		s.Report.Add(at.File, at.Line, "the text has a control character")
	}
	return text
}

// names returns the names of a list in NFC, or nil if there are none; see name.
func (s *Set) names(at Place, what string, all []string) []string {
	out := make([]string, 0, len(all))
	for _, text := range all {
		name := s.name(at, what, text)
		if name == "" {
			s.Report.Add(at.File, at.Line, "%s has an empty name", what)
			continue
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// name returns a name in NFC, without white space around it. It adds the problem and
// returns "" if the name cannot be used.
func (s *Set) name(at Place, what, text string) string {
	text = norm.NFC.String(strings.TrimSpace(text))
	if utf8.RuneCountInString(text) > card.MaxName || tree.BadName(text) != "" {
		s.Report.Add(at.File, at.Line, "%s is up to %d characters of text, this is %s", what, card.MaxName, report.Quote(text))
		return ""
	}
	return text
}
