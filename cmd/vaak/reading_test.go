package main

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"

	"vaak/audio/audiotest"
)

// TestLengthyPreviewTextTellsWhatIsSpoken compares what preview-text says with what is
// then heard: speaking the words says the same for as long as speaking the text,
// and the estimate is near it.
func TestLengthyPreviewTextTellsWhatIsSpoken(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	for language, text := range map[string]string{
		"en": "On 12 May 2024 at 10:30 the price rose by 7.5% to $1,250, or 3/4 of the old one, within 45 km.",
		"hi": "12 मई 2024 को 10:30 बजे दाम 7.5% बढ़कर ₹12,34,567 हो गया, 45 किमी दूर।",
		"de": "Am 12. Mai 2024 um 10:30 Uhr stieg der Preis um 7,5 % auf 1.250 €, 45 km entfernt.",
		"ru": "Расстояние составляет 45 км, цена выросла на 7,5 % и теперь равна 21 рублю.",
		"ja": "2024年5月12日に、価格は25%上がりました。",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			reading := s.previewText(map[string]any{"input": text, "lang": language})
			say := func(text string) float64 {
				return float64(len(audiotest.Samples(s.mustSpeak(map[string]any{"input": text, "lang": language, "response_format": "pcm", "sample_rate": 8000})))) / 8000
			}
			heard, words := say(text), say(reading.SpokenText)
			if math.Abs(words/heard-1) > 0.01 {
				t.Errorf("%q lasts %.2f s, its words %q %.2f s", text, heard, reading.SpokenText, words)
			}
			if ratio := reading.EstimatedSeconds / heard; ratio < 0.7 || ratio > 1.4 {
				t.Errorf("%q lasts %.2f s, estimated were %.2f", text, heard, reading.EstimatedSeconds)
			}
			t.Logf("%.2f s, estimated %.2f: %s", heard, reading.EstimatedSeconds, reading.SpokenText)
		})
	}
}

type textPreview struct {
	Language         string  `json:"language"`
	SpokenText       string  `json:"spoken_text"`
	EstimatedSeconds float64 `json:"estimated_seconds"`
}

// previewText posts body to preview-text.
func (s *server) previewText(body map[string]any) textPreview {
	s.t.Helper()
	r := s.request(s.t.Context(), body)
	r.URL.Path += "/preview-text"
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var p textPreview
	if err := json.NewDecoder(resp.Body).Decode(&p); err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("preview-text: status %d, %v", resp.StatusCode, err)
	}
	return p
}
