// Package ingesttest makes small folders in the layouts that people have, with audio of a second
// or two in the format that each layout usually has, for tests of what brings folders in.
package ingesttest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vaak/audio"
	"vaak/audio/audiotest"
	"vaak/audio/codec"
	"vaak/internal/needed"
)

// Folder is a folder in some layout, and what there is to find in it.
type Folder struct {
	Name        string // lower-case words joined by hyphens
	Layout      string // as an inspection names it
	Recordings  int
	Transcripts int // recordings with a transcript
	Timed       int // those with times
	Speakers    int // 0: unknown
	Splits      int
	Language    string // tag that is told or guessed; "" is none
	// Files are the contents by path. A content "speech RATE SECONDS" is made audio in the format
	// of the extension, and "table NAME" a table of Parquet.
	Files map[string]string
	// Pack puts all files into an archive of this name: .zip or .tar.
	Pack string
}

// Make makes the folder in a directory that goes with the test, and returns where. It ends the test
// if a library for a format of its audio is missing.
func (f Folder) Make(t testing.TB) string {
	t.Helper()
	for name := range f.Files {
		if path.Ext(name) != ".mp3" {
			continue
		}
		for _, a := range codec.Absent() {
			if a.Codec == audio.MP3 {
				needed.Missing(t, "there is no %s, which writes MP3", a.Package)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), f.Name)
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Named returns the folder of a name.
func Named(t testing.TB, name string) Folder {
	t.Helper()
	for _, f := range Folders() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("there is no folder %s", name)
	return Folder{}
}

// Write makes the folder in dir.
func (f Folder) Write(dir string) error {
	files := map[string][]byte{}
	for name, content := range f.Files {
		data, err := contentOf(name, content)
		if err != nil {
			return fmt.Errorf("make %s of %s: %w", name, f.Name, err)
		}
		files[name] = data
	}
	// Files below a folder that is called like an archive are its members.
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if at := strings.Index(name, ".tar/"); at >= 0 && files[name] != nil {
			members := map[string][]byte{}
			for other, data := range files {
				if in, ok := strings.CutPrefix(other, name[:at+5]); ok {
					members[in] = data
					delete(files, other)
				}
			}
			packed, err := Tar(members)
			if err != nil {
				return err
			}
			files[name[:at+4]] = packed
		}
	}
	if f.Pack != "" {
		pack := Tar
		if path.Ext(f.Pack) == ".zip" {
			pack = Zip
		}
		packed, err := pack(files)
		if err != nil {
			return err
		}
		files = map[string][]byte{f.Pack: packed}
	}
	for name, data := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, data, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// tables are written by Apache Arrow: see ../parquet/testdata/make.py.
//
//go:embed tables/*.parquet
var tables embed.FS

// contentOf returns the bytes of a file.
func contentOf(name, content string) ([]byte, error) {
	if table, ok := strings.CutPrefix(content, "table "); ok {
		return tables.ReadFile("tables/" + table)
	}
	var rate int
	var seconds float64
	if n, _ := fmt.Sscanf(content, "speech %d %g", &rate, &seconds); n == 2 {
		return Audio(path.Ext(name), rate, audiotest.Speech(rate, int(seconds*float64(rate))))
	}
	if path.Ext(name) == ".gz" {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(content))
		err = errors.Join(err, w.Close())
		return b.Bytes(), err
	}
	return []byte(content), nil
}

// Audio returns a file of one channel in the format of an extension: .wav, .flac, .mp3 or .opus.
func Audio(extension string, rate int, samples []int16) ([]byte, error) {
	f := audio.Format{SampleRate: rate}
	switch extension {
	case ".flac":
		return codec.FLACFile(rate, samples)
	case ".mp3":
		f.Codec = audio.MP3
	case ".opus":
		f.Codec = audio.Opus
	default:
		f.Codec = audio.WAV
	}
	var b rewriter
	w, err := codec.NewEncoder(&b, f, codec.File)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.WritePCM(samples), w.Close()); err != nil {
		return nil, err
	}
	return b.data, nil
}

// rewriter is a file in memory whose head can be written again.
type rewriter struct{ data []byte }

func (r *rewriter) Write(p []byte) (int, error) {
	r.data = append(r.data, p...)
	return len(p), nil
}

// Rewrite replaces the first bytes.
func (r *rewriter) Rewrite(head []byte) error {
	copy(r.data, head)
	return nil
}

// Zip returns a zip archive of files, in the order of their names. Those whose names end in .wav
// are compressed and the others stored.
func Zip(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &zip.FileHeader{Name: name, Method: zip.Store}
		if path.Ext(name) == ".wav" {
			h.Method = zip.Deflate
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// Tar returns a tar archive of files, in the order of their names.
func Tar(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))})
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
