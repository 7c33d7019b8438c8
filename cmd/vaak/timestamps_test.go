package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// timed is an answer with timestamps, or a line of one.
type timed struct {
	Audio      string `json:"audio_base64"`
	Alignment  *times `json:"alignment"`
	Normalized *times `json:"normalized_alignment"`
}

type times struct {
	Characters []string  `json:"characters"`
	Starts     []float64 `json:"character_start_times_seconds"`
	Ends       []float64 `json:"character_end_times_seconds"`
}

func (a *times) add(b *times) {
	if b != nil {
		a.Characters, a.Starts, a.Ends = append(a.Characters, b.Characters...), append(a.Starts, b.Starts...), append(a.Ends, b.Ends...)
	}
}

// TestLengthyTimestamps has texts with numbers, signs and other scripts spoken by the
// engine, and checks that each character is told once and in order, whatever was
// said instead of it.
func TestLengthyTimestamps(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	for _, text := range []string{
		"At 5:30 pm we paid $12.50 for 3 kg. Good!", "कुल ₹12,34,567 हुए, meeting 5:30 pm पर है।", "... well, 😀 <break time=\"1s\"/> yes",
		"東京は2024年です。", "Der 3. Oktober, z. B. um 8 Uhr.", " \n Lines \n and  spaces ",
	} {
		var first []byte
		for _, path := range []string{"/with-timestamps", "/stream/with-timestamps"} {
			written, spoken, audio := s.timed(path, text)
			if got := strings.Join(written.Characters, ""); got != text {
				t.Errorf("%s: characters %q, want %q", path, got, text)
			}
			if got := strings.Join(spoken.Characters, ""); strings.ContainsAny(got, "0123456789$₹") {
				t.Errorf("%s: normalized_alignment of %q is %q, which has signs", path, text, got)
			}
			for _, a := range []times{written, spoken} {
				seconds := float64(len(audio)) / 2 / 16000
				if !slices.IsSorted(a.Starts) || len(a.Ends) == 0 || a.Ends[len(a.Ends)-1] > seconds+0.002 {
					t.Errorf("%s: times of %q: %v in %v s", path, text, a.Starts, seconds)
				}
			}
			if first == nil {
				first = audio
			}
			if !bytes.Equal(first, audio) {
				t.Errorf("%s: %d bytes of audio of %q, want %d", path, len(audio), text, len(first))
			}
		}
	}
}

// timed has a text spoken as pcm at 16,000 Hz by a route with timestamps.
func (s *server) timed(path, text string) (written, spoken times, audio []byte) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"text": text})
	if err != nil {
		s.t.Fatal(err)
	}
	target := s.public + "/v1/text-to-speech/" + s.voice(http.DefaultClient) + path + "?output_format=pcm_16000"
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", target, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("xi-api-key", s.key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		s.t.Fatalf("POST %s = %d %s, %v", target, resp.StatusCode, answer, err)
	}
	for line := range bytes.Lines(answer) {
		var l timed
		if err := json.Unmarshal(line, &l); err != nil {
			s.t.Fatal(err)
		}
		sound, err := base64.StdEncoding.DecodeString(l.Audio)
		if err != nil {
			s.t.Fatal(err)
		}
		audio = append(audio, sound...)
		written.add(l.Alignment)
		spoken.add(l.Normalized)
	}
	return written, spoken, audio
}
