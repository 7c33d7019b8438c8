package demo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vaak/internal/fault"
	"vaak/voice"
)

// addedVoice is a voice that an operator has added.
func addedVoice(id, name string, gender voice.Gender) voice.Voice {
	return voice.Voice{ID: voice.ID(id), Name: name, Gender: gender, Native: "hi", Engine: "onnx", License: "CC BY 4.0"}
}

// TestNamedVoices: voices that are named speak where their gender fits, never with themselves, and
// those of the roster the rest.
func TestNamedVoices(t *testing.T) {
	t.Parallel()
	asha, leela := addedVoice("sv_asha", "Asha (medium)", voice.Female), addedVoice("sv_leela", "Leela", voice.Female)
	ravi, anyone := addedVoice("sv_ravi", "Ravi", voice.Male), addedVoice("sv_anyone", "Anyone; else", voice.Neutral)
	twin := addedVoice("sv_twin", "Asha (medium)", voice.Male)
	for _, tt := range []struct {
		name          string
		voices        []voice.Voice
		first, second []string // who speaks, "" is a voice of the roster
		labels        []string // of the first dialogue
	}{
		{"none", nil, []string{""}, []string{""}, nil},
		{"a woman", []voice.Voice{asha}, []string{"sv_asha"}, []string{""}, nil},
		{"two women", []voice.Voice{asha, leela}, []string{"sv_asha", "sv_leela"}, []string{""}, nil},
		{"a man", []voice.Voice{ravi}, []string{""}, []string{"sv_ravi"}, nil},
		{"both", []voice.Voice{ravi, asha}, []string{"sv_asha"}, []string{"sv_ravi"}, []string{"asha-medium", "ravi"}},
		{"one of no gender", []voice.Voice{anyone}, []string{"sv_anyone"}, []string{""}, nil},
		{"one of no gender and a man", []voice.Voice{ravi, anyone}, []string{"sv_anyone"}, []string{"sv_ravi"}, []string{"anyone-else", "ravi"}},
		{"one name", []voice.Voice{asha, twin}, []string{"sv_asha"}, []string{"sv_twin"}, []string{"sv_asha", "sv_twin"}},
	} {
		p := plans()[0]
		p.voices = tt.voices
		for n := range p.takes() {
			d := p.dialogue(n)
			for who, want := range [][]string{tt.first, tt.second} {
				id, want := d.cast.voices[who], want[n%len(want)]
				if _, roster := voice.Lookup(id); want != string(id) && (want != "" || !roster) {
					t.Errorf("%s: %d of dialogue %d is %s, want %q", tt.name, who, n, id, want)
				}
			}
		}
		if got := p.dialogue(0).names; tt.labels != nil && !slices.Equal(got[:], tt.labels) {
			t.Errorf("%s: labels are %v, want %v", tt.name, got, tt.labels)
		}
	}
}

// TestTermsOfNamedVoices: a set that added voices speak is under their licences, and names them.
func TestTermsOfNamedVoices(t *testing.T) {
	t.Parallel()
	p := plans()[0]
	plain, err := card(p, "1")
	if err != nil || !strings.Contains(string(plain), `url: "https://creativecommons.org/publicdomain/zero/1.0/"`) || strings.Contains(string(plain), "neural") {
		t.Errorf("the card of the roster is %s, %v", plain, err)
	}
	unknown := addedVoice("sv_ravi", "Ravi", voice.Male)
	unknown.License = ""
	p.voices = []voice.Voice{addedVoice("sv_asha", "Asha", voice.Female), unknown}
	got, err := card(p, "1")
	for _, want := range []string{"under the licences of its voices: Asha (CC BY 4.0), Ravi (licence unknown)", "in part by neural voices: Asha, Ravi", "vaak demo --voices VOICES"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the card lacks %q: %s, %v", want, got, err)
		}
	}
	if strings.Contains(string(got), "publicdomain") || strings.Contains(string(got), "CC0") {
		t.Errorf("the card gives away what others own: %s", got)
	}
}

// TestLengthyMakeWithNamedVoices makes the sets of the voices' languages with them, and the others without.
func TestLengthyMakeWithNamedVoices(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes all sets")
	}
	sets, err := Make(t.Context(), t.TempDir(), Config{Speaker: tones{440}, Voices: []voice.Voice{addedVoice("sv_asha", "Asha", voice.Female)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets {
		list, err := os.ReadFile(filepath.Join(s.Dir, "recordings.csv"))
		if hindi := strings.HasPrefix(s.Slug, "demo-hi-"); err != nil || strings.Contains(string(list), "asha;") != hindi {
			t.Errorf("%s: %s, %v", s.Slug, list, err)
		}
	}
}

func TestCheckVoices(t *testing.T) {
	t.Parallel()
	asha := addedVoice("sv_asha", "Asha", voice.Female)
	if err := CheckVoices([]voice.Voice{asha}); err != nil {
		t.Error(err)
	}
	french := asha
	french.Native = "fr"
	if err := CheckVoices([]voice.Voice{asha, french}); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "is French; the demonstration datasets are in Hindi, Tamil, Bengali, Telugu, English") {
		t.Errorf("a French voice: %v", err)
	}
}
