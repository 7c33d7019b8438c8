package transcript

import (
	"encoding/json"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Detect returns the format of a file, or false if it is not known. It decides by the
// extension of the name where that is enough. The extensions .json, .jsonl, .csv, .tsv and
// .txt are used for much else, so there it looks at head, the first 4 KiB or more of the file: a
// list with a "session_id" is SegLST; an object with "segments" is our JSON if these have a
// "start_s" or none has a "start", else Whisper; lines with a "start" and a "text" are those of
// Whisper; a table is a transcript if its header has a start and an end or a duration; plain
// text is one of Audacity's label tracks if its first line is a label. Other text is not guessed.
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
	case ".eaf":
		return ELAN, true
	case ".txt":
		if looksLikeLabels(beginning(head)) {
			return Audacity, true
		}
	case ".json":
		return detectJSON(beginning(head))
	case ".jsonl":
		first, _, _ := strings.Cut(strings.TrimLeft(beginning(head), " \t\n"), "\n")
		if strings.HasPrefix(first, "{") && strings.Contains(first, `"start"`) && strings.Contains(first, `"text"`) {
			return WhisperLines, true
		}
	}
	return "", false
}

// beginning returns the text of head, without a character that is cut in half at its end.
func beginning(head []byte) string {
	text := string(head)
	for mark, order := range map[string]int{mark16big: 0, mark16small: 1} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			units := make([]uint16, 0, len(rest)/2)
			for i := 0; i+1 < len(rest); i += 2 {
				// order is the index of the high byte in a pair. An odd byte at the end is
				// half a unit that head has cut, and is left out.
				units = append(units, uint16(rest[i+order])<<8|uint16(rest[i+1-order]))
			}
			return breaks(string(utf16.Decode(units)))
		}
	}
	text = strings.TrimPrefix(text, mark8)
	if !utf8.ValidString(text) {
		// The last character may be cut. A file that is wrong elsewhere is detected all the
		// same: Read then says which byte is wrong.
		text = strings.ToValidUTF8(text, "")
	}
	return breaks(text)
}

// looksLikeTable reports whether the first line is a header with times.
func looksLikeTable(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	t := newColumns(splitHeader(line))
	return len(t.repeated) == 0 && t.has("start") && (t.has("end") || t.has("duration"))
}

// detectJSON tells SegLST, which is a list, from our own format and that of Whisper, which are
// objects.
func detectJSON(text string) (Format, bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	first, err := dec.Token()
	if err != nil {
		return "", false
	}
	switch first {
	case json.Delim('{'):
		key, err := dec.Token()
		// What services that run Whisper say first.
		for err == nil && (key == "task" || key == "language" || key == "duration") {
			var value json.Token
			if value, err = dec.Token(); err == nil {
				key, err = dec.Token()
			}
			if _, nested := value.(json.Delim); nested {
				return "", false
			}
		}
		switch {
		case err == nil && key == "segments" && (strings.Contains(text, `"start_s"`) || !strings.Contains(text, `"start"`)):
			return JSON, true
		// Whisper puts the whole text first, which may be longer than head.
		case err == nil && (key == "segments" || key == "text" && (strings.Contains(text, `"segments"`) || len(text) >= 4000)):
			return Whisper, true
		}
	case json.Delim('['):
		// Head may be cut, so the list cannot be parsed whole. Its first segment has this
		// key.
		if strings.Contains(text, `"session_id"`) {
			return SegLST, true
		}
	}
	return "", false
}
