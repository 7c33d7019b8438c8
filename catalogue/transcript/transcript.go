// Package transcript reads time-aligned transcripts in the formats that speech
// tools write: TextGrid, RTTM, CTM, STM, SegLST, WebVTT, SRT, CSV and JSON.
//
// A reader never stops at the first fault: it returns all that it found, up to a
// bound, each with its line.
package transcript

import "vaak/lang"

// Format names a format of transcripts.
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
)

// Word is a word with its time.
type Word struct {
	Start float64 `json:"start_s"` // seconds from the start of the recording
	End   float64 `json:"end_s"`
	Text  string  `json:"text"`
}

// Segment is what one speaker says in one stretch of time.
type Segment struct {
	Start   float64   `json:"start_s"`           // seconds from the start of the recording
	End     float64   `json:"end_s"`             // not before Start
	Channel int       `json:"channel,omitempty"` // from 1; 0 is not told
	Speaker string    `json:"speaker,omitempty"`
	Role    string    `json:"role,omitempty"` // such as "agent" and "customer"
	Text    string    `json:"text"`           // as written; empty where a format has times only
	Lang    lang.Code `json:"-"`              // as the transcript says, where it does
	Words   []Word    `json:"words,omitempty"`
	Line    int       `json:"-"` // where it stands in its file, from 1
}

// File is a transcript file that was read.
type File struct {
	Format Format
	// Recordings are the segments by the name of their recording, in order of
	// time. Formats that name none have one entry, "". It is nil where there is a
	// problem.
	Recordings map[string][]Segment
	// WordTimes says that words have times of their own.
	WordTimes bool
}

// Problem is a fault in a file.
type Problem struct {
	Line    int    // from 1; 0 is the file as a whole
	Message string // what is wrong, what is allowed, what there is
}

// Limits bound what one file may hold. The zero value is the default.
type Limits struct {
	Bytes    int64 // longest file; 0 is 64 MiB
	Segments int   // 0 is 200,000
	Words    int   // those with times of their own; 0 is 2,000,000
	Problems int   // how many are told; 0 is 20
}
