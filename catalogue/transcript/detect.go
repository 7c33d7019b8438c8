package transcript

import (
	"encoding/json"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Detect tells the format of a file by the extension of its name; head is how it
// begins, of which 4 KiB are enough. The extensions .json, .csv and .tsv name more
// than transcripts, so there the beginning decides: a list with a "session_id" is
// SegLST, an object whose first key is "segments" is JSON, and a table is a
// transcript when its header has a start and an end or a duration. It is false
// where the format cannot be told; plain text never is guessed.
func Detect(name string, head []byte) (Format, bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".textgrid":
		return TextGrid, true
	case ".rttm":
		return RTTM, true
	case ".ctm":
		return CTM, true
	case ".stm":
		return STM, true
	case ".seglst":
		return SegLST, true
	case ".vtt":
		return WebVTT, true
	case ".srt":
		return SRT, true
	case ".csv", ".tsv":
		if looksLikeTable(beginning(head)) {
			return CSV, true
		}
	case ".json":
		return detectJSON(beginning(head))
	}
	return "", false
}

// beginning returns the text of a head that may end inside a character.
func beginning(head []byte) string {
	text := string(head)
	for mark, order := range map[string]int{mark16big: 0, mark16small: 1} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			units := make([]uint16, 0, len(rest)/2)
			for i := 0; i+1 < len(rest); i += 2 {
				units = append(units, uint16(rest[i+order])<<8|uint16(rest[i+1-order]))
			}
			return breaks(string(utf16.Decode(units)))
		}
	}
	text = strings.TrimPrefix(text, mark8)
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}
	return breaks(text)
}

func looksLikeTable(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	t := newColumns(splitHeader(line))
	return len(t.repeated) == 0 && t.has("start") && (t.has("end") || t.has("duration"))
}

func detectJSON(text string) (Format, bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	first, err := dec.Token()
	if err != nil {
		return "", false
	}
	switch first {
	case json.Delim('{'):
		if key, err := dec.Token(); err == nil && key == "segments" {
			return JSON, true
		}
	case json.Delim('['):
		if strings.Contains(text, `"session_id"`) {
			return SegLST, true
		}
	}
	return "", false
}
