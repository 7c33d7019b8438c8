package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"vaak/internal/fault"
)

// Write writes segments as CSV, JSON, WebVTT or RTTM. [Read] reads back what the format can
// hold: JSON everything; CSV everything but words; WebVTT times to the millisecond, speakers
// and text; RTTM times to the microsecond, channels, and speakers without white space.
//
// Every format keeps text exactly. In CSV, which people open in spreadsheets, text is quoted
// and text that looks like a formula is made [Inert], which Read undoes.
//
// The error is a *fault.Error if Read would refuse a segment, if the format cannot be
// written, or if it cannot hold a name. Nothing is written then.
func Write(w io.Writer, segments []Segment, format Format) error {
	write := map[Format]func(*bufio.Writer, []Segment) error{
		CSV: writeCSV, JSON: writeJSON, WebVTT: writeWebVTT, RTTM: writeRTTM,
	}[format]
	if write == nil {
		return fault.BadParameter("format", "transcripts are written as csv, json, webvtt and rttm, not as %s", quote(string(format)))
	}
	for i, s := range segments {
		if why := unwritable(s, format); why != "" {
			return fault.BadParameter("segments", "segment %d: %s", i+1, why)
		}
	}
	out := bufio.NewWriter(w)
	if err := write(out, segments); err != nil {
		return fmt.Errorf("write %s: %w", format, err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", format, err)
	}
	return nil
}

// unwritable returns why a segment cannot be written in a format, or "".
func unwritable(s Segment, format Format) string {
	if why := unsound("", s); why != "" {
		return why
	}
	for _, name := range []string{s.Speaker, s.Role} {
		if name != strings.TrimSpace(name) {
			return fmt.Sprintf("there is white space around the name %s", quote(name))
		}
	}
	if format == RTTM && (strings.ContainsAny(s.Speaker, blanks) || s.Speaker == noValue) {
		return fmt.Sprintf("RTTM cannot hold the speaker %s: a name has no white space and is not %s", quote(s.Speaker), noValue)
	}
	return ""
}

// writeCSV writes the columns that readTable reads.
func writeCSV(out *bufio.Writer, segments []Segment) error {
	out.WriteString("start_s,end_s,channel,speaker,role,text\n")
	for _, s := range segments {
		ch := ""
		if s.Channel > 0 {
			ch = strconv.Itoa(s.Channel)
		}
		fmt.Fprintf(out, "%s,%s,%s,%s,%s,%s\n", decimal(s.Start), decimal(s.End), ch, cell(s.Speaker), cell(s.Role), cell(s.Text))
	}
	return nil // out keeps its first error and returns it from Flush
}

// decimal returns the shortest decimal that reads back as the same number.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// cell returns a text as a quoted cell that no spreadsheet reads as a formula.
func cell(text string) string {
	if text == "" {
		return ""
	}
	return `"` + strings.ReplaceAll(Inert(text), `"`, `""`) + `"`
}

// writeJSON writes one segment a line, so that files can be compared line by line.
func writeJSON(out *bufio.Writer, segments []Segment) error {
	out.WriteString(`{"segments":[`)
	var one bytes.Buffer
	enc := json.NewEncoder(&one)
	enc.SetEscapeHTML(false)
	for i, s := range segments {
		if i > 0 {
			out.WriteByte(',')
		}
		one.Reset()
		if err := enc.Encode(s); err != nil {
			return err
		}
		out.WriteByte('\n')
		out.Write(bytes.TrimSuffix(one.Bytes(), []byte("\n")))
	}
	out.WriteString("\n]}\n")
	return nil
}

// vttText escapes text for WebVTT. A line break becomes a character reference, because an
// empty line would end the cue.
var vttText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "&#10;")

// writeWebVTT writes one cue a segment.
func writeWebVTT(out *bufio.Writer, segments []Segment) error {
	out.WriteString("WEBVTT\n")
	for _, s := range segments {
		fmt.Fprintf(out, "\n%s %s %s\n", stamp(s.Start), arrow, stamp(s.End))
		if s.Speaker != "" {
			fmt.Fprintf(out, "<v %s>%s</v>\n", vttText.Replace(s.Speaker), vttText.Replace(s.Text))
		} else if s.Text != "" {
			fmt.Fprintf(out, "%s\n", vttText.Replace(s.Text))
		}
	}
	return nil
}

// stamp returns a time as WebVTT writes it.
func stamp(s float64) string {
	// Rounded once, before the parts are taken. Rounding the seconds alone could give
	// 60.000.
	ms := int64(math.Round(s * 1000))
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

// writeRTTM writes one SPEAKER line a segment.
func writeRTTM(out *bufio.Writer, segments []Segment) error {
	for _, s := range segments {
		// Both times are rounded before they are subtracted, so that start plus duration
		// gives the rounded end again. A rounded difference could be a microsecond off.
		ch, speaker := noValue, noValue
		if s.Channel > 0 {
			ch = strconv.Itoa(s.Channel)
		}
		if s.Speaker != "" {
			speaker = s.Speaker
		}
		fmt.Fprintf(out, "SPEAKER %s %s %.6f %.6f %s %s %s %s %s\n", noValue, ch, s.Start,
			micro(s.End)-micro(s.Start), noValue, noValue, speaker, noValue, noValue)
	}
	return nil
}
