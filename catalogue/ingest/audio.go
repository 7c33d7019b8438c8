package ingest

import (
	"bytes"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// audioExtensions are those of files that may hold audio; what they hold is told
// from their bytes.
var audioExtensions = map[string]bool{
	".wav": true, ".wave": true, ".flac": true, ".mp3": true, ".ogg": true, ".opus": true, ".oga": true,
	".sph": true, ".rf64": true, ".bw64": true,
}

// archives are files that hold other files.
var archives = map[string]bool{
	".zip": true, ".tar": true, ".tgz": true, ".gz": true, ".bz2": true, ".xz": true, ".7z": true, ".rar": true, ".zst": true,
}

// audio lists the audio files, and tells of files in audio/ that are none and of
// audio elsewhere.
func (r *reader) audio() {
	for _, p := range r.under("audio") {
		if isMetadata(p) {
			continue
		}
		switch ext := strings.ToLower(path.Ext(p)); {
		case archives[ext]:
			r.report.add(p, 0, "is an archive; unpack it first")
		case !audioExtensions[ext]:
			r.report.add(p, 0, "is not audio by its name; audio/ holds files in .wav, .flac, .mp3, .ogg, .opus and .sph")
		default:
			r.paths = append(r.paths, p) // even when it has a fault, which is told once
			r.sniff(p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(r.files)) {
		if audioExtensions[strings.ToLower(path.Ext(p))] && !strings.HasPrefix(p, "audio/") {
			r.report.add(p, 0, "is audio outside of audio/; move it there")
		}
	}
}

// isMetadata says whether a file in audio/ is the manifest of an AudioFolder.
func isMetadata(p string) bool {
	return p == "audio/metadata.csv" || p == "audio/metadata.jsonl"
}

// sniff tells of a file that cannot be audio, by its first bytes. Whether it is,
// decoding tells later.
func (r *reader) sniff(p string) {
	f, err := r.open(p)
	if err != nil {
		r.report.add(p, 0, "cannot be read: %s", reason(err))
		return
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	switch head = head[:n]; {
	case n == 0 && err == io.EOF:
		r.report.add(p, 0, "is empty")
	case err != nil && err != io.ErrUnexpectedEOF:
		r.report.add(p, 0, "cannot be read: %s", reason(err))
	case isArchive(head):
		r.report.add(p, 0, "holds an archive, not audio; unpack it first")
	case isText(head):
		r.report.add(p, 0, "holds text, not audio")
	}
}

// isArchive says whether a file begins like zip, gzip, bzip2, xz, 7z, rar or
// zstandard.
func isArchive(head []byte) bool {
	for _, magic := range []string{"PK\x03\x04", "PK\x05\x06", "\x1f\x8b", "BZh", "\xfd7zXZ\x00", "7z\xbc\xaf", "Rar!", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return len(head) > 262 && string(head[257:262]) == "ustar"
}

// isText says whether a file begins like text, which a header of SPHERE does, too.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("NIST_1A")) {
		return false
	}
	for len(head) > 0 {
		c, size := utf8.DecodeRune(head)
		if c == utf8.RuneError && len(head) >= utf8.UTFMax {
			return false
		}
		if unicode.IsControl(c) && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
		head = head[size:]
	}
	return true
}

// defaultID makes the id of a recording of its path: what is below audio/, without
// extension, with hyphens for slashes and spaces.
func defaultID(p string) string {
	p = strings.TrimPrefix(p, "audio/")
	return strings.NewReplacer("/", "-", " ", "-").Replace(strings.TrimSuffix(p, path.Ext(p)))
}

// badID says what is wrong with the id of a recording; "" is nothing.
func badID(id string) string {
	const allowed = "an id has letters A to Z, digits, hyphens, dots and underscores, up to 128, and begins with no dot"
	if id == "" || len(id) > maxID || id[0] == '.' {
		return allowed
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return allowed
		}
	}
	return ""
}

// badPath says what is wrong with a path in a manifest; "" is nothing.
func badPath(p string) string {
	switch {
	case p == "":
		return "is empty"
	case len(p) > maxPath:
		return "is too long"
	case badName(p) != "":
		return badName(p)
	case strings.Contains(p, "://"):
		return "is an address; nothing is fetched, the file must be in the folder"
	case strings.HasPrefix(p, "/") || len(p) > 1 && p[1] == ':':
		return "is absolute; paths begin in the folder"
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return "leaves the folder"
		}
	}
	return ""
}

// file returns the audio file that a manifest means, or tells that there is none.
func (r *reader) file(at place, p string) (string, bool) {
	if why := badPath(p); why != "" {
		r.report.add(at.file, at.line, "the path %s %s", shown(p), why)
		return "", false
	}
	clean := path.Clean(p)
	switch {
	case !strings.HasPrefix(clean, "audio/"):
		r.report.add(at.file, at.line, "the path %s is not below audio/", shown(p))
	case !r.has(clean):
		r.report.add(at.file, at.line, "there is no file %s", shown(clean))
	case !audioExtensions[strings.ToLower(path.Ext(clean))]:
		r.report.add(at.file, at.line, "the file %s is not audio by its name", shown(clean))
	default:
		r.named[clean] = true
		return clean, true
	}
	return "", false
}

// recording adds a recording that a manifest or the folder has; nil when it
// cannot be, which is told.
func (r *reader) recording(at place, id, p string) *Recording {
	if why := badID(id); why != "" {
		r.report.add(at.file, at.line, "the id %s cannot be used: %s", shown(id), why)
		return nil
	}
	if first := r.byPath[p]; first != nil {
		r.report.add(at.file, at.line, "the file %s is there twice, first as %s", shown(p), shown(first.ID))
		return nil
	}
	if first := r.byID[strings.ToLower(id)]; first != nil {
		r.report.add(at.file, at.line, "the id %s is there twice (in upper and lower case alike): %s and %s", shown(id), first.Path, p)
		return nil
	}
	rec := &Recording{ID: id, Path: p}
	r.byPath[p], r.byID[strings.ToLower(id)], r.at[rec] = rec, rec, at
	return rec
}

// unlisted tells of audio files that a manifest does not have, when all of it was
// read.
func (r *reader) unlisted(manifest string) {
	if r.unread[manifest] {
		return
	}
	for _, p := range r.paths {
		if !r.named[p] {
			r.report.add(p, 0, "is not in %s", manifest)
		}
	}
}

// found adds the recordings of a folder without a manifest.
func (r *reader) found() {
	for _, p := range r.paths {
		id := defaultID(p)
		if why := badID(id); why != "" {
			r.report.add(p, 0, "gives the id %s, which cannot be used: %s; name it in recordings.csv", shown(id), why)
			continue
		}
		r.recording(place{file: p}, id, p)
	}
}
