package transcript

import (
	"slices"

	"vaak/internal/fault"
)

// noValue is what RTTM writes in a field without a value.
const noValue = "<NA>"

// otherTypes are the object types of RTTM that are not speaker turns. Source: NIST, Rich
// Transcription 2009 evaluation plan.
var otherTypes = []string{
	"SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH",
	"FILLER", "EDIT", "IP", "SU", "CB", "A/P", "SPKR-INFO",
}

// readRTTM reads the SPEAKER lines of RTTM (NIST, Rich Transcription 2009 evaluation plan):
// type, file, channel, start, duration, spelling, kind, speaker, confidence and lookahead,
// where the last two may be missing.
func readRTTM(p *reader, text string) {
	for line, content := range p.lines(text) {
		f, remainder := fields(content, 10)
		// The list is closed: a misspelt SPEAKER must not vanish as one more type without
		// interest.
		if slices.Contains(otherTypes, f[0]) {
			continue
		}
		if f[0] != "SPEAKER" {
			p.problem(line, "%s is no type of RTTM; a line begins with SPEAKER, or with what is passed over: %s", quote(f[0]), fault.Listed(otherTypes))
			continue
		}
		if len(f) < 8 || remainder != "" {
			p.problem(line, "a SPEAKER line has 8 to 10 fields, this one has %s", counted(len(f), remainder))
			continue
		}
		p.rttmSpeaker(line, f)
	}
}

// rttmSpeaker adds the segment of a SPEAKER line. RTTM has no text.
func (p *reader) rttmSpeaker(line int, f []string) {
	s := Segment{Line: line}
	var err error
	if f[2] != noValue {
		if s.Channel, err = channel(f[2]); err != nil {
			p.problem(line, "%v", err)
		}
	}
	if s.Start, s.End, err = span(f[3], f[4], true); err != nil {
		p.problem(line, "%v", err)
		return
	}
	if f[7] != noValue {
		s.Speaker = f[7]
	}
	recording := f[1]
	if recording == noValue {
		recording = ""
	}
	p.add(recording, s)
}
