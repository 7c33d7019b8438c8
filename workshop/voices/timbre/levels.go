package timbre

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/voice"
	"vaak/workshop/voices/rig"
)

const levelsHeader = `# How loud each variant is in each language at one volume, in dB against its mean over the languages. Made by
# "make voices-write" of 4 sentences each (integrated loudness, ITU-R BS.1770-4), with libespeak-ng 1.51. A voice whose
# volume is right in its native language is brought to the same level in the others with this.
`

// levelSentences is how many sentences tell the level of a language.
const levelSentences = 4

// levels holds, by the library's name of a language, how loud each variant of
// the palette is there, in dB against the mean of the variant.
type levels map[string][]float64

// languageLevels measures all languages with all variants.
func (s *studio) languageLevels(ctx context.Context) (levels, error) {
	var names []string
	var codes []lang.Code
	for _, l := range lang.All() {
		if name, ok := espeak.LibraryName(l.Code); ok && !slices.Contains(names, name) {
			names, codes = append(names, name), append(codes, l.Code)
		}
	}
	table := map[voice.ID]espeak.Timbre{}
	for i, b := range palette {
		table[stageName(i)] = espeak.Timbre{Variant: b.variant, Pitch: 50, Range: 50, Rate: 175, Volume: b.volume}
	}
	e, err := espeak.Open(espeak.Config{Worker: s.worker, Timbres: table})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	found := levels{}
	for _, name := range names {
		found[name] = make([]float64, len(palette))
	}
	bar := rig.NewProgress(os.Stderr, "languages", len(names)*len(palette))
	defer bar.End()
	err = rig.ForEach(ctx, len(names)*len(palette), func(ctx context.Context, i int) error {
		at, variant := i/len(palette), i%len(palette)
		loud := rig.NewLoudness(e.SampleRate())
		for _, text := range s.corpus[codes[at]].A[:levelSentences] {
			pcm, err := rig.Speak(ctx, e, voice.Voice{ID: stageName(variant)}, codes[at], text)
			if err != nil {
				return err
			}
			loud.Write(pcm)
		}
		var err error
		if found[names[at]][variant], err = loud.LUFS(); err != nil {
			return fmt.Errorf("variant %s in %s: %w", palette[variant].variant, names[at], err)
		}
		bar.Step()
		return nil
	})
	found.center()
	return found, err
}

// center takes the mean over the languages out of every variant.
func (l levels) center() {
	for variant := range palette {
		mean := 0.0
		for _, row := range l {
			mean += row[variant] / float64(len(l))
		}
		for _, row := range l {
			row[variant] -= mean
		}
	}
}

// format returns the file of levels.
func (l levels) format() string {
	var b strings.Builder
	b.WriteString(levelsHeader)
	b.WriteString("voice")
	for _, base := range palette {
		b.WriteString("\t" + base.variant)
	}
	b.WriteString("\n")
	for _, name := range slices.Sorted(maps.Keys(l)) {
		b.WriteString(name)
		for _, db := range l[name] {
			fmt.Fprintf(&b, "\t%.1f", db)
		}
		b.WriteString("\n")
	}
	return b.String()
}
