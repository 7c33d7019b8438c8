// Package timbre measures how the voices sound in their native languages: how far they are from
// each other, how high and how loud. It chooses better timbres where voices are too near, and makes
// the tables and the picture.
package timbre

import (
	"context"
	"fmt"
	"io"

	"vaak/engine/espeak"
	"vaak/voice"
	"vaak/workshop/voices/rig"
)

// Measure measures how the voices sound in their native languages.
func Measure(ctx context.Context, o rig.Options, out, log io.Writer) error {
	texts, err := rig.ReadCorpus(o.Texts, rig.PerSet)
	if err != nil {
		return err
	}
	s := &studio{worker: o.Worker, corpus: texts, kept: map[part]take{}}
	voices, timbres := voice.All(), espeak.Timbres()
	if o.Language != "" {
		voices = voice.ForLanguage(o.Language)
	}
	if o.Choose {
		c := &chooser{studio: s, log: log}
		if timbres, err = c.choose(ctx, voices, timbres); err != nil {
			return err
		}
	}
	if o.Choose || o.Write {
		if timbres, err = s.levelled(ctx, voices, timbres); err != nil {
			return err
		}
	}
	takes, err := s.cast(ctx, "voices", voices, timbres)
	if err != nil {
		return err
	}
	result := survey{voices: voices, takes: takes}
	result.report(out)
	if o.Write {
		found, err := s.languageLevels(ctx)
		if err != nil {
			return err
		}
		if err := result.write(".", timbres, found); err != nil {
			return err
		}
	}
	violations := result.violations()
	for _, v := range violations {
		fmt.Fprintln(out, v)
	}
	if len(violations) > 0 {
		return fmt.Errorf("%d violations", len(violations))
	}
	return nil
}
