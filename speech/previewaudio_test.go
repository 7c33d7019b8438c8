package speech_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"math"
	"testing"

	"vaak/account"
	"vaak/audio/decode"
	"vaak/audio/decode/recording"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/speech"
	"vaak/voice"
)

// Previews are kept for as long as the server is, and listened to one after the
// other.
const (
	shortestPreview, longestPreview = 3.0, 6.0 // seconds
	allPreviews                     = 20e6     // bytes of all voices together
	quietestPreview                 = 0.02     // root of the mean square, of full scale
)

func TestLengthyPreviewOfEveryVoice(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it renders 320 previews")
	}
	e, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := newService(t, speech.Config{Engines: engine.Set{e}, Ledger: account.Unmetered{}, PreviewDir: t.TempDir()})
	all := voice.All()
	if n, err := s.RenderPreviews(t.Context()); n != len(all) || err != nil {
		t.Fatalf("RenderPreviews = %d, %v, want %d", n, err, len(all))
	}
	total, heard := 0, map[string]voice.ID{}
	for _, v := range all {
		p, err := s.Preview(t.Context(), v.ID)
		if err != nil {
			t.Fatal(err)
		}
		if total += len(p.Data); p.ContentType != "audio/mpeg" {
			t.Fatalf("%s: %s, want mp3", v.ID, p.ContentType)
		}
		if other, ok := heard[p.ETag]; ok {
			t.Errorf("%s and %s have the same preview", v.ID, other)
		}
		heard[p.ETag] = v.ID
		seconds, level, peak := hear(t, p.Data)
		if seconds < shortestPreview || seconds > longestPreview {
			t.Errorf("%s (%s): the preview lasts %.2f s, want %g to %g", v.ID, v.PreviewLanguage, seconds, shortestPreview, longestPreview)
		}
		if level < quietestPreview || peak > 1.05 { // a little over full scale is what mp3 does to a peak
			t.Errorf("%s (%s): the preview has a level of %.3f and a peak of %.3f", v.ID, v.PreviewLanguage, level, peak)
		}
	}
	t.Logf("%d previews of %.2f MB", len(all), float64(total)/1e6)
	if total >= allPreviews {
		t.Errorf("all previews are %d bytes, want less than %g", total, float64(allPreviews))
	}
}

// hear returns how long a clip lasts, its level as the root of the mean square, and
// its peak, of full scale.
func hear(t *testing.T, data []byte) (seconds, level, peak float64) {
	t.Helper()
	stream, err := decode.Open(bytes.NewReader(data), recording.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	info := stream.Info()
	planes := make([][]float32, info.Channels)
	for i := range planes {
		planes[i] = make([]float32, 4096)
	}
	n, sum := 0, 0.0
	for {
		got, err := stream.Read(planes)
		for _, x := range planes[0][:got] {
			sum += float64(x) * float64(x)
			peak = max(peak, math.Abs(float64(x)))
		}
		n += got
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return float64(n) / float64(info.SampleRate), math.Sqrt(sum / float64(max(n, 1))), peak
}
