package timbre

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"vaak/engine/espeak"
	"vaak/voice"
	"vaak/workshop/voices/rig"
)

// Files that --write makes, from the root of the repository.
const (
	timbresPath = "engine/espeak/timbres.tsv"
	levelsPath  = "engine/espeak/levels.tsv"
	rosterPath  = "voice/roster.tsv"
	tablePath   = "docs/voices.tsv"
	picturePath = "docs/images/voices.svg"
)

const timbresHeader = `# How each voice sounds on this engine. Made by "make voices-write"; what was measured is in docs/voices.tsv.
#
# Variants are files of the library's voices/!v. Left out are whispers, croaks and tremor; echo, robots and Klatt synthesis;
# what changes a language's own rhythm; and what moves vowels, as shelby and m2 do: workshop/voices/timbre/palette.go names them all.
# Volumes put every voice at -24.5 LUFS (ITU-R BS.1770-4, integrated) over 12 sentences of its native language, with
# libespeak-ng 1.51; levels.tsv keeps it there in other languages. hz is the median fundamental frequency in those 12.
# id	variant	pitch	range	rate	volume	hz
`

// formatTimbres returns the table of timbres in the order of the voices.
func formatTimbres(voices []voice.Voice, timbres map[voice.ID]espeak.Timbre) string {
	var b strings.Builder
	b.WriteString(timbresHeader)
	for _, v := range voices {
		t := timbres[v.ID]
		fmt.Fprintf(&b, "%s\t%s\t%d\t%d\t%d\t%d\t%d\n", v.ID, t.Variant, t.Pitch, t.Range, t.Rate, t.Volume, t.Hz)
	}
	return b.String()
}

// write writes all files under a directory.
func (s survey) write(root string, timbres map[voice.ID]espeak.Timbre, found levels) error {
	roster, err := os.ReadFile(filepath.Join(root, rosterPath))
	if err != nil {
		return err
	}
	measured := formatTimbres(s.voices, timbres)
	table := formatTable(s.table(), measured)
	rows, err := parseTable(table) // as rounded, so that the picture can be made of the file
	if err != nil {
		return err
	}
	for name, content := range map[string]string{
		timbresPath: measured,
		levelsPath:  found.format(),
		rosterPath:  describe(string(roster), timbres),
		tablePath:   table,
		picturePath: drawing(rows),
	} {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(content), 0o644); err != nil {
			return err
		}
	}
	var figures strings.Builder
	s.reportAll(&figures)
	return rig.WritePart(filepath.Join(root, filepath.FromSlash(rig.DocsPath)), "timbres", "\n```text"+figures.String()+"```\n\n")
}

// bands are the frequencies, in Hz, between which a voice of a gender counts as
// medium-pitched.
var bands = map[voice.Gender]struct{ low, high int }{
	voice.Female: {187, 213},
	voice.Male:   {106, 124},
}

// pitched returns what a frequency is called for a gender.
func pitched(gender voice.Gender, hz int) string {
	switch limits := bands[gender]; {
	case hz < limits.low:
		return "low-pitched"
	case hz >= limits.high:
		return "high-pitched"
	default:
		return "medium-pitched"
	}
}

var anyPitched = regexp.MustCompile(`\b(low|medium|high)-pitched\b`)

// describe returns the roster with the descriptions, its last column, saying the
// pitch that was measured. It leaves everything else as it is.
func describe(roster string, timbres map[voice.ID]espeak.Timbre) string {
	var b strings.Builder
	for line := range strings.Lines(roster) {
		id, _, _ := strings.Cut(line, "\t")
		v, known := voice.Lookup(voice.ID(id))
		if at := strings.LastIndexByte(line, '\t'); known && at >= 0 {
			line = line[:at] + anyPitched.ReplaceAllString(line[at:], pitched(v.Gender, timbres[v.ID].Hz))
		}
		b.WriteString(line)
	}
	return b.String()
}
