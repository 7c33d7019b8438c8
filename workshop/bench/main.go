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
	"vaak/engine/remote/remotetest"
	"vaak/workshop/bench/catalogue"
	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/growth"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/live"
	"vaak/workshop/bench/neural"
	"vaak/workshop/bench/peers"
	"vaak/workshop/bench/pools"
	"vaak/workshop/bench/recordings"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
	"vaak/workshop/bench/speech"
	"vaak/workshop/bench/telephony"
)

func main() {
	remotetest.Main() // where this program was started as a model server
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
	server.Settings
	out, only string
	formats   []audio.Format
	quick     bool
	listeners int
}

func parseOptions(args []string, errOut io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(errOut)
	f.StringVar(&o.Bin, "bin", "bin", "`directory` of the built programs")
	f.StringVar(&o.out, "out", "docs/performance.md", "`file` for the document")
	f.BoolVar(&o.quick, "quick", false, "measure little, to see that it works")
	f.BoolVar(&o.Unmetered, "unmetered", false, "leave the organisation on the plan without limits, to see what limits cost")
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
	if !named && (o.quick || o.Unmetered || o.only != "" || o.listeners > 0) {
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
		// A format whose library is missing is left out, so that the benchmark runs on any
		// machine.
		if !slices.Contains(codec.Available(), c) {
			continue
		}
		f, err := codec.Check(audio.Format{Codec: c})
		if err != nil {
			return nil, err
		}
		// A listener must be able to tell the length of audio from its bytes.
		if _, err := listeners.NewTimeline(f, 0); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// section is a part of the document and what measures it.
type section struct {
	name    string // of the --only flag
	title   string
	measure func(context.Context, *rig.Bench) ([]report.Part, error)
}

// sections are in the order in which they run and are printed. The last one
// kills workers.
func sections() []section {
	return []section{
		{"first-audio", "Time to first audio", speech.FirstAudio},
		{"metering", "Metering", speech.Metering},
		{"cpu", "Processor time per second of audio", speech.Processor},
		{"formats", "Formats", speech.Formats},
		{"throughput", "Throughput", speech.Throughput},
		{"utilisation", "Use of all cores", speech.Utilisation},
		{"streams", "Streams at playback speed", speech.Streams},
		{"under-load", "Time to first audio under load", speech.UnderLoad},
		{"slow-reader", "Readers that hardly read", speech.SlowReaders},
		{"memory", "Memory", speech.Memory},
		{"cancel", "Clients that leave", speech.Cancel},
		{"live-latency", "Live speech: time to first audio", live.Latency},
		{"live-crowd", "Live speech: many sessions", live.Crowd},
		{"live-cancel", "Live speech: interruptions", live.Cancel},
		{"live-memory", "Live speech: idle sockets", live.Memory},
		{"telephony", "Telephone calls", telephony.Measure},
		{"catalogue", "The catalogue", catalogue.Measure},
		{"mcp", "Tools for agents", catalogue.Tools},
		{"measure", "Measuring recordings", recordings.Measure},
		{"growth", "Growth", growth.Measure},
		{"peers", "Peers", peers.Measure},
		{"neural", "Neural voices", neural.Measure},
		{"pools", "Pools of model servers", pools.Measure},
		{"recovery", "Killing the worker", speech.Recovery},
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
	b := &rig.Bench{Plan: rig.FullPlan, Settings: o.Settings, Dir: dir, Formats: o.formats, Log: errOut, Library: library.Library{Program: filepath.Join(o.Bin, "vaak-espeak-bench"), Dir: dir}}
	if o.quick {
		b.Plan = rig.QuickPlan
	}
	b.Plan.Listeners = o.listeners
	first, err := runSections(ctx, b, o)
	if err != nil {
		return err
	}
	document := b.Report.Markdown(first, report.Chapter{Title: "The naive server", Parts: []report.Part{
		report.Prose("This is the whole of it, as it was built for this run."),
		report.Code{Language: "go", Text: string(server.NaiveSource)},
	}})
	// Printed in any case; a part of the document replaces no file.
	if _, err := io.WriteString(out, document); err != nil {
		return err
	}
	if o.out == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(o.out, []byte(document), 0o644); err != nil {
		return err
	}
	_, err = io.WriteString(errOut, runbookAdvice(o.out, document))
	return err
}

// runSections starts the servers and runs the sections. It returns what the document begins
// with.
func runSections(ctx context.Context, b *rig.Bench, o options) (first []report.Chapter, err error) {
	// Read before the servers start, so that the load is that of others.
	dir, before := b.Dir, readStrain()
	if b.Naive, err = server.StartNaive(ctx, dir); err != nil {
		return nil, err
	}
	defer b.Naive.Stop()
	if b.Vaak, err = server.StartVaak(ctx, o.Settings, dir); err != nil {
		return nil, err
	}
	defer b.Vaak.Stop()
	b.Another = func(ctx context.Context) (*server.Server, error) {
		own, err := os.MkdirTemp(dir, "another-")
		if err != nil {
			return nil, err
		}
		return server.StartVaak(ctx, o.Settings, own, "--pprof") // which can be told to collect garbage
	}
	if err := warmUp(b); err != nil {
		return nil, err
	}
	began := time.Now()
	times := &report.Table{Header: []string{"section", "seconds"}}
	for _, s := range sections() {
		since := time.Now()
		body := []report.Part{report.Prose("Not measured in this run.")}
		if o.only == "" || o.only == s.name {
			fmt.Fprintf(b.Log, "%6.1fs %s\n", time.Since(began).Seconds(), s.title)
			// An interrupt breaks whatever runs, so its cause comes first.
			if body, err = s.measure(ctx, b); err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, errors.Join(context.Cause(ctx), err))
			}
		}
		b.Report.Add(s.title, body)
		if o.only == "" || o.only == s.name {
			times.Add(s.title, report.Whole(time.Since(since).Seconds()))
		}
	}
	m, err := describe(ctx, o.Bin, b.Library, before)
	took := time.Since(began)
	fmt.Fprintf(b.Log, "%6.1fs done\n", took.Seconds())
	return []report.Chapter{{Title: "Method", Parts: append(methodParts(b.Plan, took), times)}, {Title: "Machine", Parts: []report.Part{m.table()}}}, err
}

// warmUp speaks every language once on both servers, so that files are in the
// page cache and tables are built.
func warmUp(b *rig.Bench) error {
	for _, l := range corpus.Languages {
		t, err := corpus.New(l, 200)
		if err != nil {
			return err
		}
		for _, s := range []*server.Server{b.Vaak, b.Naive} {
			if _, err := client.SpeakAll(s, t, 2, 2); err != nil {
				return err
			}
		}
	}
	return nil
}
