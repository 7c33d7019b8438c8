package timbre

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"sync"

	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/voice"
	"vaak/workshop/voices/rig"
)

// studio measures how timbres sound in the languages of the corpus. It
// remembers what it has measured. It is safe for concurrent use.
type studio struct {
	worker string
	corpus rig.Corpus

	mu   sync.Mutex
	kept map[part]take
}

// part is a timbre in a language, as it is spoken in a region.
type part struct {
	code   lang.Code
	region string // as voices have it
	timbre espeak.Timbre
}

// sound is a part without what does not change its samples.
func (p part) sound() part {
	p.timbre.Hz = 0
	return p
}

// record measures parts, in their order.
func (s *studio) record(ctx context.Context, what string, parts []part) ([]take, error) {
	table := map[voice.ID]espeak.Timbre{}
	var missing []part
	s.mu.Lock()
	for _, p := range parts {
		if _, ok := s.kept[p.sound()]; !ok {
			table[stageName(len(missing))] = p.timbre
			missing = append(missing, p.sound())
		}
	}
	s.mu.Unlock()
	e, err := espeak.Open(espeak.Config{Worker: s.worker, Timbres: table})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	bar := rig.NewProgress(os.Stderr, what, len(missing))
	defer bar.End()
	err = rig.ForEach(ctx, len(missing), func(ctx context.Context, i int) error {
		p := missing[i]
		t, err := record(ctx, e, voice.Voice{ID: stageName(i), Native: p.code, Region: p.region}, s.corpus[p.code])
		if err != nil {
			return fmt.Errorf("variant %s: %w", p.timbre.Variant, err)
		}
		s.mu.Lock()
		s.kept[p] = t
		s.mu.Unlock()
		bar.Step()
		return nil
	})
	if err != nil {
		return nil, err
	}
	takes := make([]take, len(parts))
	for i, p := range parts {
		takes[i] = s.kept[p.sound()]
	}
	return takes, nil
}

// stageName is the id under which the engine knows a timbre that is measured.
func stageName(i int) voice.ID { return voice.ID(fmt.Sprint("part ", i)) }

// cast records voices in their native languages.
func (s *studio) cast(ctx context.Context, what string, voices []voice.Voice, timbres map[voice.ID]espeak.Timbre) (map[voice.ID]take, error) {
	parts := make([]part, len(voices))
	for i, v := range voices {
		parts[i] = part{v.Native, v.Region, timbres[v.ID]}
	}
	takes, err := s.record(ctx, what, parts)
	if err != nil {
		return nil, err
	}
	byID := map[voice.ID]take{}
	for i, v := range voices {
		byID[v.ID] = takes[i]
	}
	return byID, nil
}

// nearLU is how far the level of a voice may be off when its volume counts as right: the
// volume is a whole number, and a step of it is 0.4 LU at the least volume.
const nearLU = 0.25

// levelled returns timbres with volumes that bring every voice to the target,
// and the fundamental frequencies as measured on the way. The level is
// proportional to the volume until the library limits it, so two rounds do.
func (s *studio) levelled(ctx context.Context, voices []voice.Voice, timbres map[voice.ID]espeak.Timbre) (map[voice.ID]espeak.Timbre, error) {
	out := maps.Clone(timbres)
	const rounds = 4
	for range rounds {
		takes, err := s.cast(ctx, "levels", voices, out)
		if err != nil {
			return nil, err
		}
		changed := false
		for _, v := range voices {
			t, m := out[v.ID], takes[v.ID]
			t.Hz = int(math.Round(m.f0()))
			if off := rig.TargetLUFS - m.lufs; math.Abs(off) > nearLU {
				volume := min(int(math.Round(float64(t.Volume)*math.Pow(10, off/20))), maxVolume)
				changed = changed || volume != t.Volume
				t.Volume = volume
			}
			out[v.ID] = t
		}
		if !changed {
			break
		}
	}
	return out, nil
}

// maxVolume is the library's loudest.
const maxVolume = 200
