package demo

// Interval is a stretch of time in seconds from the start of a recording.
type Interval struct{ StartS, EndS float64 }

// Truth is what is known about a conversation by construction. Speech is given in
// inter-pausal units: silences of one speaker under 200 ms count as speech.
type Truth struct {
	DurationS    float64
	IPUs         [2][]Interval // by speaker
	Turns        []Turn        // in order of time
	OffsetsMs    []float64     // from the end of each turn to the start of the next
	Backchannels []Turn
	Words        []Heard // in order of their lines
}

// Turn is what one speaker says before the other takes the floor.
type Turn struct {
	Speaker int // 0 or 1
	Interval
}

// Heard is a word with the time at which it is heard.
type Heard struct {
	Speaker int
	Text    string
	Interval
	// MarkS is when the word begins according to the engine.
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

// OverlapRatio returns the time in which both speak as a share of the time in which anybody speaks.
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
