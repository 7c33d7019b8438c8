// Package accents measures how the voices of each native language speak each language, and makes
// the table of pairs, its map and its part of docs/voices.md.
package accents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"vaak/engine/espeak"
	"vaak/engine/espeak/accent"
	"vaak/lang"
	"vaak/voice"
	"vaak/workshop/voices/rig"
)

const pairsPath = "engine/espeak/accent/pairs.tsv"

// stage renders what pairs of languages are measured by.
type stage struct {
	mapped, plain *espeak.Engine // with the sounds of the native language, and with the language's own
	texts         rig.Corpus     // running text, of which levels are measured
	scenes        map[lang.Code]scene
}

// scene is what is said in a language: the preview sentence, how it is read and how
// long the language's own voice takes for it, and how the articles of the
// declaration are read, if the language has them.
type scene struct {
	text        string
	reading     espeak.Reading
	declaration espeak.Reading
	reader      string
	switches    int // to another language's voice in both readings
	own         heard
	tones       int // of the preview sentence
}

func openStage(worker, texts string) (*stage, error) {
	running, err := rig.ReadCorpus(texts, levelTexts)
	if err != nil {
		return nil, err
	}
	open := func(all bool) (*espeak.Engine, error) {
		return espeak.Open(espeak.Config{Worker: worker, Accented: func(_, _ lang.Code) bool { return all }})
	}
	mapped, err := open(true)
	if err != nil {
		return nil, err
	}
	plain, err := open(false)
	if err != nil {
		return nil, errors.Join(err, mapped.Close())
	}
	return &stage{mapped: mapped, plain: plain, texts: running, scenes: map[lang.Code]scene{}}, nil
}

func (s *stage) close() error { return errors.Join(s.mapped.Close(), s.plain.Close()) }

// crashes returns how many children of the library crashed or hung, and how many
// pieces of text nothing could speak.
func (s *stage) crashes() int64 {
	total := int64(0)
	for _, e := range []*espeak.Engine{s.mapped, s.plain} {
		children, left := e.Crashes()
		total += children + left
	}
	return total
}

// set reads what is said in each language of a list, and has it spoken by the
// language's own voice.
func (s *stage) set(ctx context.Context, codes []lang.Code, declaration map[lang.Code]string) error {
	all := make([]scene, len(codes))
	err := rig.ForEach(ctx, len(codes), func(ctx context.Context, i int) (err error) {
		all[i], err = s.scene(ctx, codes[i], declaration[codes[i]])
		return err
	})
	for i, c := range all {
		s.scenes[codes[i]] = c
	}
	return err
}

func (s *stage) scene(ctx context.Context, code lang.Code, declaration string) (c scene, err error) {
	c.text = voice.PreviewText(code)
	c.reader, _ = espeak.Reader(code, c.text)
	if c.reading, err = s.plain.Read(ctx, code, c.text, false); err != nil {
		return c, err
	}
	if declaration != "" {
		if c.declaration, err = s.plain.Read(ctx, code, declaration, false); err != nil {
			return c, err
		}
	}
	for _, r := range []espeak.Reading{c.reading, c.declaration} {
		for _, clause := range r.Clauses {
			c.switches += accent.Switches(clause)
		}
	}
	for _, clause := range c.reading.Clauses {
		c.tones += accent.Tones(code, clause)
	}
	c.own, err = render(ctx, s.plain, voice.Default(code), code, c.text)
	return c, err
}

// measured is a row of the table and how the pair sounds with the language's own
// phonemes.
type measured struct {
	accent.Pair
	plain heard
}

// measure measures a pair.
func (s *stage) measure(ctx context.Context, native, spoken lang.Code) (m measured, err error) {
	c, v := s.scenes[spoken], voice.Default(native)
	m.Native, m.Spoken, m.Names = native, spoken, c.switches
	if m.plain, err = render(ctx, s.plain, v, spoken, c.text); err != nil {
		return m, err
	}
	m.Plain = hundredths(m.plain.seconds / c.own.seconds)
	a := accent.Of(native, spoken)
	said := a.Say(c.reading.Form, c.reading.Clauses)
	more := a.Say(c.declaration.Form, c.declaration.Clauses)
	m.Sounds = said.Sounds + more.Sounds
	if own, _ := espeak.Reader(native, ""); own == c.reader || native == spoken {
		m.Kind = accent.Native
		m.hear(m.plain, c)
		m.Segments = said.Sounds
		return m, nil
	}
	with, err := render(ctx, s.mapped, v, spoken, c.text)
	if err != nil {
		return m, err
	}
	m.Tones = c.tones
	m.Missed, m.Cost = said.Missed+more.Missed, hundredths((said.Cost+more.Cost)/float64(max(1, m.Sounds)))
	m.hear(with, c)
	m.Segments = audibleSegments(said, with)
	if m.Kind = m.Measurement.Kind(); m.Kind == accent.Mapped {
		m.Level, err = s.level(ctx, v, spoken)
	}
	return m, err
}

// levelTexts is how many sentences the level is measured with. The preview will not
// do: in Hebrew it has its vowels written out, as hardly any text has.
const levelTexts = 2

// level returns how much louder a voice is in a language than in its own, in dB.
func (s *stage) level(ctx context.Context, v voice.Voice, spoken lang.Code) (float64, error) {
	loud := rig.NewLoudness(s.mapped.SampleRate())
	for _, text := range s.texts[spoken].A {
		pcm, err := rig.Speak(ctx, s.mapped, v, spoken, text)
		if err != nil {
			return 0, err
		}
		loud.Write(pcm)
	}
	lufs, err := loud.LUFS()
	return math.Round(10*(lufs-rig.TargetLUFS)) / 10, err
}

// hear notes what was heard of a scene.
func (m *measured) hear(h heard, c scene) {
	m.Duration = hundredths(h.seconds / c.own.seconds)
	m.Words, m.Silent, m.Faintest = len(h.words), h.silent(), h.faintest()
	m.Names += max(0, len(h.words)-len(c.own.words))
}

// audibleSegments returns the phonemes said in words that have sound. The marks of
// the engine are those of the words, but for a few that begin together.
func audibleSegments(said accent.Said, h heard) (n int) {
	for i, word := range said.Mnemonics() {
		if i >= len(h.words) || h.words[i] > accent.Faint {
			n += len(word)
		}
	}
	return n
}

// measureAll measures every native language with every language.
func (s *stage) measureAll(ctx context.Context) (survey results, err error) {
	declaration, err := readDeclaration(declarationPath)
	if err != nil {
		return survey, err
	}
	from, to := natives(), spoken()
	if err := s.set(ctx, to, declaration); err != nil {
		return survey, err
	}
	all := make([]measured, len(from)*len(to))
	bar := rig.NewProgress(os.Stderr, "accents", len(all))
	defer bar.End()
	err = rig.ForEach(ctx, len(all), func(ctx context.Context, i int) (err error) {
		all[i], err = s.measure(ctx, from[i/len(to)], to[i%len(to)])
		bar.Step()
		return err
	})
	return results{natives: from, spoken: to, pairs: all, crashes: s.crashes(), scenes: s.scenes}, err
}

// Measure measures all pairs, prints what was found, and writes what is made of
// it unless it breaks a rule.
func Measure(ctx context.Context, o rig.Options, out, _ io.Writer) error {
	s, err := openStage(o.Worker, o.Texts)
	if err != nil {
		return err
	}
	survey, err := s.measureAll(ctx)
	if err := errors.Join(err, s.close()); err != nil {
		return err
	}
	survey.report(out)
	violations := survey.violations()
	for _, v := range violations {
		fmt.Fprintln(out, v)
	}
	if len(violations) > 0 {
		return fmt.Errorf("%d violations", len(violations))
	}
	if !o.Write {
		return nil
	}
	return survey.write(".")
}

const pairsHeader = `# How voices of each native language speak each language.
#
# Made by "voices --write accents": the first voice of each native language speaks
# the preview sentence of each language with the sounds of its own, and with the
# language's own phonemes; the language's first voice speaks it, too. A kind is
# native where one voice of the library reads both languages, else mapped where
# Measurement.Kind of package accent says so, else own.
#
# level: of what is mapped, how much louder running text is than the voice is in its native
# language at the same volume, in dB, by which it is made softer; sounds: phonemes of the sentence and of the articles of the Universal Declaration
# of Human Rights, where there are some; missed: those without anything near; cost:
# mean distance; duration: against the language's own voice; words: marks; silent:
# those without sound; faintest: level of the faintest word, dB; segments: phonemes
# heard; names: letters named; tones: those of the sentence, which no other sounds
# carry; plain: duration with the language's own phonemes.
# native	spoken	kind	level	sounds	missed	cost	duration	words	silent	faintest	segments	names	tones	plain
`

// table returns the text of pairs.tsv.
func (s results) table() string {
	var b strings.Builder
	b.WriteString(pairsHeader)
	for _, m := range s.pairs {
		b.WriteString(m.Row())
		b.WriteByte('\n')
	}
	return b.String()
}

// natives returns the native languages of voices, in the order of the language table.
func natives() (codes []lang.Code) {
	for _, l := range lang.All() {
		if l.NativeVoices {
			codes = append(codes, l.Code)
		}
	}
	return codes
}

// spoken returns all languages, in the order of the language table.
func spoken() (codes []lang.Code) {
	for _, l := range lang.All() {
		codes = append(codes, l.Code)
	}
	return codes
}
