package elevenlabs

import (
	"encoding/base64"
	"encoding/json"
	"iter"
	"strconv"
	"unicode/utf8"

	"vaak/speech/align"
)

// Times describes the alignment in a [Line]: when each character of a text is heard.
type Times struct {
	Characters []string  `json:"characters" nullable:"false" doc:"The code points of the text, each once and in order."`
	Starts     []float64 `json:"character_start_times_seconds" nullable:"false" doc:"When each begins, in seconds since the audio of the request began."`
	Ends       []float64 `json:"character_end_times_seconds" nullable:"false" doc:"When each ends: where the next begins."`
}

// Sizes of a line, so that none is over MaxLine, whatever it holds: a character
// takes at most 28 bytes (8 for an escape, 9 for each time of an answer that is
// shorter than a day, two commas).
const (
	// MaxLine is the longest line, in bytes, that common clients take.
	MaxLine = 64 << 10
	// maxAlone and maxWith are the most bytes of audio in a line without and with characters.
	// Both divide into whole samples (2 bytes) and whole groups of base64 (3 bytes).
	maxAlone = 48000
	maxWith  = 27000
	// maxCharacters is the most characters of each alignment in a line.
	maxCharacters = 450
)

// Line is a piece of audio and the timing of the text that it brings. Alignments
// without characters are null on the wire.
type Line struct {
	Audio           []byte
	Written, Spoken align.Alignment
}

const (
	timedHead = `{"audio_base64":"`
	timedTail = "}\n"
	// Our own field, beside the alignments, whose form belongs to the dialect.
	timedEstimated = `,"estimated":true`
)

// estimated reports whether an alignment that is sent has times that are not known.
func estimated(a align.Alignment) bool { return a.Estimated && len(a.Characters) > 0 }

// Append appends the line, which ends in a newline.
func (l Line) Append(dst []byte) []byte {
	dst = append(dst, timedHead...)
	dst = base64.StdEncoding.AppendEncode(dst, l.Audio)
	return l.AppendTail(dst)
}

// AppendHead appends what is before the base64 of the audio.
func (l Line) AppendHead(dst []byte) []byte { return append(dst, timedHead...) }

// AppendTail appends what is behind the base64 of the audio.
func (l Line) AppendTail(dst []byte) []byte {
	dst = append(dst, `","alignment":`...)
	dst = appendTimes(dst, l.Written)
	dst = append(dst, `,"normalized_alignment":`...)
	dst = appendTimes(dst, l.Spoken)
	if estimated(l.Written) || estimated(l.Spoken) {
		dst = append(dst, timedEstimated...)
	}
	return append(dst, timedTail...)
}

// Lines cuts a line into lines of at most [MaxLine] bytes. The first ones hold the characters.
// Only the last line may end within a sample of 16 bits. An empty line is cut into no lines.
func (l Line) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for len(l.Audio) > 0 || len(l.Written.Characters) > 0 || len(l.Spoken.Characters) > 0 {
			var piece Line
			piece.Written, l.Written = cut(l.Written)
			piece.Spoken, l.Spoken = cut(l.Spoken)
			most := maxAlone
			if len(piece.Written.Characters)+len(piece.Spoken.Characters) > 0 {
				most = maxWith
			}
			// Both bounds are even, so a piece ends with a whole sample.
			n := min(most, len(l.Audio))
			piece.Audio, l.Audio = l.Audio[:n], l.Audio[n:]
			if !yield(piece) {
				return
			}
		}
	}
}

// cut splits an alignment behind the characters that fit into one line.
func cut(a align.Alignment) (first, rest align.Alignment) {
	n := len(a.Characters)
	if n <= maxCharacters {
		return a, align.Alignment{}
	}
	at := a.Starts[maxCharacters]
	first = align.Alignment{Characters: a.Characters[:maxCharacters], Starts: a.Starts[:maxCharacters], Begin: a.Begin, End: at, Estimated: a.Estimated}
	rest = align.Alignment{Characters: a.Characters[maxCharacters:], Starts: a.Starts[maxCharacters:], Begin: at, End: a.End, Estimated: a.Estimated}
	return first, rest
}

func appendTimes(dst []byte, a align.Alignment) []byte {
	if len(a.Characters) == 0 {
		return append(dst, "null"...)
	}
	dst = append(dst, `{"characters":[`...)
	for i, c := range a.Characters {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, c)
	}
	dst = append(dst, `],"character_start_times_seconds":[`...)
	dst = appendSeconds(dst, a.Starts)
	dst = append(dst, `],"character_end_times_seconds":[`...)
	if len(a.Starts) > 1 {
		// A character ends where the next begins; the last one ends with the alignment.
		dst = appendSeconds(dst, a.Starts[1:])
		dst = append(dst, ',')
	}
	dst = appendSeconds(dst, []int{a.End})
	return append(dst, "]}"...)
}

// appendSeconds appends milliseconds as a list of seconds.
func appendSeconds(dst []byte, ms []int) []byte {
	for i, t := range ms {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendFloat(dst, float64(t)/1000, 'f', -1, 64)
	}
	return dst
}

// appendString appends a JSON string. Most are one letter.
func appendString(dst []byte, s string) []byte {
	if r, n := utf8.DecodeRuneInString(s); n == len(s) && n > 0 && r >= ' ' && r != '"' && r != '\\' && r != utf8.RuneError {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // cannot be: it is a string
	}
	return append(dst, text...)
}
