// Command generate writes the extract of CLDR that package cldr embeds, the samples of its
// plural rules that the tests of the package check, and the names of package emoji.
//
// It reads the JSON of CLDR 48.2 straight out of the npm packages, which it
// fetches with npm into the user's cache folder when they are not there, and
// checks them against the digests below. Its output depends on nothing else, so
// it is the same from run to run.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	verbose := flag.Bool("v", false, "print what each language takes and lacks")
	flag.Parse()
	if err := run(".", *verbose); err != nil {
		log.Fatal(err)
	}
}

// run generates the files of the package in a folder.
func run(folder string, verbose bool) error {
	src, err := load()
	if err != nil {
		return err
	}
	locales, err := src.extract()
	if err != nil {
		return err
	}
	packed, err := pack(locales, src.aliases(locales))
	if err != nil {
		return err
	}
	if verbose {
		report(os.Stdout, locales, len(packed))
	}
	samples := filepath.Join(folder, "testdata", "plurals.tsv")
	if err := os.MkdirAll(filepath.Dir(samples), 0o755); err != nil {
		return fmt.Errorf("make folder of samples: %w", err)
	}
	if err := os.WriteFile(samples, src.samples(locales), 0o644); err != nil {
		return fmt.Errorf("write samples: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "cldr.bin"), packed, 0o644); err != nil {
		return fmt.Errorf("write extract: %w", err)
	}
	names, err := src.emoji()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "..", "..", "emoji", "names.flate"), names, 0o644); err != nil {
		return fmt.Errorf("write names of emoji: %w", err)
	}
	return nil
}
