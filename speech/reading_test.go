package speech_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/internal/fault"
	"vaak/speech"
)

func TestRead(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	got, err := s.Read(t.Context(), speech.Request{Text: " नमस्ते 😀 dear world. "})
	if err != nil {
		t.Fatal(err)
	}
	if got.Language != "hi" || got.Characters != 22 || got.Spoken() != "नमस्ते dear world." {
		t.Errorf("Read = %+v, spoken %q", got, got.Spoken())
	}
	want := []speech.ReadRun{
		{Language: "hi", Start: 0, End: 10, Written: " नमस्ते 😀 ", Spoken: " नमस्ते   "},
		{Language: "en", Start: 10, End: 22, Written: "dear world. ", Spoken: "dear world. "},
	}
	if diff := cmp.Diff(want, got.Runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if _, err := s.Read(t.Context(), speech.Request{Text: "hi", Language: "klingon"}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Read in Klingon: %v", err)
	}
}

func TestReadEstimates(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	of := func(req speech.Request) time.Duration {
		r, err := s.Read(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return r.Estimated
	}
	once, twice := of(speech.Request{Text: "some words "}), of(speech.Request{Text: "some words some words "})
	if once <= 0 || (twice-2*once).Abs() > time.Millisecond {
		t.Errorf("estimates %v, and %v of twice the text", once, twice)
	}
	if fast := of(speech.Request{Text: "some words ", Speed: 1.25}); (once - fast*5/4).Abs() > time.Millisecond {
		t.Errorf("estimate at speed 1.25 is %v, at 1 %v", fast, once)
	}
	if got := of(speech.Request{Text: "..."}); got != 200*time.Millisecond {
		t.Errorf("estimate of nothing spoken is %v, want 200ms", got)
	}
}
