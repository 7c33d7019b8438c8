// Command voices measures the voices and writes the tables that are made of the
// measurements.
//
// Its parts are
//
//	timbres   how the 320 voices sound in their native languages: how far from
//	          each other, how high, how loud (engine/espeak/timbres.tsv and
//	          levels.tsv, docs/voices.tsv and docs/images/voices.svg)
//	phonemes  the phonemes that each language has of its own
//	          (engine/espeak/accent/phonemes.tsv)
//	accents   how the voices of each native language speak each language
//	          (engine/espeak/accent/pairs.tsv, docs/images/accents.svg and a part
//	          of docs/voices.md)
//
// It ends with status 1 when what was measured breaks a rule. Run it from the root
// of the repository, after `make build`:
//
//	make voices ARGS='[flags] [part...]'
//
// Parts read the tables that are built into the program, so with --write each is a
// run of its own, as `make voices-write` has it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"vaak/lang"
	"vaak/voice"
	"vaak/workshop/voices/accents"
	"vaak/workshop/voices/phonemes"
	"vaak/workshop/voices/rig"
	"vaak/workshop/voices/timbre"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "voices: %v\n", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	rig.Options
	parts []string
}

// programPart is one thing that is measured. The table goes to out, progress to
// log.
type programPart struct {
	name    string
	measure func(ctx context.Context, o rig.Options, out, log io.Writer) error
}

// parts are what the program measures, in the order in which one builds on the
// other.
var parts = []programPart{
	{"timbres", timbre.Measure},
	{"phonemes", phonemes.Measure},
	{"accents", accents.Measure},
}

const usage = `Usage: voices [flags] [part...]

Measures the voices: timbres, phonemes and accents, or the parts that are named. It
ends with status 1 when what was measured breaks a rule. The whole takes four
minutes on two cores; --choose takes a quarter of an hour.

Run it from the root of the repository, after "make build".

Flags:
`

func parseOptions(args []string, errOut io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("voices", flag.ContinueOnError)
	f.SetOutput(errOut)
	f.Usage = func() {
		fmt.Fprint(errOut, usage)
		f.PrintDefaults()
	}
	f.StringVar(&o.Worker, "worker", "bin/vaak-espeak-worker", "`file` of the built worker")
	f.StringVar(&o.Texts, "texts", "lang/testdata/pieces.tsv.gz", "gzipped `file` with a language a line: its code, a tab, running text")
	language := f.String("language", "", "timbres: look at the voices of one native language only, by its `code`")
	f.BoolVar(&o.Choose, "choose", false, "timbres: look for better variants and pitches where voices are too near, before measuring")
	f.BoolVar(&o.Write, "write", false, "write what was measured: the tables, the pictures, the part of docs/voices.md; with timbres, set the volumes so that every voice is at -24.5 LUFS")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.parts = f.Args()
	for _, name := range o.parts {
		if !slices.ContainsFunc(parts, func(p programPart) bool { return p.name == name }) {
			return o, fmt.Errorf("part %.64q: there are timbres, phonemes and accents", name)
		}
	}
	o.Language = lang.Code(*language)
	if o.Language != "" && len(voice.ForLanguage(o.Language)) == 0 {
		return o, fmt.Errorf("language %q has no voices of its own", o.Language)
	}
	if o.Write && o.Language != "" {
		return o, errors.New("--write writes all voices; leave out --language")
	}
	if o.Write && len(o.parts) != 1 {
		return o, errors.New("--write writes one part, on which the next builds; name it")
	}
	return o, nil
}

func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	o, err := parseOptions(args, errOut)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if len(o.parts) > 0 && !slices.Contains(o.parts, p.name) {
			continue
		}
		if err := p.measure(ctx, o.Options, out, errOut); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}
