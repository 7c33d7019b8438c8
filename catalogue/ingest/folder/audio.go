package folder

import (
	"bytes"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/ingest/report"
)

// archives are the extensions of files that hold other files.
var archives = map[string]bool{
	".zip": true, ".tar": true, ".tgz": true, ".gz": true, ".bz2": true, ".xz": true, ".7z": true, ".rar": true, ".zst": true,
}

// audio returns the audio files, sorted. Files in audio/ that are not audio and audio files
// elsewhere are problems.
func (r *reader) audio() (files []string) {
	for _, p := range r.Under("audio") {
		if layout.IsManifest(p) {
			continue
		}
		switch ext := strings.ToLower(path.Ext(p)); {
		case archives[ext]:
			r.Report.Add(p, 0, "is an archive; unpack it first")
		case !layout.AudioExtensions[ext]:
			r.Report.Add(p, 0, "is not audio by its name; audio/ holds files in .wav, .flac, .mp3, .ogg, .opus and .sph")
		default:
			files = append(files, p) // even with a fault: manifests that name it are right to do so
			r.sniff(p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(r.Files())) {
		if layout.AudioExtensions[strings.ToLower(path.Ext(p))] && !strings.HasPrefix(p, "audio/") {
			r.Report.Add(p, 0, "is audio outside of audio/; move it there")
		}
	}
	return files
}

// sniff reports a file that cannot be audio by its first bytes. Whether it is audio turns out
// when it is decoded.
func (r *reader) sniff(p string) {
	f, err := r.Open(p)
	if err != nil {
		r.Report.Add(p, 0, "cannot be read: %s", report.Reason(err))
		return
	}
	defer f.Close()
	head := make([]byte, 512) // the magic number of tar is at byte 257
	n, err := io.ReadFull(f, head)
	switch head = head[:n]; {
	case n == 0 && err == io.EOF:
		r.Report.Add(p, 0, "is empty")
	case err != nil && err != io.ErrUnexpectedEOF:
		r.Report.Add(p, 0, "cannot be read: %s", report.Reason(err))
	case isArchive(head):
		r.Report.Add(p, 0, "holds an archive, not audio; unpack it first")
	case isText(head):
		r.Report.Add(p, 0, "holds text, not audio")
	}
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
