package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// version is the release of CLDR, and of its npm packages.
const version = "48.2.0"

// npmPackage is a package of CLDR's JSON and the SHA-512 of its tarball, in
// the form of npm's integrity values.
type npmPackage struct{ name, sha512 string }

// packages are all that the extract is made from.
var packages = []npmPackage{
	{"cldr-core", "zfmLothncSwfv2jlevoSrgI2VGgH8SDGHXst6jUEotHA8nq9Igeg9jzdJDFtBso9pgJuG89DK16TzrmZDdo2Bg=="},
	{"cldr-rbnf", "wFhWUOvGGGGSbBc99zJIjMvBxZ7s/fzPdtjLEkccbi8Uk+h/K1AzRiKjGtIqU1FEFNEkO8elkzojpEea0/td1Q=="},
	{"cldr-numbers-full", "0EQ+UkVDsyXOlxnWnL1RIENVZFqCnb04D1Yrku0obnOyttbuZz8tHmUd5c5AEvhGS/Gg2zI4fTaCm51LSGITog=="},
	{"cldr-units-full", "BjDC7V46eeXzgalnIumrJ1XQDk8wJaOxNLME4hmkBT9Q0hnzxn3XgtavigPUwnljk7FxlNQW9Wx+hbFrARPrQg=="},
	{"cldr-dates-full", "zMrKvjMO414HDftLr6vKH1fNQHakFNe+F1h4S0eg+zmL4WRi9pI41fxB3UrTJDY42MEM87jCuAw/qlqCgYKcAQ=="},
	{"cldr-annotations-derived-full", "log62km+AOzI7n/NEuNNFV0mg9DWnt67EYCh1RwxZq9dyRuyteB586LT83Ke8TchEfnwI9cIk2P31zO4nTvZmw=="},
	{"cldr-annotations-full", "DV7A+rEcgUSNTRsVGNGqBZRmAkGfwhGHO5Q1dRwzBoBnVrHWp804JP7/QJdEc66iHmx3+zLWVIMCFLm0lW7PUQ=="},
}

// fetch returns the path of a package's tarball in the cache folder, calling
// npm for it when it is not there yet.
func (p npmPackage) fetch() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache folder: %w", err)
	}
	folder := filepath.Join(cache, "vaak", "cldr-"+version)
	file := filepath.Join(folder, p.name+"-"+version+".tgz")
	// A cached file is not trusted either: read compares its digest each time.
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make cache folder: %w", err)
	}
	cmd := exec.Command("npm", "pack", "--silent", p.name+"@"+version)
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("fetch %s with npm: %w", p.name, err)
	}
	return file, nil
}

// read takes the wanted files of the package's tarball into files, by their
// path without the leading "package/".
func (p npmPackage) read(files map[string][]byte, wanted func(path string) bool) error {
	name, err := p.fetch()
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open package: %w", err)
	}
	defer f.Close()
	digest := sha512.New()
	if err := untar(io.TeeReader(f, digest), files, wanted); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	// Compared after reading, in one pass. What was read until then is thrown away on a
	// mismatch, since the error ends the program.
	if got := base64.StdEncoding.EncodeToString(digest.Sum(nil)); got != p.sha512 {
		return fmt.Errorf("%s has SHA-512 %s, want %s", name, got, p.sha512)
	}
	return nil
}

// untar reads a gzipped tar archive to its last byte and keeps the wanted files.
func untar(r io.Reader, files map[string][]byte, wanted func(path string) bool) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		path := strings.TrimPrefix(h.Name, "package/")
		if !wanted(path) {
			continue
		}
		if files[path], err = io.ReadAll(t); err != nil {
			return err
		}
	}
	// tar stops at its end mark. The remainder is read so that gzip checks its sum, and so
	// that the digest covers every byte of the file.
	if _, err := io.Copy(io.Discard, z); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return err
}
