package ingest

import (
	"cmp"

	"vaak/catalogue/transcript"
)

// Limits bound what a folder may hold. The zero value is the default.
type Limits struct {
	Files         int   // files and folders in all; 0 is 200,000
	Depth         int   // folders within folders; 0 is 16
	MetadataBytes int64 // of cards, manifests and transcripts together, unfolded; 0 is 1 GiB
	ManifestBytes int64 // of one manifest, unfolded; 0 is 256 MiB
	Problems      int   // told of one file; 0 is 20
	Transcript    transcript.Limits
}

// What is not worth a setting.
const (
	maxCardBytes = 256 << 10
	maxLine      = 1 << 20  // of a manifest, in bytes
	maxTable     = 64 << 20 // of a manifest in CSV, where a cell may be as long as the file
	maxRatio     = 100      // of an unfolded manifest and its file, above freeUnfold
	freeUnfold   = 1 << 20  // bytes that may unfold out of nothing
	maxPath      = 1024     // bytes
	maxID        = 128
	maxTold      = 2000          // problems in all
	maxSeconds   = 7 * 24 * 3600 // of any time in a manifest
)

// orDefault returns l with its defaults filled in.
func (l Limits) orDefault() Limits {
	l.Files = cmp.Or(l.Files, 200_000)
	l.Depth = cmp.Or(l.Depth, 16)
	l.MetadataBytes = cmp.Or(l.MetadataBytes, 1<<30)
	l.ManifestBytes = cmp.Or(l.ManifestBytes, 256<<20)
	l.Problems = cmp.Or(l.Problems, 20)
	l.Transcript.Problems = cmp.Or(l.Transcript.Problems, l.Problems)
	return l
}
