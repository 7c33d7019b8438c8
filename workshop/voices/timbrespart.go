package main

import (
	"context"
	"fmt"
	"io"

	"vaak/engine/espeak"
	"vaak/voice"
)

// timbresPart measures how the voices sound in their native languages.
func timbresPart(ctx context.Context, o options, out, log io.Writer) error {
	texts, err := readCorpus(o.texts, perSet)
	if err != nil {
		return err
	}
	s := &studio{worker: o.worker, corpus: texts, kept: map[part]take{}}
	voices, timbres := voice.All(), espeak.Timbres()
	if o.language != "" {
		voices = voice.ForLanguage(o.language)
	}
	if o.choose {
		c := &chooser{studio: s, log: log}
		if timbres, err = c.choose(ctx, voices, timbres); err != nil {
			return err
		}
	}
	if o.choose || o.write {
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
	if o.write {
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
