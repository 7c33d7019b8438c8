// Command layouts writes small folders in the layouts of other tools and corpora into a directory,
// each called like its layout.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"vaak/catalogue/ingest/ingesttest"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: layouts DIR NAME...")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "layouts:", err)
		os.Exit(1)
	}
}

func write(dir string, names []string) error {
	for _, f := range ingesttest.Folders() {
		if i := slices.Index(names, f.Name); i >= 0 {
			names = slices.Delete(slices.Clone(names), i, i+1)
			if err := f.Write(filepath.Join(dir, f.Name)); err != nil {
				return err
			}
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("there is no layout %q", names[0])
	}
	return nil
}
