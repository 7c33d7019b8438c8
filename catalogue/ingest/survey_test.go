package ingest

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/measure"
	"vaak/catalogue/measure/personal"
	"vaak/catalogue/unseen"
)

// bursts are seconds of a sound of which no two seeds have the same, at 8 kHz.
func bursts(seed uint64, seconds int) []int16 {
	r := rand.New(rand.NewPCG(seed, 2))
	pcm := make([]int16, 8000*seconds)
	var low, pole, gain float64
	for i := range pcm {
		if i%800 == 0 {
			pole, gain = 0.9*r.Float64(), 6000*r.Float64()
		}
		low = pole*low + (1-pole)*r.NormFloat64()
		pcm[i] = int16(gain * low)
	}
	return pcm
}

// monoWAV is a WAV file of one channel at 8 kHz.
func monoWAV(pcm []int16) []byte {
	b := header(1, 8000, int64(len(pcm)))
	for _, v := range pcm {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

// numbered is a folder with recordings a, its copy b, a part of it c, and d, which is another; the
// transcript of d has numbers.
func numbered(t *testing.T) string {
	t.Helper()
	dir := folderOf(t, "-- card.yaml --\n"+goodCard+`
-- transcripts/d.csv --
start,end,text
1,2,hello there
3,6,my number is 98765 43210 and nine eight seven six five four
7,8,write to asha@example.org
`)
	a := bursts(1, 12)
	put(t, dir, "audio/a.wav", monoWAV(a))
	put(t, dir, "audio/b.wav", monoWAV(a))
	put(t, dir, "audio/c.wav", monoWAV(a[2*8000:9*8000]))
	put(t, dir, "audio/d.wav", monoWAV(bursts(2, 9)))
	return dir
}

// TestLookFindsCopies compares the recordings of a folder with each other and with those of other
// datasets. Those of the dataset itself, which may be in the catalogue already, are left out.
func TestLookFindsCopies(t *testing.T) {
	t.Parallel()
	dir := numbered(t)
	f, err := folder.Read(t.Context(), dir, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Measure(t.Context(), f, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	d := all[3].Measure
	var asked int
	s, err := Look(t.Context(), dir, Config{Others: func(context.Context) ([]Other, error) {
		asked++
		return []Other{
			{Dataset: "older", ID: "x", Recording: measure.Recording{SHA256: d.SHA256}},                                      // without a fingerprint
			{Dataset: "newer", ID: "y", Recording: measure.Recording{SHA256: "0", DurationS: d.DurationS, Prints: d.Prints}}, // of other bytes
			{Dataset: "hi", ID: "d", Recording: d},
		}, nil
	}})
	if err != nil || asked != 1 {
		t.Fatal(err)
	}
	got := map[string]Shared{}
	for _, d := range s.Duplicates {
		got[d.Kind+" "+d.Dataset+" "+d.A+" "+d.B] = d
	}
	for _, want := range []string{"exact  a b", "acoustic  a c", "exact older x d"} {
		if _, ok := got[want]; !ok {
			t.Errorf("there is no %q among %+v", want, s.Duplicates)
		}
	}
	if len(got) != 3 {
		t.Errorf("found %+v, want three pairs", s.Duplicates)
	}
	if c := got["acoustic  a c"]; c.Seconds < 6 || c.Seconds > 7.5 || c.FromS[0]-c.FromS[1] < 1.9 || c.FromS[0]-c.FromS[1] > 2.1 || c.Channels != [2]int{1, 1} {
		t.Errorf("the part is %+v, want some 7 s from 2 s on", c)
	}
	if c := s.Specification.Duplicates; c == nil || c.ExactFiles != 1 || c.AcousticFiles != 1 || c.Seconds < 18 || c.Seconds > 19.5 {
		t.Errorf("the record counts %+v, want one of each and 19 s", c)
	}
	for _, r := range s.Recordings {
		if r.Prints != nil {
			t.Errorf("the survey has the fingerprints of %s", r.ID)
		}
	}
}

// TestPersonalDataIsFlaggedOnly looks at a transcript with numbers: the survey says where they
// are, and neither it nor the record has the text.
func TestPersonalDataIsFlaggedOnly(t *testing.T) {
	t.Parallel()
	dir := numbered(t)
	s, err := Look(t.Context(), dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Personal.Counts; n[personal.Phone] != 1 || n[personal.Spoken] != 1 || n[personal.Email] != 1 || len(n) != 3 {
		t.Errorf("counted %v", n)
	}
	if len(s.Personal.Places) != 3 {
		t.Fatalf("places %+v, want 3", s.Personal.Places)
	}
	if p := s.Personal.Places[0]; p.Recording != "d" || p.File != "transcripts/d.csv" || p.Line != 3 || p.StartS != 3 || p.EndS != 6 {
		t.Errorf("the first is %+v", p)
	}
	f, err := folder.Read(t.Context(), dir, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Measure(t.Context(), f, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	draft, err := Build(t.Context(), f, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, v := range map[string]any{"survey": s, "record": draft.Dataset} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"98765", "asha", "nine eight"} {
			if strings.Contains(string(text), secret) {
				t.Errorf("the %s has %q", what, secret)
			}
		}
		if what == "record" && (strings.Contains(string(text), "phone") || strings.Contains(string(text), "personal\"")) {
			t.Errorf("the record tells of personal data")
		}
	}
}

// TestSampleIsLookedAtFirst publishes a sample whose transcript has numbers only when somebody says to
// have looked at it, also where the dataset is public already; and one without numbers always.
func TestSampleIsLookedAtFirst(t *testing.T) {
	t.Parallel()
	dir := numbered(t)
	cards := map[string]string{}
	for _, sample := range []string{"a", "d"} {
		cards[sample] = goodCard + "sample: " + sample + "\n"
	}
	for _, tt := range []struct {
		sample                string
		publish, public, seen bool
		refused               bool
	}{
		{"d", false, false, false, false},
		{"d", true, false, false, true},
		{"d", false, true, false, true},
		{"d", true, true, true, false},
		{"a", true, false, false, false},
	} {
		put(t, dir, "card.yaml", []byte(cards[tt.sample]))
		s, told := &shelf{public: tt.public}, unseen.Personal{}
		_, err := Ingest(t.Context(), dir, Config{
			Catalogue: s, Publish: tt.publish, Seen: tt.seen, Personal: func(p unseen.Personal) { told = p },
		})
		why, refused := errors.AsType[*unseen.Error](err)
		if refused != tt.refused || !refused && err != nil || (len(s.drafts) == 0) != tt.refused {
			t.Errorf("%+v: %v with %d records", tt, err, len(s.drafts))
		}
		if unseen.Counted(told.Counts) != "1 email, 1 phone, 1 spoken-number" {
			t.Errorf("%+v: told of %q", tt, unseen.Counted(told.Counts))
		}
		if refused {
			text := why.Error()
			if !strings.Contains(text, "transcripts/d.csv from 3.0 s") || strings.Contains(text, "asha") || strings.Contains(text, "98765") {
				t.Errorf("%+v: refused with %q", tt, text)
			}
		}
	}
}

// TestBalance divides speech among the speakers of manifests, and says nothing where one is not
// named.
func TestBalance(t *testing.T) {
	t.Parallel()
	f, err := folder.Read(t.Context(), calls(t, ""), folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Measure(t.Context(), f, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	// On the dual recordings a and b each speaker has a channel.
	seconds := []float64{
		measure.Seconds(all[0].Measure.Speech[0]) + measure.Seconds(all[1].Measure.Speech[0]), // Asha
		measure.Seconds(all[0].Measure.Speech[1]) + all[2].Measure.Profile.Speech.SpeechS,     // Ravi
		measure.Seconds(all[1].Measure.Speech[1]),                                             // Mina
	}
	slices.Sort(seconds)
	b := balance(all)
	if b != nil && (math.Abs(b.SecondsEach.Min-seconds[0]) > 1e-4 || math.Abs(b.SecondsEach.Median-seconds[1]) > 1e-4 || math.Abs(b.SecondsEach.Max-seconds[2]) > 1e-4) {
		t.Errorf("seconds %+v, want %v", b.SecondsEach, seconds)
	}
	if b == nil || b.Count != 3 || b.Effective <= 1 || b.Effective > 3 || b.TopShare < 1.0/3 || b.SecondsEach.Count != 3 || b.PerRecording.Max != 2 {
		t.Errorf("balance = %+v, want three speakers", b)
	}
	for name, change := range map[string]func(*Measured){
		"an unnamed speaker":              func(m *Measured) { m.Speakers = nil },
		"one name for a call of two":      func(m *Measured) { m.Speakers = m.Speakers[:1] },
		"names in the order of the words": func(m *Measured) { m.ByChannel = false },
	} {
		changed := slices.Clone(all)
		change(&changed[0])
		if b := balance(changed); b != nil {
			t.Errorf("with %s: %+v, want none", name, b)
		}
	}
}
