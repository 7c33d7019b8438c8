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

// Parts of the distribution.
const (
	manifestID  = "recordings.csv"
	sampleID    = "sample-audio"
	sampleSetID = "sample-recording"
	segmentsID  = "sample-segments.csv"
	audioID     = "licensed-audio"
	spokenID    = "licensed-transcripts"
)

// distribution lists the public files with their addresses and digests, then the
// licensed ones by where they are in the delivered package. Those have no address,
// which is what says that they cannot be fetched, also of a dataset that is free:
// the server holds the public files alone.
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

// sampleFile is the file of the sample that the document has. It is the original
// where that is WAV or FLAC: nothing is lost, and the usual libraries open both.
// Of others it is the WAV that is made of them.
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

// segmentsFile is the transcript of the sample.
func (w *writer) segmentsFile() *catalogue.File {
	if w.d.Sample == nil || w.d.Sample.Transcript == nil {
		return nil
	}
	return w.file(w.d.Sample.Transcript.URL)
}

// sampleSet is the sample as a set of one file. Its records are read from there:
// the reference library has no reader for audio files but MP3, of which it mixes
// the channels down, while of a set it hands out the bytes of each file.
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

// mediaType is the content type of a file without parameters.
func mediaType(f *catalogue.File) string {
	kind, _, err := mime.ParseMediaType(f.ContentType)
	if err != nil {
		return "application/octet-stream"
	}
	return kind
}

// licensedKind is a kind of files in the delivered package.
type licensedKind struct {
	encoding string
	includes []string // patterns of their paths
}

// audioFiles are the kinds of audio by container, with the names that files of a
// folder may have.
var audioFiles = map[string]licensedKind{
	"wav":    {"audio/wav", endingIn("**/*", ".wav", ".wave")},
	"rf64":   {"audio/wav", endingIn("**/*", ".wav", ".rf64", ".bw64")},
	"flac":   {"audio/flac", endingIn("**/*", ".flac")},
	"mp3":    {"audio/mpeg", endingIn("**/*", ".mp3")},
	"ogg":    {"audio/ogg", endingIn("**/*", ".ogg", ".oga", ".opus")},
	"sphere": {"application/octet-stream", endingIn("**/*", ".sph")}, // has no media type
}

// spokenFiles are the kinds of transcripts by format.
var spokenFiles = map[string]licensedKind{
	"textgrid":    {"text/plain", transcripts(".TextGrid", ".textgrid")},
	"rttm":        {"text/plain", transcripts(".rttm")},
	"ctm":         {"text/plain", transcripts(".ctm")},
	"stm":         {"text/plain", transcripts(".stm")},
	"seglst":      {"application/json", transcripts(".json", ".seglst")},
	"webvtt":      {"text/vtt", transcripts(".vtt")},
	"srt":         {"application/x-subrip", transcripts(".srt")},
	"csv":         {"text/csv", transcripts(".csv", ".tsv")},
	"json":        {"application/json", transcripts(".json")},
	"kaldi":       {"text/plain", []string{"text", "segments"}},
	"lhotse":      {"application/jsonlines", []string{"supervisions.jsonl", "supervisions.jsonl.gz"}},
	"nemo":        {"application/jsonlines", []string{"manifest.jsonl", "manifest.json"}},
	"audiofolder": {"text/csv", []string{"metadata.csv", "metadata.jsonl", "audio/metadata.csv", "audio/metadata.jsonl"}},
}

// transcripts are the patterns of files with extensions below transcripts/, at its
// top and deeper: whether * goes over a slash differs between readers.
func transcripts(extensions ...string) []string {
	return slices.Concat(endingIn("transcripts/*", extensions...), endingIn("transcripts/**/*", extensions...))
}

// endingIn are the patterns of files with extensions, as given and in capitals, in
// which recorders write them: a dataset has extensions in any case, while readers
// of patterns tell the cases apart.
func endingIn(stem string, extensions ...string) []string {
	var all []string
	for _, ext := range extensions {
		all = append(all, stem+ext, stem+strings.ToUpper(ext))
	}
	return all
}

// licensed returns a FileSet for each media type of the kinds that there are. One
// alone has the id itself.
func licensed(id, what string, kinds map[string]licensedKind, there map[string]int) []fileJSON {
	includes := map[string][]string{} // by media type
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
			set.ID += "-" + strings.ReplaceAll(encoding, "/", "-")
		}
		set.Name = set.ID
		all = append(all, set)
	}
	return all
}

// union returns a followed by what is in b alone. Unlike [some] it tells the cases
// of letters apart.
func union(a, b []string) []string {
	for _, pattern := range b {
		if !slices.Contains(a, pattern) {
			a = append(a, pattern)
		}
	}
	return a
}
