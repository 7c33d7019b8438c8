package timbre

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"vaak/lang"
	"vaak/voice"
)

// row is a voice in the table of results.
type row struct {
	id        voice.ID
	native    lang.Code
	gender    voice.Gender
	hz        float64  // median F0
	span      float64  // 10th to 90th percentile of F0, semitones
	voiced    float64  // share of the sound
	x, y      float64  // timbre, on its two principal components, dB
	self      float64  // distance from itself between two sentences, dB
	selfSets  float64  // the same between two sets of sentences
	neighbour voice.ID // the nearest voice of its language
	nearest   float64  // how far that is, dB
	timbre    float64  // how far it is by timbre alone
	least     float64  // smallest ratio of its pairs
	lufs      float64
	peak      int // highest sample
}

const tableHeader = `# How the voices sound, as measured. Made by "make voices-write"; docs/voices.md explains the columns.
#
# Each voice spoke two sets of 6 sentences of its native language. hz: median fundamental frequency. range: from its 10th
# to its 90th percentile, in semitones. voiced: share of the sound in which the vocal folds swing. x, y: timbre, on the two
# principal components of all voices, in dB. self, self_sets: distance of the voice from itself between two sentences
# (median), and between the two sets, in dB. nearest: the voice of the same native language that is nearest, its distance
# in dB, and the same by timbre alone. ratio: the smallest, over the voices of the language, of the distance between two
# against what one of them is from itself between two sentences. lufs: integrated loudness (ITU-R BS.1770-4). peak:
# highest sample of 32,767.
# Measured of the timbres.tsv of which %.8x begins the SHA-256.
# id	native	gender	hz	range	voiced	x	y	self	self_sets	nearest	distance	by_timbre	ratio	lufs	peak
`

// table returns the rows of a survey of all voices.
func (s survey) table() []row {
	points := s.principal()
	rows := make([]row, len(s.voices))
	for i, v := range s.voices {
		t := s.takes[v.ID]
		near, least := s.neighbours(v)
		rows[i] = row{
			id: v.ID, native: v.Native, gender: v.Gender,
			hz: t.f0(), span: t.span(), voiced: (t.a.Voiced + t.b.Voiced) / 2,
			x: points[i][0], y: points[i][1],
			self: t.self.sentences, selfSets: t.self.sets,
			neighbour: near.b.ID, nearest: near.distance, timbre: near.timbre, least: least,
			lufs: t.lufs, peak: t.peak,
		}
	}
	return rows
}

// formatTable returns the file of rows, which were measured of a file of timbres.
func formatTable(rows []row, timbres string) string {
	var b strings.Builder
	fmt.Fprintf(&b, tableHeader, sha256.Sum256([]byte(timbres)))
	for _, r := range rows {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%d\n",
			r.id, r.native, r.gender, r.hz, r.span, r.voiced, r.x, r.y, r.self, r.selfSets,
			r.neighbour, r.nearest, r.timbre, r.least, r.lufs, r.peak)
	}
	return b.String()
}

// parseTable reads what formatTable wrote.
func parseTable(tsv string) ([]row, error) {
	const columns = 16
	var rows []row
	for line := range strings.Lines(tsv) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != columns {
			return nil, fmt.Errorf("%d columns, want %d: %.64q", len(c), columns, line)
		}
		r := row{id: voice.ID(c[0]), native: lang.Code(c[1]), gender: voice.Gender(c[2]), neighbour: voice.ID(c[10])}
		for i, to := range map[int]*float64{
			3: &r.hz, 4: &r.span, 5: &r.voiced, 6: &r.x, 7: &r.y, 8: &r.self, 9: &r.selfSets,
			11: &r.nearest, 12: &r.timbre, 13: &r.least, 14: &r.lufs,
		} {
			v, err := strconv.ParseFloat(c[i], 64)
			if err != nil {
				return nil, fmt.Errorf("column %d of %s: %w", i+1, c[0], err)
			}
			*to = v
		}
		var err error
		if r.peak, err = strconv.Atoi(c[15]); err != nil {
			return nil, fmt.Errorf("column 16 of %s: %w", c[0], err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}
