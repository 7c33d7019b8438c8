package measure

import (
	"math"

	"vaak/catalogue"
	"vaak/catalogue/measure/talk"
)

// Seconds returns how long intervals that do not overlap last together.
func Seconds(intervals []Interval) float64 { return talk.Length(intervals) }

// Balance returns how speech is divided among speakers. seconds has the speech of each by name,
// and perFile the number of speakers of each recording. It returns nil without speech.
func Balance(seconds map[string]float64, perFile []int) *catalogue.SpeakerBalance {
	total := 0.0
	for _, s := range seconds {
		total += s
	}
	if total <= 0 {
		return nil
	}
	b := &catalogue.SpeakerBalance{Count: len(seconds)}
	entropy := 0.0
	var each, files []float64
	for _, s := range seconds {
		each = append(each, s)
		if share := s / total; share > 0 {
			entropy -= share * math.Log(share)
			b.TopShare = max(b.TopShare, share)
		}
	}
	for _, n := range perFile {
		files = append(files, float64(n))
	}
	// Rounded, because the order of a map changes the last digits of a sum.
	b.Effective, b.TopShare = round(math.Exp(entropy)), round(b.TopShare)
	b.SecondsEach, b.PerRecording = spread(each), spread(files)
	return b
}
