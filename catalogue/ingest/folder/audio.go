package folder

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/catalogue/ingest/archive"
	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/ingest/parquet"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
)

// archives are the extensions of files that hold other files.
var archives = map[string]bool{
	".zip": true, ".tar": true, ".tgz": true, ".gz": true, ".bz2": true, ".xz": true, ".7z": true, ".rar": true, ".zst": true,
}

// unread says what to do with an archive of a kind that is not read.
func unread(p string) string {
	low := strings.ToLower(p)
	if strings.HasSuffix(low, ".tar.gz") || strings.HasSuffix(low, ".tgz") {
		return "is a compressed tar, in which no file can be found without reading all before it; run gzip -d on it, and the .tar is read as it is"
	}
	return "is an archive of a kind that is not read; unpack it first, or pack it as .zip or .tar"
}

// containers are the files whose content is read as if it was unpacked. In a folder with files in
// audio/ these are the archives in audio/ and transcripts/: another is a copy that somebody keeps.
func containers(t *tree.Tree, limits Limits) []tree.Container {
	own := slices.ContainsFunc(t.Under("audio"), func(p string) bool {
		ext := strings.ToLower(path.Ext(p))
		return layout.AudioExtensions[ext] || foldable[ext]
	})
	skip := func(p string) bool {
		return own && !strings.HasPrefix(p, "audio/") && !strings.HasPrefix(p, "transcripts/")
	}
	pages := parquet.NewPages()
	all := []tree.Container{
		{Extension: ".parquet", Within: true, Keep: true, List: func(f tree.File, size int64, each func(string, tree.Member) error) error {
			return pages.Recordings(f, size, func(row int64, head []byte, one parquet.Recording) error {
				return each(layout.RowName(row)+soundExtension(head), inTable{one, noAudio(head)})
			})
		}},
		{Extension: ".zip", List: func(f tree.File, size int64, each func(string, tree.Member) error) error {
			return archive.Zip(f, size, limits.Files, func(m archive.Member) error { return each(m.Name, packed{m}) })
		}},
		{Extension: ".tar", List: func(f tree.File, size int64, each func(string, tree.Member) error) error {
			return archive.Tar(f, size, func(m archive.Member) error { return each(m.Name, packed{m}) })
		}},
	}
	for i := range all {
		all[i].Skip = skip
	}
	return all
}

// foldable are the extensions of the files that containers reads.
var foldable = map[string]bool{".zip": true, ".tar": true, ".parquet": true}

// soundExtension returns the extension for audio that begins with some bytes. Audio of no known
// kind becomes .wav: whoever decodes it says what it begins with.
func soundExtension(head []byte) string {
	for magic, ext := range map[string]string{"fLaC": ".flac", "OggS": ".ogg", "ID3": ".mp3", "NIST_1A": ".sph"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return ext
		}
	}
	if len(head) > 1 && head[0] == 0xff && head[1]&0xe0 == 0xe0 { // the sync word of MPEG audio
		return ".mp3"
	}
	return ".wav"
}

// inTable is a recording in a table. All of it passes by when the table is listed, so it is not
// unpacked again to look at its beginning.
type inTable struct {
	parquet.Recording
	fault string // what noAudio says of it
}

// Open returns the bytes of the recording.
func (r inTable) Open(table io.ReaderAt, size int64) (tree.Reader, error) {
	b, err := r.Recording.Open(table, size)
	if err != nil {
		return nil, err // not b: a nil *parquet.Reader in the interface would not be nil
	}
	return b, nil
}

// packed is a file of an archive.
type packed struct{ archive.Member }

// Open returns the bytes of the file.
func (p packed) Open(r io.ReaderAt, _ int64) (tree.Reader, error) { return p.Member.Open(r), nil }

// audio returns the audio files, sorted. In our own layout, files in audio/ that are neither audio
// nor transcripts beside it, and audio files elsewhere, are problems.
func (r *reader) audio() (files []string) {
	for _, p := range r.Sorted() {
		if layout.AudioExtensions[strings.ToLower(path.Ext(p))] && (!r.folder.Layout.Own || strings.HasPrefix(p, "audio/")) {
			files = append(files, p) // even with a fault: manifests that name it are right to do so
		}
	}
	r.index(files)
	if !r.folder.Layout.Own {
		return files // those that are used are looked into when it is known which
	}
	for _, p := range r.Under("audio") {
		if layout.IsManifest(p) {
			continue
		}
		switch ext := strings.ToLower(path.Ext(p)); {
		case archives[ext]:
			r.Report.Add(p, 0, "%s", unread(p))
		case layout.AudioExtensions[ext]:
			r.sniff(p)
		case !r.beside(p):
			r.Report.Add(p, 0, "is not audio by its name; audio/ holds files in .wav, .flac, .mp3, .ogg, .opus and .sph")
		}
	}
	for _, p := range r.Sorted() {
		if layout.AudioExtensions[strings.ToLower(path.Ext(p))] && !strings.HasPrefix(p, "audio/") {
			r.Report.Add(p, 0, "is audio outside of audio/; move it there")
		}
	}
	return files
}

// sniff reports a file that cannot be audio by its first bytes. Whether it is audio turns out
// when it is decoded.
func (r *reader) sniff(p string) {
	if row, ok := r.Files()[p].Member().(inTable); ok {
		r.Use(p)
		if row.fault != "" {
			r.Report.Add(p, 0, "%s", row.fault)
		}
		return
	}
	f, err := r.Open(p)
	if err != nil {
		r.Report.Add(p, 0, "cannot be read: %s", report.Reason(err))
		return
	}
	defer f.Close()
	head := make([]byte, parquet.HeadBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		r.Report.Add(p, 0, "cannot be read: %s", report.Reason(err))
	} else if why := noAudio(head[:n]); why != "" {
		r.Report.Add(p, 0, "%s", why)
	}
}

// noAudio says why a file cannot be audio by its first bytes, or returns "".
func noAudio(head []byte) string {
	switch {
	case len(head) == 0:
		return "is empty"
	case isArchive(head):
		return "holds an archive, not audio; unpack it, or name it .zip or .tar"
	case isText(head):
		return "holds text, not audio"
	}
	return ""
}

// isArchive reports whether a file begins like zip, gzip, bzip2, xz, 7z, rar, zstandard or
// tar.
func isArchive(head []byte) bool {
	for _, magic := range []string{"PK\x03\x04", "PK\x05\x06", "\x1f\x8b", "BZh", "\xfd7zXZ\x00", "7z\xbc\xaf", "Rar!", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return len(head) > 262 && string(head[257:262]) == "ustar"
}

// isText reports whether a file begins like text. A SPHERE file also begins with text, and is
// audio.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("NIST_1A")) {
		return false
	}
	for len(head) > 0 {
		c, size := utf8.DecodeRune(head)
		if c == utf8.RuneError && len(head) >= utf8.UTFMax { // not a character that head cuts off
			return false
		}
		if unicode.IsControl(c) && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
		head = head[size:]
	}
	return true
}
