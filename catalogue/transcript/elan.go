package transcript

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readELAN reads an annotation document of ELAN (The Language Archive, EAF 2.8 and 3.0). Each
// independent tier is a speaker: the participant of the tier, else its name. Tiers that depend
// on another one, such as translations and glosses, are passed over. Annotations without text
// are silence.
func readELAN(p *reader, text string) {
	p.file.Recordings[""] = []Segment{} // tiers without annotations: nobody speaks
	d := &elan{p: p, dec: xml.NewDecoder(strings.NewReader(text)), slots: map[string]float64{}}
	// The text is UTF-8 by now, whatever the declaration says.
	d.dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	if err := d.read(); err != nil {
		p.problem(d.line(), "%v", err)
	}
}

// elan reads one document.
type elan struct {
	p     *reader
	dec   *xml.Decoder
	slots map[string]float64 // seconds by the id of a time slot
}

// mostDepth bounds how deep elements of a document are nested. ELAN nests six deep.
const mostDepth = 32

// line returns the line of the last token. The decoder counts one after a final line break.
func (d *elan) line() int {
	line, _ := d.dec.InputPos()
	return line
}

// read reads the document to its end.
func (d *elan) read() error {
	speaker, speaks, depth := "", false, 0
	for !d.p.done() {
		token, err := d.dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("is not XML: %s", strings.TrimPrefix(err.Error(), "XML syntax error on "))
		}
		switch e := token.(type) {
		case xml.EndElement:
			depth--
		case xml.StartElement:
			if depth++; depth == 1 && e.Name.Local != "ANNOTATION_DOCUMENT" {
				return fmt.Errorf("the file is %s, not an ANNOTATION_DOCUMENT of ELAN", quote(e.Name.Local))
			}
			if depth > mostDepth {
				return fmt.Errorf("elements are nested more than %d deep", mostDepth)
			}
			switch e.Name.Local {
			case "HEADER":
				if unit := attribute(e, "TIME_UNITS"); unit != "" && unit != "milliseconds" {
					return fmt.Errorf("times are in %s; milliseconds are read", quote(unit))
				}
			case "TIME_SLOT":
				err = d.slot(e)
			case "TIER":
				speaks, speaker = attribute(e, "PARENT_REF") == "", attribute(e, "PARTICIPANT")
				if speaker == "" {
					speaker = attribute(e, "TIER_ID")
				}
			case "ALIGNABLE_ANNOTATION":
				depth--
				err = d.annotation(e, speaker, speaks)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// attribute returns an attribute of an element, or "".
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// slot keeps a time slot. Slots of dependent annotations may have no time.
func (d *elan) slot(e xml.StartElement) error {
	text := attribute(e, "TIME_VALUE")
	if text == "" {
		return nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > latest*1000 {
		d.p.problem(d.line(), "the time %s is outside 0 to %d milliseconds", quote(text), latest*1000)
		return nil
	}
	// Each slot is the beginning or the end of an annotation.
	if len(d.slots) > 4*d.p.limits.Segments {
		return fmt.Errorf("there are more than %d times, the most of one file", 4*d.p.limits.Segments)
	}
	d.slots[attribute(e, "TIME_SLOT_ID")] = float64(ms) / 1000
	return nil
}

// annotation reads an annotation with times, to the end of its element. It adds the segment if
// the tier speaks.
func (d *elan) annotation(e xml.StartElement, speaker string, speaks bool) error {
	line := d.line()
	var a struct {
		Value string `xml:"ANNOTATION_VALUE"`
	}
	if err := d.dec.DecodeElement(&a, &e); err != nil {
		return fmt.Errorf("is not XML: %s", strings.TrimPrefix(err.Error(), "XML syntax error on "))
	}
	text := strings.TrimSpace(a.Value)
	if !speaks || text == "" {
		return nil
	}
	start, ok1 := d.slots[attribute(e, "TIME_SLOT_REF1")]
	end, ok2 := d.slots[attribute(e, "TIME_SLOT_REF2")]
	if !ok1 || !ok2 {
		d.p.problem(line, "the annotation %s has no times: there is no TIME_SLOT with a TIME_VALUE for it", quote(text))
		return nil
	}
	d.p.add("", Segment{Start: start, End: end, Speaker: speaker, Text: text, Line: line})
	return nil
}
