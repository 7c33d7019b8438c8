// Command bench measures Vaak beside the two things that it should be compared
// with: the bare speech library, which is the least that speech can cost, and
// the naive server, which is what one would write first. All run in the same
// minutes on the same machine, so that the ratios hold where the figures do
// not. It prints a Markdown document and writes it to docs/performance.md.
//
// Run it from the root of the repository, on a machine that does nothing else,
// with its programs built:
//
//	make bench
//
// With ARGS=--quick it measures little and proves only that the benchmark works;
// ARGS='--only SECTION' measures one section. Both leave the document alone unless --out is given.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vaak/audio"
	"vaak/audio/codec"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	bin, out, only string
	formats        []audio.Format
	quick          bool
	unmetered      bool
	listeners      int
}

func parseOptions(args []string, errOut io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(errOut)
	f.StringVar(&o.bin, "bin", "bin", "`directory` of the built programs")
	f.StringVar(&o.out, "out", "docs/performance.md", "`file` for the document")
	f.BoolVar(&o.quick, "quick", false, "measure little, to see that it works")
	f.BoolVar(&o.unmetered, "unmetered", false, "leave the organisation on the plan without limits, to see what limits cost")
	f.IntVar(&o.listeners, "listeners", 0, "have `number` streams instead of searching for it, and so many live sessions in each mode")
	names := f.String("formats", "pcm,mp3,opus", "measure streams in these `formats`, as far as this machine has them")
	f.StringVar(&o.only, "only", "", "measure one `section` only: "+strings.Join(sectionNames(), ", "))
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("argument %q: there are only flags", f.Arg(0))
	}
	if o.only != "" && !slices.Contains(sectionNames(), o.only) {
		return o, fmt.Errorf("section %q is none of %s", o.only, strings.Join(sectionNames(), ", "))
	}
	var err error
	if o.formats, err = streamFormats(*names); err != nil {
		return o, err
	}
	named := false
	f.Visit(func(set *flag.Flag) { named = named || set.Name == "out" })
	if !named && (o.quick || o.unmetered || o.only != "" || o.listeners > 0) {
		o.out = "" // a part must not replace the whole
	}
	return o, nil
}

// streamFormats returns those of the named formats that this machine has.
func streamFormats(names string) ([]audio.Format, error) {
	var list []audio.Format
	for name := range strings.SplitSeq(names, ",") {
		c := audio.Codec(name)
		if !c.Known() {
			return nil, fmt.Errorf("format %q is none of %v", name, audio.Codecs)
		}
		if !slices.Contains(codec.Available(), c) {
			continue
		}
		f, err := codec.Check(audio.Format{Codec: c})
		if err != nil {
			return nil, err
		}
		if _, err := newTimeline(f, 0); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// bench is everything that the sections measure with.
type bench struct {
	plan        plan
	formats     []audio.Format // of the streams
	library     library
	metered     bool // the organisation is on a finite plan
	vaak, naive *server
	another     func(context.Context) (*server, error) // starts one more like vaak
	options     options
	dir         string    // for what sections make, gone after the run
	log         io.Writer // progress
	report      report
}

// section is a part of the document and what measures it.
type section struct {
	name    string // of the --only flag
	title   string
	measure func(context.Context, *bench) ([]part, error)
}

// sections are in the order in which they run and are printed. The last one
// kills workers.
func sections() []section {
	return []section{
		{"first-audio", "Time to first audio", firstAudio},
		{"text", "The text chain", textChain},
		{"dictionary", "Pronunciation dictionaries", respelling},
		{"ledger", "Accounting", ledgers},
		{"cpu", "Processor time per second of audio", processor},
		{"formats", "Formats", encoding},
		{"throughput", "Throughput", throughput},
		{"utilisation", "Use of all cores", utilisation},
		{"streams", "Streams at playback speed", streaming},
		{"under-load", "Time to first audio under load", underLoad},
		{"slow-reader", "Readers that hardly read", slowReading},
		{"memory", "Memory", memoryUse},
		{"cancel", "Clients that leave", cancelling},
		{"live-latency", "Live speech: time to first audio", liveLatency},
		{"live-crowd", "Live speech: many sessions", liveCrowd},
		{"live-cancel", "Live speech: interruptions", liveCancel},
		{"live-memory", "Live speech: idle sockets", liveMemory},
		{"voices", "Voices and their previews", voicesOf},
		{"catalogue", "The catalogue", catalogueOf},
		{"croissant", "Croissant metadata", croissants},
		{"mcp", "Tools for agents", agentsCall},
		{"measure", "Measuring recordings", measuring},
		{"recovery", "Killing the worker", recovery},
	}
}

func sectionNames() []string {
	var names []string
	for _, s := range sections() {
		names = append(names, s.name)
	}
	return names
}

func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	o, err := parseOptions(args, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "vaak-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{plan: fullPlan, options: o, dir: dir, formats: o.formats, metered: !o.unmetered, log: errOut, library: library{program: filepath.Join(o.bin, "vaak-espeak-bench"), dir: dir}}
	if o.quick {
		b.plan = quickPlan
	}
	b.plan.listeners = o.listeners
	if err := b.measure(ctx, o, dir); err != nil {
		return err
	}
	document := b.report.markdown()
	if _, err := io.WriteString(out, document); err != nil {
		return err
	}
	if o.out == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(o.out, []byte(document), 0o644)
}

// measure starts the servers and runs the sections.
func (b *bench) measure(ctx context.Context, o options, dir string) (err error) {
	before := readStrain()
	if b.naive, err = startNaive(ctx, dir); err != nil {
		return err
	}
	defer b.naive.stop()
	if b.vaak, err = startVaak(ctx, o, dir); err != nil {
		return err
	}
	defer b.vaak.stop()
	b.another = func(ctx context.Context) (*server, error) {
		own, err := os.MkdirTemp(dir, "another-")
		if err != nil {
			return nil, err
		}
		return startVaak(ctx, o, own, "--pprof") // which can be told to collect garbage
	}
	if err := b.warmUp(); err != nil {
		return err
	}
	began := time.Now()
	for _, s := range sections() {
		body := []part{prose("Not measured in this run.")}
		if o.only == "" || o.only == s.name {
			fmt.Fprintf(b.log, "%6.1fs %s\n", time.Since(began).Seconds(), s.title)
			if body, err = s.measure(ctx, b); err != nil {
				return fmt.Errorf("%s: %w", s.name, errors.Join(context.Cause(ctx), err))
			}
		}
		b.report.add(s.title, body)
	}
	b.report.machine, err = describe(ctx, o.bin, b.library, before)
	b.report.took, b.report.plan = time.Since(began), b.plan
	fmt.Fprintf(b.log, "%6.1fs done\n", b.report.took.Seconds())
	return err
}

// warmUp speaks every language once on both servers, so that files are in the
// page cache and tables are built.
func (b *bench) warmUp() error {
	for _, l := range languages {
		t, err := newSample(l, 200)
		if err != nil {
			return err
		}
		for _, s := range []*server{b.vaak, b.naive} {
			if _, err := speakAll(s, t, 2, 2); err != nil {
				return err
			}
		}
	}
	return nil
}
