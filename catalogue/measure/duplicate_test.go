package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"vaak/catalogue"
)

// duplicates returns what recordings share, and fails if they cannot be compared.
func duplicates(t testing.TB, all []Recording) []Duplicate {
	t.Helper()
	found, err := Duplicates(t.Context(), all, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestDuplicatesStop compares recordings until somebody stops it.
func TestDuplicatesStop(t *testing.T) {
	t.Parallel()
	all := make([]Recording, 10)
	for i := range all {
		all[i].SHA256 = fmt.Sprint(i)
	}
	ctx, stop := context.WithCancel(t.Context())
	var last Progress
	_, err := Duplicates(ctx, all, 2, func(p Progress) {
		if last = p; p.Compared == 5 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || last != (Progress{Done: 8, Of: 8, Compared: 5}) {
		t.Errorf("Duplicates = %v after %+v, want to stop after 5 of 8", err, last)
	}
}

// TestReportsOfEarlierVersions reads a report that version 1.2 of the method has kept: it is
// compared by its digest, and its specification says nothing of what was not measured.
func TestReportsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	const report = `{"method":"vaak-audio/1.2","sha256":"ab","sizeBytes":100,"container":"wav","codec":"pcm_s16","sampleRateHz":8000,
		"bitsPerSample":16,"channels":1,"frames":8000,"durationS":1,"layout":"mono","profile":{"method":{"name":"conv","version":"1.2"},
		"audio":[{"clippingRatio":0,"hasSpeech":true}],"speech":{"speechSeconds":0.5,"silenceRatio":0.5},"lexical":null},"speech":[[{"s":0.2,"e":0.7}]],"peaks":[[0.5]]}`
	var old Recording
	if err := json.Unmarshal([]byte(report), &old); err != nil {
		t.Fatal(err)
	}
	all := []Recording{old, old}
	found := duplicates(t, all)
	if len(found) != 1 || found[0].Kind != Exact || found[0].A != 0 || found[0].B != 1 {
		t.Errorf("Duplicates = %+v, want one that is exact", found)
	}
	if c := Copies(all, found); c != nil {
		t.Errorf("Copies = %+v, want none: sound was not compared", c)
	}
	s := Specify(all, make([]*catalogue.Lexical, 2), "")
	if s.Band != nil || s.ReverbTimeS != nil || s.LeadS != nil || s.TrailS != nil || s.Duplicates != nil {
		t.Errorf("the specification tells of what was not measured: %+v", s)
	}
	text, err := json.Marshal(old.Profile.Audio[0])
	if err != nil || string(text) != `{"lowConfidence":false,"clippingRatio":0,"dcOffset":0,"digitalSilenceRatio":0,"upsampled":false,"hasSpeech":true}` {
		t.Errorf("the channel reads %s, %v: new figures must be left out", text, err)
	}
}
