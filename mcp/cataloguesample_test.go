package mcp_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/decode"
	"vaak/audio/decode/recording"
	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/croissant/publish"
	"vaak/mcp"
	"vaak/mcp/tool"
)

const sampleSlug = "hi-in-banking-dual"

// hearing serves a catalogue without an address: one dataset has a sample, a tone of so
// many seconds, and another none.
func hearing(t *testing.T, seconds int, outputDir string) (s *mcp.Server, tone []byte) {
	t.Helper()
	var wav bytes.Buffer
	w, err := codec.NewEncoder(&wav, audio.Format{Codec: audio.WAV, SampleRate: 8000}, codec.Stream)
	if err != nil {
		t.Fatal(err)
	}
	pcm := make([]int16, 8000*seconds)
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(float64(i)*2*math.Pi*440/8000))
	}
	if err := w.WritePCM(pcm); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	m := &cataloguetest.Memory{}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m})
	if err != nil {
		t.Fatal(err)
	}
	heard, silent := full(sampleSlug), cataloguetest.Dataset("ta-in-banking-dual")
	heard.Sample.DurationS = float64(seconds)
	for _, d := range []catalogue.Dataset{heard, silent} {
		draft := catalogue.Draft{Dataset: d, Files: []catalogue.DraftFile{cataloguetest.File("recordings.csv", "text/csv", "recording_id\n1\n")}}
		if d.Sample != nil {
			draft.Files = append(draft.Files, cataloguetest.File("sample/sample.wav", "audio/wav", wav.String()))
		}
		if _, err := c.Put(t.Context(), draft); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Move(t.Context(), d.Slug, catalogue.Published); err != nil {
			t.Fatal(err)
		}
	}
	if s, err = mcp.New(mcp.Config{Catalogue: c, Croissant: publish.New(c, ""), OutputDir: outputDir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s, wav.Bytes()
}

// sampleResult is what get_sample tells beside the audio.
type sampleResult struct {
	Delivery, File string
	Seconds        float64
	Of             float64 `json:"of_seconds"`
}

func getSample(t *testing.T, s *mcp.Server, slug string) (r toolResult, told sampleResult) {
	t.Helper()
	r = callCatalogue(t, s, "get_sample", map[string]any{"slug": slug})
	if !r.IsError {
		if err := json.Unmarshal(r.StructuredContent, &told); err != nil {
			t.Fatal(err)
		}
	}
	return r, told
}

// lengthOf decodes a recording and returns its seconds.
func lengthOf(t *testing.T, file []byte) float64 {
	t.Helper()
	stream, err := decode.Open(bytes.NewReader(file), recording.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	frames, planes := 0, [][]float32{make([]float32, 4096)}
	for {
		n, err := stream.Read(planes)
		frames += n
		if err != nil {
			return float64(frames) / float64(stream.Info().SampleRate)
		}
	}
}

// TestSampleInTheResult has a person hear a sample without a server to link to: short
// ones are whole, long ones cut to what fits into a result.
func TestSampleInTheResult(t *testing.T) {
	t.Parallel()
	for _, seconds := range []int{5, 120} {
		s, _ := hearing(t, seconds, "")
		r, told := getSample(t, s, sampleSlug)
		if len(r.Content) != 2 || r.Content[1].Type != "audio" {
			t.Fatalf("get_sample = %+v, want audio", r)
		}
		recording, err := base64.StdEncoding.DecodeString(r.Content[1].Data)
		if err != nil {
			t.Fatal(err)
		}
		if len(recording) > 256<<10 {
			t.Errorf("%d s: %d bytes of audio are in the result", seconds, len(recording))
		}
		if got := lengthOf(t, recording); math.Abs(got-told.Seconds) > 0.2 || told.Seconds < math.Min(float64(seconds), 7) || told.Of != float64(seconds) {
			t.Errorf("%d s: the audio has %.2f s, and the result tells %+v", seconds, got, told)
		}
	}
}

// TestSampleInAFile has the sample written as it is served; the second time it is there.
func TestSampleInAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, wav := hearing(t, 3, dir)
	for range 2 {
		r, told := getSample(t, s, sampleSlug)
		want := filepath.Join(dir, sampleSlug+"-sample.wav")
		if told.File != want || !strings.Contains(r.text(), want) {
			t.Fatalf("get_sample = %+v, want the path %s", r, want)
		}
		if got, err := os.ReadFile(want); err != nil || !bytes.Equal(got, wav) {
			t.Errorf("the file has %d bytes (%v), want the %d of the sample", len(got), err, len(wav))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, sampleSlug+"-sample.wav"), []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, _ := getSample(t, s, sampleSlug); !r.IsError || !strings.Contains(r.text(), "moved away") {
		t.Errorf("get_sample over another file = %+v", r)
	}
}

// TestNoSample says that there is none, and offers the tool to no client over HTTP, who
// has links.
func TestNoSample(t *testing.T) {
	t.Parallel()
	s, _ := hearing(t, 1, "")
	if r, _ := getSample(t, s, "ta-in-banking-dual"); !r.IsError || !strings.Contains(r.text(), "has no sample to hear") {
		t.Errorf("get_sample = %+v", r)
	}
	for face, want := range map[mcp.Face]bool{mcp.Stdio: true, mcp.HTTP: false} {
		if got := slices.ContainsFunc(s.Tools(face, mcp.Catalogue), func(tool tool.Tool) bool { return tool.Name == "get_sample" }); got != want {
			t.Errorf("%s offers get_sample: %v, want %v", face, got, want)
		}
	}
}
