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

// Write writes segments as CSV, JSON, WebVTT or RTTM. What it writes reads the
// same, as far as the format goes: JSON holds everything; CSV all but words;
// WebVTT times to a millisecond, speakers and text; RTTM times to a microsecond,
// channels and speakers, which must be without white space there.
//
// Text is exact in every format but CSV, which people open in spreadsheets: each
// text is quoted there, and one that would be reckoned is [Inert], which Read undoes.
//
// A segment that [Read] would refuse, a format that is not written and a name that
// the format cannot hold are a *fault.Error; nothing is written then.
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

// unwritable says why a segment cannot be written, or "".
func unwritable(s Segment, format Format) string {
	if why := unsound("", s); why != "" {
		return why
	}
	for _, name := range []string{s.Speaker, s.Role} {
		if name != strings.TrimSpace(name) {
			return fmt.Sprintf("there is white space around the name %s", quote(name))
		}
	}
	if format == RTTM && (strings.ContainsAny(s.Speaker, blanks) || s.Speaker == notTold) {
		return fmt.Sprintf("RTTM cannot hold the speaker %s: a name has no white space and is not %s", quote(s.Speaker), notTold)
	}
	return ""
}

func writeCSV(out *bufio.Writer, segments []Segment) error {
	out.WriteString("start_s,end_s,channel,speaker,role,text\n")
	for _, s := range segments {
		ch := ""
		if s.Channel > 0 {
			ch = strconv.Itoa(s.Channel)
		}
		fmt.Fprintf(out, "%s,%s,%s,%s,%s,%s\n", decimal(s.Start), decimal(s.End), ch, cell(s.Speaker), cell(s.Role), cell(s.Text))
	}
	return nil // out keeps its first error for Flush
}

// decimal writes the shortest decimal that reads as the same number.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// cell quotes a text, which no spreadsheet reckons.
func cell(text string) string {
	if text == "" {
		return ""
	}
	return `"` + strings.ReplaceAll(Inert(text), `"`, `""`) + `"`
}

// writeJSON writes a segment a line, so that files can be compared.
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

// vttText escapes text for WebVTT; a line break is a reference, for an empty line
// would end the cue.
var vttText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "&#10;")

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

// stamp writes a time for WebVTT.
func stamp(s float64) string {
	ms := int64(math.Round(s * 1000))
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

func writeRTTM(out *bufio.Writer, segments []Segment) error {
	for _, s := range segments {
		ch, speaker := notTold, notTold
		if s.Channel > 0 {
			ch = strconv.Itoa(s.Channel)
		}
		if s.Speaker != "" {
			speaker = s.Speaker
		}
		fmt.Fprintf(out, "SPEAKER %s %s %.6f %.6f %s %s %s %s %s\n", notTold, ch, s.Start,
			micro(s.End)-micro(s.Start), notTold, notTold, speaker, notTold, notTold)
	}
	return nil
}
