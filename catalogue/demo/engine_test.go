package demo_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/decode"
	"vaak/audio/decode/recording"
	"vaak/catalogue"
	"vaak/catalogue/demo"
	"vaak/catalogue/ingest"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/measure"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/align"
	"vaak/voice"
)

// speaker speaks with the real engine.
type speaker struct{ service *speech.Service }

type timed struct {
	bytes.Buffer
	written align.Alignment
}

func (t *timed) Follow(written, _ align.Alignment) { t.written.Append(written) }

func (s speaker) Say(ctx context.Context, v voice.ID, language lang.Code, text string) (demo.Speech, error) {
	var out timed
	_, err := s.service.Speak(ctx, account.Local, speech.Request{
		Text: text, Voice: string(v), Language: string(language), Format: audio.Format{Codec: audio.PCM, SampleRate: 24000},
	}, &out)
	if err != nil {
		return demo.Speech{}, err
	}
	starts, ends := out.written.Seconds()
	speech := demo.Speech{Rate: 24000, PCM: make([]int16, out.Len()/2), Words: demo.Words(out.written.Characters, starts, ends)}
	_, err = binary.Decode(out.Bytes(), binary.LittleEndian, speech.PCM)
	return speech, err
}

// spoken makes all sets with the real engine.
func spoken(t *testing.T) []demo.Set {
	t.Helper()
	if testing.Short() {
		t.Skip("speaks for seconds")
	}
	e, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() }) // the test is over
	service, err := speech.New(speech.Config{
		Engines: engine.Set{e}, Ledger: account.Unmetered{}, PreviewDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	sets, err := demo.Make(t.Context(), t.TempDir(), demo.Config{Speaker: speaker{service}, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

// TestLengthyMeasured makes all sets and measures them as every dataset is.
func TestLengthyMeasured(t *testing.T) {
	t.Parallel()
	for _, set := range spoken(t) {
		t.Run(set.Slug, func(t *testing.T) {
			t.Parallel()
			whole, err := folder.Read(t.Context(), set.Dir, folder.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			all, err := ingest.Measure(t.Context(), whole, measure.Config{})
			if err != nil {
				t.Fatal(err)
			}
			draft, err := ingest.Build(t.Context(), whole, all, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkRecord(t, set, draft.Dataset)
			for i, m := range all {
				c := set.Conversations[i]
				if m.ID != c.ID {
					t.Fatalf("recording %d is %s, want %s", i, m.ID, c.ID)
				}
				checkWords(t, c, m)
				checkConfidence(t, m.ID, m.Measure, false)
				if *draft.Dataset.Channels == catalogue.Dual {
					compare(t, c, m.Measure, 0.01)
				}
			}
			if *draft.Dataset.Channels == catalogue.Dual {
				disturb(t, set)
			}
		})
	}
}

// checkRecord compares the record of a set with what it is.
func checkRecord(t *testing.T, set demo.Set, d catalogue.Dataset) {
	t.Helper()
	mono, upsampled := set.Slug == "demo-bn-in-healthcare-mono", 0
	if set.Slug == "demo-te-in-railway-dual-upsampled" {
		upsampled = len(set.Conversations)
	}
	if got := d.Specification.UpsampledFiles; got != upsampled {
		t.Errorf("%d files are upsampled, want %d", got, upsampled)
	}
	want := catalogue.Dual
	if mono {
		want = catalogue.Mono
	}
	if got := d.Specification.ChannelsMeasured; got != want || *d.Channels != want {
		t.Errorf("channels = %s, measured %s, want %s", *d.Channels, got, want)
	}
	metrics := d.Sample.Metrics
	if (metrics.SpeakerLabels != nil) != mono || (metrics.TurnTaking == nil) != mono {
		t.Errorf("speakerLabels %v and turnTaking %v in a set of %s", metrics.SpeakerLabels, metrics.TurnTaking, want)
	}
	if mono && metrics.SpeakerLabels.TurnCount != len(set.Conversations[0].Truth.Turns) {
		t.Errorf("labelled turns = %d, want %d", metrics.SpeakerLabels.TurnCount, len(set.Conversations[0].Truth.Turns))
	}
	if !d.Provenance.Synthetic || d.Provenance.Generator != "Vaak test" || !d.Transcribed || d.Participants != nil || d.Consent != nil {
		t.Errorf("the record does not say what the set is: %+v", d.Provenance)
	}
}

// checkWords compares the words of a transcript, as it was read again, with the
// engine's marks.
func checkWords(t *testing.T, c demo.Conversation, m ingest.Measured) {
	t.Helper()
	left := slices.Clone(c.Truth.Words)
	worst := 0.0
	for _, s := range m.Transcript {
		who := slices.Index(m.Speakers, s.Speaker)
		for _, w := range s.Words {
			i := slices.IndexFunc(left, func(h demo.Heard) bool {
				return h.Speaker == who && h.Text == w.Text && math.Abs(h.StartS-w.Start) < 0.01
			})
			if i < 0 {
				t.Errorf("%s: nobody says %q at %.3f s", c.ID, w.Text, w.Start)
				continue
			}
			worst = max(worst, math.Abs(left[i].MarkS-w.Start))
			left = slices.Delete(left, i, i+1)
		}
	}
	if len(left) > 0 {
		t.Errorf("%s: words %v are not in the transcript", c.ID, left)
	}
	if worst > 0.030 {
		t.Errorf("%s: a word is %.0f ms from the engine's mark, want at most 30", c.ID, worst*1000)
	}
}

// checkConfidence checks whether the speech of each channel is doubted.
func checkConfidence(t *testing.T, name string, r measure.Recording, want bool) {
	t.Helper()
	for i, c := range r.Profile.Audio {
		if c.LowConfidence != want || c.SpeechLevelDBFS == nil {
			t.Errorf("%s: low confidence of channel %d is %v, want %v: %+v", name, i+1, c.LowConfidence, want, c)
		}
	}
}

// compare compares what was measured of a conversation with its truth. Overlap is
// how far that ratio may be off.
func compare(t *testing.T, c demo.Conversation, r measure.Recording, overlap float64) {
	t.Helper()
	turns := r.Profile.TurnTaking
	if r.Layout != catalogue.Dual || turns == nil {
		t.Errorf("%s: layout = %s, want %s", c.ID, r.Layout, catalogue.Dual)
		return
	}
	if got, want := turns.OverlapRatio, c.Truth.OverlapRatio(); math.Abs(got-want) > overlap {
		t.Errorf("%s: overlap = %.4f, want %.4f", c.ID, got, want)
	}
	if overlap > 0.01 {
		t.Logf("%s with crosstalk: overlap %.4f of %.4f", c.ID, turns.OverlapRatio, c.Truth.OverlapRatio())
		return
	}
	for i, want := range c.Truth.SpeechShare() {
		if got := r.Profile.Speech.SpeechShare[i]; math.Abs(got-want) > 0.01 {
			t.Errorf("%s: share of channel %d = %.4f, want %.4f", c.ID, i+1, got, want)
		}
	}
	if turns.TurnCount != len(c.Truth.Turns) || turns.BackchannelCount != len(c.Truth.Backchannels) {
		t.Errorf("%s: %d turns and %d backchannels, want %d and %d", c.ID,
			turns.TurnCount, turns.BackchannelCount, len(c.Truth.Turns), len(c.Truth.Backchannels))
		return
	}
	worst := 0.0
	for i, want := range c.Truth.OffsetsMs {
		got := (turns.Turns[i+1].StartS - turns.Turns[i].EndS) * 1000
		if worst = max(worst, math.Abs(got-want)); math.Abs(got-want) > 30 {
			t.Errorf("%s: offset %d = %.0f ms, want %.0f", c.ID, i+1, got, want)
		}
	}
	t.Logf("%s: overlap %.4f of %.4f, share %.4f of %.4f, offsets within %.0f ms", c.ID, turns.OverlapRatio, c.Truth.OverlapRatio(),
		r.Profile.Speech.SpeechShare[0], c.Truth.SpeechShare()[0], worst)
}

// disturb measures the sample of a set with what the other line hears mixed in, 20
// dB under it and 1 ms late, and as a mix of both for two loudspeakers.
func disturb(t *testing.T, set demo.Set) {
	t.Helper()
	c := set.Conversations[0]
	rate, a, b := load(t, filepath.Join(set.Dir, c.Path))
	dir := t.TempDir()
	for name, mix := range map[string]func(own, other []float32, i int) float32{
		"crosstalk.flac": func(own, other []float32, i int) float32 { return own[i] + 0.1*other[max(i-rate/1000, 0)] },
		"quiet.flac": func(own, _ []float32, i int) float32 {
			return 0.028*own[i] + float32(math.Sin(float64(i)*float64(i)))*2e-4
		}, // -51 dBFS
		"engaged.flac": func(own, _ []float32, i int) float32 { // a tone for half of each second
			return own[i] + 0.07*float32(math.Sin(2*math.Pi*480*float64(i)/float64(rate)))*float32(2*i/rate%2)
		},
		"stereo.flac": func(own, other []float32, i int) float32 { return 0.7*own[i] + 0.3*other[i] },
	} {
		x, y := make([]int16, len(a)), make([]int16, len(a))
		for i := range a {
			x[i], y[i] = sample(mix(a, b, i)), sample(mix(b, a, i))
		}
		file, err := codec.FLACFile(rate, x, y)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	all, faults, err := measure.Files(t.Context(), opener{root}, dir, []string{"crosstalk.flac", "stereo.flac", "quiet.flac", "engaged.flac"}, measure.Config{})
	if err = errors.Join(append(faults, err)...); err != nil {
		t.Fatal(err)
	}
	compare(t, c, all[0], 0.02)
	checkConfidence(t, c.ID+", quiet", all[2], true)
	checkConfidence(t, c.ID+", with a tone", all[3], true)
	if all[1].Layout != "stereo" || all[1].Profile.TurnTaking != nil {
		t.Errorf("%s: layout of a mix = %s, want stereo", c.ID, all[1].Layout)
	}
}

// opener opens files of a folder.
type opener struct{ root *os.Root }

func (o opener) Open(path string) (measure.File, error) { return o.root.Open(path) }

// sample returns 16 bits of a sample.
func sample(x float32) int16 {
	return int16(math.Round(float64(min(max(x, -1), 1)) * math.MaxInt16))
}

// load reads a file of two channels.
func load(t *testing.T, path string) (rate int, a, b []float32) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stream, err := decode.Open(f, recording.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	planes := [][]float32{make([]float32, 4096), make([]float32, 4096)}
	for {
		n, err := stream.Read(planes)
		a, b = append(a, planes[0][:n]...), append(b, planes[1][:n]...)
		if err == io.EOF {
			return stream.Info().SampleRate, a, b
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
