package demo

// Interval is a stretch of time in seconds from the start of a recording.
type Interval struct{ StartS, EndS float64 }

// Truth is what a conversation is, as it was put together. Speech is told in
// inter-pausal units: a speaker's silences under 200 ms count as speech.
type Truth struct {
	DurationS    float64
	IPUs         [2][]Interval // by speaker
	Turns        []Turn        // in order of time
	OffsetsMs    []float64     // from the end of each turn to the start of the next
	Backchannels []Turn
	Words        []Heard // in order of their lines
}

// Turn is what a speaker says before the other takes over.
type Turn struct {
	Speaker int // 0 or 1
	Interval
}

// Heard is a word and when it is heard.
type Heard struct {
	Speaker int
	Text    string
	Interval
	// MarkS is when the engine says that the word begins.
	MarkS float64
}

// SpeechShare returns the share of each speaker in the speech of both.
func (t Truth) SpeechShare() [2]float64 {
	a, b := length(t.IPUs[first]), length(t.IPUs[second])
	if a+b == 0 {
		return [2]float64{}
	}
	return [2]float64{a / (a + b), b / (a + b)}
}

// OverlapRatio returns the time in which both speak, of that in which anybody does.
func (t Truth) OverlapRatio() float64 {
	var both float64
	for _, a := range t.IPUs[first] {
		for _, b := range t.IPUs[second] {
			both += max(0, min(a.EndS, b.EndS)-max(a.StartS, b.StartS))
		}
	}
	if any := length(t.IPUs[first]) + length(t.IPUs[second]) - both; any > 0 {
		return both / any
	}
	return 0
}

func length(all []Interval) (s float64) {
	for _, i := range all {
		s += i.EndS - i.StartS
	}
	return s
}
