package write

import (
	"fmt"
	"maps"
	"mime"
	"path"
	"slices"
	"strings"

	"vaak/catalogue"
)

// The @ids of the files.
const (
	manifestID  = "recordings.csv"
	sampleID    = "sample-audio"
	sampleSetID = "sample-recording"
	segmentsID  = "sample-segments.csv"
	audioID     = "licensed-audio"
	spokenID    = "licensed-transcripts"
)

// distribution returns the public files with addresses and digests, then the licensed files by
// their paths in the delivered package. Licensed files have no address, even if the dataset
// is free, because the server has the public files only.
func (w *writer) distribution() []fileJSON {
	var all []fileJSON
	if f := w.file(w.d.Manifest); f != nil {
		all = append(all, fileObject(manifestID, "A row for each recording of the dataset. Public.", f))
	}
	if f := w.sampleFile(); f != nil {
		all = append(all, fileObject(sampleID, "The conversation that everybody may hear, with all its channels. Public.", f), sampleSet(f))
	}
	if f := w.segmentsFile(); f != nil {
		all = append(all, fileObject(segmentsID, "Who says what and when in the sample. Public.", f))
	}
	if w.d.Specification != nil {
		all = append(all, licensed(audioID, "Recordings", audioFiles, w.d.Specification.Container)...)
	}
	if t := w.d.Transcripts; t != nil {
		formats := map[string]int{}
		for _, f := range t.Formats {
			formats[f] = t.Recordings
		}
		all = append(all, licensed(spokenID, "Transcripts", spokenFiles, formats)...)
	}
	return all
}

// sampleFile returns the file of the sample for the document: the original if it is WAV or FLAC,
// which is lossless and opens in the usual libraries, otherwise the WAV made from it.
func (w *writer) sampleFile() *catalogue.File {
	if w.d.Sample == nil {
		return nil
	}
	original := w.file(w.d.Sample.URL)
	if original != nil {
		switch mediaType(original) {
		case "audio/wav", "audio/flac":
			return original
		}
	}
	if wav := w.named("sample/sample.wav"); wav != nil {
		return wav
	}
	return original
}

// segmentsFile returns the transcript of the sample, or nil.
func (w *writer) segmentsFile() *catalogue.File {
	if w.d.Sample == nil || w.d.Sample.Transcript == nil {
		return nil
	}
	return w.file(w.d.Sample.Transcript.URL)
}

// sampleSet returns the sample as a FileSet of one file, from which its record is read. The
// reference library has a reader for audio files only for MP3, and mixes its channels down;
// of a FileSet it returns the bytes of each file.
func sampleSet(f *catalogue.File) fileJSON {
	return fileJSON{
		Type: "cr:FileSet", ID: sampleSetID, Name: sampleSetID, Description: "The file of the sample, whole.",
		ContainedIn: &refJSON{sampleID}, EncodingFormat: mediaType(f), Includes: oneOrMore[string]{"*"},
	}
}

func fileObject(id, about string, f *catalogue.File) fileJSON {
	return fileJSON{
		Type: "cr:FileObject", ID: id, Name: path.Base(f.Name), Description: about, ContentURL: f.URL,
		ContentSize: fmt.Sprintf("%d B", f.SizeBytes), EncodingFormat: mediaType(f), SHA256: f.SHA256,
	}
}

// mediaType returns the content type of a file without parameters.
func mediaType(f *catalogue.File) string {
	kind, _, err := mime.ParseMediaType(f.ContentType)
	if err != nil {
		return "application/octet-stream"
	}
	return kind
}

// licensedKind is a kind of file in the delivered package.
type licensedKind struct {
	encoding string
	includes []string // patterns of paths
}

// audioFiles are the kinds of audio files by container, with the extensions that are accepted in
// folders.
var audioFiles = map[string]licensedKind{
	"wav":    {"audio/wav", ending(".wav", ".wave")},
	"rf64":   {"audio/wav", ending(".wav", ".rf64", ".bw64")},
	"flac":   {"audio/flac", ending(".flac")},
	"mp3":    {"audio/mpeg", ending(".mp3")},
	"ogg":    {"audio/ogg", ending(".ogg", ".oga", ".opus")},
	"sphere": {"application/octet-stream", ending(".sph")}, // SPHERE has no media type
}

// spokenFiles are the kinds of transcripts by format. Transcripts lie in transcripts/, beside the
// audio, or anywhere in the layouts of others. The formats whose extensions the card and the facts
// have too are looked for in folders only, where these never are.
var spokenFiles = map[string]licensedKind{
	"textgrid": {"text/plain", ending(".TextGrid", ".textgrid")},
	"rttm":     {"text/plain", ending(".rttm")},
	"ctm":      {"text/plain", ending(".ctm")},
	"stm":      {"text/plain", ending(".stm")},
	"seglst":   {"application/json", slices.Concat(endingInFolders(".json"), ending(".seglst", ".seglst.json"))},
	"webvtt":   {"text/vtt", ending(".vtt")},
	"srt":      {"application/x-subrip", ending(".srt")},
	"csv":      {"text/csv", endingInFolders(".csv", ".tsv")},
	"json":     {"application/json", endingInFolders(".json")},
	"elan":     {"text/xml", ending(".eaf")},
	"audacity": {"text/plain", ending(".txt")},
	"plain":    {"text/plain", ending(".txt")},
	"whisper":  {"application/json", ending(".json")},

	"whisper-lines": {"application/jsonlines", ending(".jsonl")},
	// Manifests, which are called so.
	"kaldi":       {"text/plain", called("text", "segments")},
	"lhotse":      {"application/jsonlines", called("*supervisions*.jsonl", "*supervisions*.jsonl.gz", "*cuts*.jsonl", "*cuts*.jsonl.gz")},
	"nemo":        {"application/jsonlines", called(nemoManifests()...)},
	"audiofolder": {"text/csv", called("metadata.csv", "metadata.jsonl", "metadata.parquet")},
	"commonvoice": {"text/tab-separated-values", called("train.tsv", "dev.tsv", "test.tsv", "validated.tsv")},
	"librispeech": {"text/plain", called("*.trans.txt")},
	"mls":         {"text/plain", called("transcripts.txt")},
	"parquet":     {"application/vnd.apache.parquet", ending(".parquet")},
}

// nemoManifests are the names of manifests of NeMo, which may be called like a split alone.
func nemoManifests() (names []string) {
	for _, stem := range []string{"*manifest*", "train", "validation", "valid", "val", "dev", "test", "eval"} {
		names = append(names, stem+".json", stem+".jsonl")
	}
	return names
}

// called returns the patterns of files with given names, in any folder and in none. Both are needed,
// because readers differ in whether ** matches no folder.
func called(names ...string) []string {
	var all []string
	for _, name := range names {
		all = append(all, "**/"+name)
	}
	return append(all, names...)
}

// ending returns the patterns of files with given extensions, in lower and in upper case. Folders are
// accepted with extensions in any case, recorders often write upper case, and patterns are
// case-sensitive.
func ending(extensions ...string) []string {
	var names []string
	for _, ext := range extensions {
		names = append(names, "*"+ext, "*"+strings.ToUpper(ext))
	}
	return called(union(nil, names)...)
}

// endingInFolders is ending for files that lie in some folder. Readers differ in whether * matches a
// slash.
func endingInFolders(extensions ...string) []string {
	var all []string
	for _, top := range []string{"*/*", "*/**/*"} {
		for _, ext := range extensions {
			all = append(all, top+ext, top+strings.ToUpper(ext))
		}
	}
	return all
}

// licensed returns one FileSet for each media type that the dataset has. counts is the number of
// files by kind. If there is only one FileSet, its @id is id itself.
func licensed(id, what string, kinds map[string]licensedKind, there map[string]int) []fileJSON {
	includes := map[string][]string{} // patterns by media type
	// The map has no order, and the same record must always give the same bytes.
	for _, kind := range slices.Sorted(maps.Keys(there)) {
		if k, known := kinds[kind]; known && there[kind] > 0 {
			includes[k.encoding] = union(includes[k.encoding], k.includes)
		}
	}
	var all []fileJSON
	for _, encoding := range slices.Sorted(maps.Keys(includes)) {
		set := fileJSON{
			Type: "cr:FileSet", ID: id, EncodingFormat: encoding, Includes: includes[encoding],
			Description: what + " of the dataset, as they lie in the package that is delivered. They have no public address.",
		}
		if len(includes) > 1 {
			// Ids of fields have a slash, as recordings/recording_id does, so the id of a
			// file set has none.
			set.ID += "-" + strings.ReplaceAll(encoding, "/", "-")
		}
		set.Name = set.ID
		all = append(all, set)
	}
	return all
}

// union returns a followed by the elements of b that are not in a. Unlike [some] it is
// case-sensitive.
func union(a, b []string) []string {
	for _, pattern := range b {
		if !slices.Contains(a, pattern) {
			a = append(a, pattern)
		}
	}
	return a
}
