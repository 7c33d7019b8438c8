// Package ingest brings a folder with a dataset into the catalogue: it reads the
// card, the audio, the transcripts and the manifests, measures what there is, and
// writes the record and its public files.
//
// A folder is brought in as a whole or not at all: every fault is told, each with
// its file and line, and nothing is changed before there is none. The folder is
// somebody else's work: no path leaves it, no link is followed, nothing that a
// manifest names is run.
package ingest

import (
	"fmt"
	"io/fs"
	"strings"

	"vaak/catalogue"
	"vaak/catalogue/measure"
	"vaak/catalogue/transcript"
)

// Problem is a reason why a folder cannot be brought in.
type Problem struct {
	File    string // path in the folder; "" is the folder
	Line    int    // from 1; 0 is the file as a whole
	Message string // what is wrong, what is allowed, what there is
}

// String returns "file:line: message".
func (p Problem) String() string {
	switch {
	case p.File == "":
		return p.Message
	case p.Line == 0:
		return p.File + ": " + p.Message
	default:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	}
}

// Problems is the error of a folder that cannot be brought in.
type Problems []Problem

// Error lists them, one a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// Recording is one audio file of a folder, and what the folder says of it.
type Recording struct {
	ID         string               // unique in the folder, of [A-Za-z0-9._-]; from its manifest, else from its path
	Path       string               // of the audio file in the folder, with slashes
	Split      string               // "train", "validation", "test"; "" is not told
	Session    string               // of a conversation that is in several files; "" is its own
	Speakers   []string             // by channel where there is one each
	Roles      []string             // the same
	Transcript []transcript.Segment // in order of time; nil has none
	// TranscriptFile and TranscriptFormat say where it stood.
	TranscriptFile   string
	TranscriptFormat transcript.Format
	WordTimes        bool
	// Untimed says that the transcript has no times of its own: one segment stands
	// for the whole recording, and ends with it once that is measured.
	Untimed bool
}

// Folder is a folder that was read, before anything is measured.
type Folder struct {
	Card       Card
	CardFile   string      // its path in the folder
	Recordings []Recording // sorted by ID
	Unused     Unused      // files that nothing was read from

	dir    string                 // where it lies
	seen   map[string]fs.FileInfo // its files when they were listed
	limits Limits
}

// Measured is a recording with its measurement.
type Measured struct {
	Recording
	Measure measure.Recording
	// Lexical is what its transcript tells; nil without one.
	Lexical *catalogue.Lexical
}
