package measure

import (
	"encoding/json"
	"testing"

	"vaak/catalogue"
)

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
	found := Duplicates(all, 0)
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
