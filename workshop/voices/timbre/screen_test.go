package timbre

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vaak/audio/acoustic"
	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/voice"
	"vaak/workshop/voices/rig"
)

// The committed table is what the engine does: a sample of it is measured anew.
// One language is the same each time; the others change with the day, so that
// all of them are looked at over some weeks.
func TestVoicesSoundAsTheTableSays(t *testing.T) {
	t.Parallel()
	languages := []lang.Code{"sr"}
	if !testing.Short() {
		languages = append(languages, "ja", "hu", "or") // the first has the two that are nearest
	}
	var voices []voice.Voice
	for _, code := range languages {
		voices = append(voices, voice.ForLanguage(code)...)
	}
	s := newStudio(t)
	takes, err := s.cast(t.Context(), "voices", voices, espeak.Timbres())
	if err != nil {
		t.Fatal(err)
	}
	measured := survey{voices: voices, takes: takes}
	for _, v := range measured.violations() {
		t.Error(v)
	}
	rows := map[voice.ID]row{}
	for _, r := range committed(t) {
		rows[r.id] = r
	}
	for _, v := range voices {
		r, m := rows[v.ID], takes[v.ID]
		near, least := measured.neighbours(v)
		if off := math.Abs(acoustic.Semitones(r.hz, m.f0())); off > 0.5 {
			t.Errorf("%s speaks at %.1f Hz, and the table says %.1f", v.ID, m.f0(), r.hz)
		}
		if math.Abs(m.lufs-r.lufs) > 0.5 || math.Abs(m.lufs-rig.TargetLUFS) > levelLU {
			t.Errorf("%s is at %.2f LUFS, and the table says %.2f", v.ID, m.lufs, r.lufs)
		}
		if near.b.ID != r.neighbour || math.Abs(near.distance-r.nearest) > 0.3 {
			t.Errorf("%s is nearest to %s at %.2f dB, and the table says %s at %.2f", v.ID, near.b.ID, near.distance, r.neighbour, r.nearest)
		}
		if math.Abs(m.self.sentences-r.self) > 0.3 || math.Abs(least-r.least) > 0.3 {
			t.Errorf("%s: self %.2f and ratio %.2f, and the table says %.2f and %.2f", v.ID, m.self.sentences, least, r.self, r.least)
		}
	}
}

func newStudio(t *testing.T) *studio {
	t.Helper()
	texts, err := rig.ReadCorpus("../../../lang/testdata/pieces.tsv.gz", rig.PerSet)
	if err != nil {
		t.Fatal(err)
	}
	return &studio{worker: enginetest.Worker(t), corpus: texts, kept: map[part]take{}}
}

func openEngine(t *testing.T) *espeak.Engine {
	t.Helper()
	e, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// hear returns how loud a voice is.
func hear(t *testing.T, e *espeak.Engine, v voice.Voice, code lang.Code, texts []string) *rig.Loudness {
	t.Helper()
	loud := rig.NewLoudness(e.SampleRate())
	for _, text := range texts {
		pcm, err := rig.Speak(t.Context(), e, v, code, text)
		if err != nil {
			t.Fatal(err)
		}
		loud.Write(pcm)
	}
	return loud
}

// Hebrew is soft, and one variant is loud in Latvian: a voice is at its level
// there, too, and so is a Hebrew one elsewhere.
func TestLevelHoldsInOtherLanguages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("other languages are not in the short test")
	}
	e, texts := openEngine(t), newStudio(t).corpus
	miguel := slices.IndexFunc(voice.All(), func(v voice.Voice) bool { return espeak.Timbres()[v.ID].Variant == "miguel" })
	for _, tt := range []struct {
		voice voice.Voice
		code  lang.Code
	}{
		{voice.ForLanguage("he")[0], "en"}, {voice.ForLanguage("he")[0], "eo"}, {voice.ForLanguage("en")[0], "he"},
		{voice.ForLanguage("ta")[0], "hi"}, {voice.All()[miguel], "lv"},
	} {
		loud := hear(t, e, tt.voice, tt.code, texts[tt.code].A)
		got, err := loud.LUFS()
		if err != nil || math.Abs(got-rig.TargetLUFS) > 1.5 || loud.Clipped > 0 {
			t.Errorf("%s (%s) in %s is at %.2f LUFS with %d samples clipped, %v; want %.1f and none",
				tt.voice.ID, tt.voice.Native, tt.code, got, loud.Clipped, err, rig.TargetLUFS)
		}
	}
}

// TestLevelHoldsOnTheWhole has voices drawn from all speak languages drawn from all:
// accents are set right by what one voice of a language measures, and others differ.
func TestLevelHoldsOnTheWhole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("other languages are not in the short test")
	}
	e, texts := openEngine(t), newStudio(t).corpus
	const drawn, near, most = 60, 2, 6 // LU
	draw, within := rand.New(rand.NewPCG(1, 2)), 0
	for range drawn {
		v, l := voice.All()[draw.IntN(len(voice.All()))], lang.All()[draw.IntN(len(lang.All()))]
		loud := hear(t, e, v, l.Code, texts[l.Code].A[:2])
		got, err := loud.LUFS()
		off := math.Abs(got - rig.TargetLUFS)
		if err != nil || off > most || loud.Clipped > 0 {
			t.Errorf("%s (%s) in %s is at %.2f LUFS with %d samples clipped, %v", v.ID, v.Native, l.Code, got, loud.Clipped, err)
		}
		if off <= near {
			within++
		}
	}
	if within < drawn*9/10 {
		t.Errorf("%d of %d are within %d LU of %.1f LUFS, want nine of ten", within, drawn, near, rig.TargetLUFS)
	}
}

// A voice at a third of its volume comes back to its level.
func TestLevelled(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	// Short texts: the level needs no more, and the race detector is slow.
	for code, of := range s.corpus {
		s.corpus[code] = rig.Sets{A: of.A[:1], B: of.B[:1]}
	}
	v := voice.ForLanguage("hu")[0]
	timbres := map[voice.ID]espeak.Timbre{v.ID: {Variant: "f2", Pitch: 50, Range: 50, Rate: 175, Volume: 15}}
	out, err := s.levelled(t.Context(), []voice.Voice{v}, timbres)
	if err != nil {
		t.Fatal(err)
	}
	takes, err := s.cast(t.Context(), "voices", []voice.Voice{v}, out)
	if err != nil {
		t.Fatal(err)
	}
	if got := takes[v.ID].lufs; math.Abs(got-rig.TargetLUFS) > 0.3 {
		t.Errorf("level = %.2f LUFS with volume %d, want %.1f", got, out[v.ID].Volume, rig.TargetLUFS)
	}
	if timbres[v.ID].Volume != 15 {
		t.Error("levelled changed the timbres that it was given")
	}
	if hz := out[v.ID].Hz; math.Abs(float64(hz)-takes[v.ID].f0()) > 1 {
		t.Errorf("Hz = %d, want %.1f", hz, takes[v.ID].f0())
	}
}
