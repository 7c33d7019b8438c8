// Package transcript reads and writes time-aligned transcripts in the formats of speech
// tools: TextGrid, RTTM, CTM, STM, SegLST, WebVTT, SRT, ELAN, labels of Audacity, what Whisper
// and WhisperX write, CSV and JSON.
//
// [Read] does not stop at the first fault. It returns all problems that it finds, up to a
// limit, each with its line.
package transcript

import "vaak/lang"

// Format is a transcript format.
type Format string

// The formats.
const (
	TextGrid Format = "textgrid"
	RTTM     Format = "rttm"
	CTM      Format = "ctm"
	STM      Format = "stm"
	SegLST   Format = "seglst"
	WebVTT   Format = "webvtt"
	SRT      Format = "srt"
	CSV      Format = "csv"
	JSON     Format = "json"
	ELAN     Format = "elan"
	Audacity Format = "audacity"
	Whisper  Format = "whisper" // an object with segments
	// WhisperLines has the segments of [Whisper], one on each line.
	WhisperLines Format = "whisper-lines"
)

// Word is a word with its times.
type Word struct {
	Start float64 `json:"start_s"` // seconds from the start of the recording
	End   float64 `json:"end_s"`
	Text  string  `json:"text"`
}

// Segment is what one speaker says without a long pause.
type Segment struct {
	Start   float64   `json:"start_s"`           // seconds from the start of the recording
	End     float64   `json:"end_s"`             // not before Start
	Channel int       `json:"channel,omitempty"` // from 1; 0 is unknown
	Speaker string    `json:"speaker,omitempty"`
	Role    string    `json:"role,omitempty"` // such as "agent" or "customer"
	Text    string    `json:"text"`           // as written; "" if the format has times only
	Lang    lang.Code `json:"-"`              // as the transcript says; "" if it does not
	Words   []Word    `json:"words,omitempty"`
	Line    int       `json:"-"` // number of its line in the file, from 1
}

// File is a transcript file that was read.
type File struct {
	Format Format
	// Recordings has the segments of each recording, in order of time. In formats that
	// do not name recordings the only key is "". It is nil if there is a problem.
	Recordings map[string][]Segment
	// WordTimes says that words have times of their own.
	WordTimes bool
}

// Problem is a fault in a file.
type Problem struct {
	Line    int    // from 1; 0 is the file as a whole
	Message string // what is wrong, what is allowed, what was found
}

// Limits bound what one file may hold. Each zero value stands for a default.
type Limits struct {
	Bytes    int64 // size of the file; 0 is 64 MiB
	Segments int   // 0 is 200,000
	Words    int   // words with times of their own; 0 is 2,000,000
	Problems int   // problems that are returned; 0 is 20
}
