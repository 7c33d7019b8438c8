package folder

import (
	"cmp"

	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/transcript"
)

// Limits bound what a folder may hold. Each zero value stands for a default.
type Limits struct {
	Files         int   // files and folders in all; 0 is 200,000
	Depth         int   // folders within folders; 0 is 16
	MetadataBytes int64 // of cards, manifests and transcripts together, uncompressed; 0 is 1 GiB
	ManifestBytes int64 // of one manifest, uncompressed; 0 is 256 MiB
	Problems      int   // listed for one file; 0 is 20
	Transcript    transcript.Limits
}

// tree returns the limits of listing and reading files.
func (l Limits) tree() tree.Limits {
	return tree.Limits{Files: l.Files, Depth: l.Depth, MetadataBytes: l.MetadataBytes, ManifestBytes: l.ManifestBytes}
}

// orDefault returns l with defaults in place of zero values.
func (l Limits) orDefault() Limits {
	l.Files = cmp.Or(l.Files, 200_000)
	l.Depth = cmp.Or(l.Depth, 16)
	l.MetadataBytes = cmp.Or(l.MetadataBytes, 1<<30)
	l.ManifestBytes = cmp.Or(l.ManifestBytes, 256<<20)
	l.Problems = cmp.Or(l.Problems, 20)
	l.Transcript.Problems = cmp.Or(l.Transcript.Problems, l.Problems)
	return l
}
