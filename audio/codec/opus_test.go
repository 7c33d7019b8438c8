package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/audio"
	"vaak/audio/audiotest"
)

// checkOpus reads a file as RFC 7845 and RFC 6716 define it, of samples that were
// put in, and returns its audio packets and the pages that hold them.
func checkOpus(t testing.TB, f audio.Format, file []byte, samples int) (packets [][]byte, pages []oggPage) {
	t.Helper()
	packets, pages, err := parseOgg(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(packets) < 3 || pages[0].ended != 1 || pages[1].ended != 1 || pages[0].granule != 0 || pages[1].granule != 0 {
		t.Fatalf("%d packets, first pages %+v, want one for each of two headers and audio", len(packets), pages[:2])
	}
	le, skip := binary.LittleEndian, 120 // 2.5 ms at 48,000 Hz
	head := append([]byte("OpusHead\x01\x01"), byte(skip), 0)
	head = append(le.AppendUint32(head, uint32(f.SampleRate)), 0, 0, 0)
	if !bytes.Equal(packets[0], head) {
		t.Errorf("head %x, want %x", packets[0], head)
	}
	tags, ok := bytes.CutPrefix(packets[1], []byte("OpusTags"))
	if !ok || len(tags) < 8 || int(le.Uint32(tags)) != len(tags)-8 || le.Uint32(tags[len(tags)-4:]) != 0 || !bytes.HasPrefix(tags[4:], []byte("libopus")) {
		t.Errorf("tags %q, want the library's name and no comments", packets[1])
	}
	packets, pages = packets[2:], pages[2:]
	for i, p := range packets {
		if len(p) == 0 || len(p) > 1275+1 || p[0]&7 != 0 || p[0]>>3&3 != 3 || p[0]>>3 < 16 {
			t.Fatalf("packet %d: %d bytes with configuration %#x, want one mono CELT frame of 20 ms", i, len(p), p[:1])
		}
	}
	end, made := int64(skip+samples*(48000/InputRate(f))), int64(0)
	for i, p := range pages {
		made += int64(p.ended) * 960
		if want := min(made, end); p.ended > 0 && p.granule != want {
			t.Errorf("page %d of %d ends at %d, want %d", i, len(pages), p.granule, want)
		}
	}
	if made < end || made-end >= 960 || pages[len(pages)-1].granule != end {
		t.Errorf("%d samples in packets and an end at %d, want it at %d", made, pages[len(pages)-1].granule, end)
	}
	return packets, pages
}

func TestOpusStructure(t *testing.T) {
	t.Parallel()
	lengths := []int{0, 1, 419, 420, 421, 479, 480, 481, 2399, 2400, 2401, 24000, 31234}
	for _, rate := range audio.SampleRates {
		f := audio.Format{Codec: audio.Opus, SampleRate: rate}
		speech := audiotest.Speech(InputRate(f), slices.Max(lengths))
		for _, kbps := range []int{opusLeastKbps, audio.Opus.StandardKbps(), opusMostKbps} {
			f.BitrateKbps = kbps
			for _, n := range lengths {
				pcm := speech[:n]
				stream, _ := checkOpus(t, f, encode(t, f, Stream, pcm).all(), n)
				whole, pages := checkOpus(t, f, encode(t, f, File, pcm).all(), n)
				if !slices.EqualFunc(stream, whole, bytes.Equal) {
					t.Fatalf("%+v, %d samples: packets of a stream and of a whole file differ", f, n)
				}
				if kbps == audio.Opus.StandardKbps() && len(pages) > 1+n/InputRate(f) {
					t.Errorf("%+v, %d samples: %d pages in a whole file", f, n, len(pages))
				}
			}
		}
	}
}

func TestOpusInputRate(t *testing.T) {
	t.Parallel()
	want := map[int]int{8000: 8000, 16000: 16000, 22050: 24000, 24000: 24000, 32000: 48000, 44100: 48000, 48000: 48000}
	got := map[int]int{}
	for _, rate := range audio.SampleRates {
		got[rate] = InputRate(audio.Format{Codec: audio.Opus, SampleRate: rate})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("input rates:\n%s", diff)
	}
}

func TestOpusSettings(t *testing.T) {
	t.Parallel()
	lib := testLibopus(t)
	c, err := openOpus(lib, audio.Format{Codec: audio.Opus, SampleRate: 22050, BitrateKbps: 48}, Stream)
	if err != nil {
		t.Fatal(err)
	}
	defer c.free()
	for get, want := range map[int32]int32{opusGetBitrate: 48000, opusGetComplexity: opusComplexity, opusGetVBR: 1, opusGetVBRConstraint: 1} {
		var got int32
		if code := lib.get(&c.(*opus).enc.memory[0], get, &got); code != 0 || got != want {
			t.Errorf("request %d = %d, %d, want %d", get, got, code, want)
		}
	}
}

// TestOpusPaging gives one frame at a time and looks at what leaves.
func TestOpusPaging(t *testing.T) {
	t.Parallel()
	var r record
	w, err := NewEncoder(&r, audio.Format{Codec: audio.Opus}, Stream)
	if err != nil {
		t.Fatal(err)
	}
	pcm := audiotest.Speech(24000, 480*20)
	if err := w.WritePCM(pcm[:479]); err != nil || len(r.writes) != 0 {
		t.Fatalf("a frame less one sample: %v and %d writes, want none", err, len(r.writes))
	}
	var got []string
	for i := range 20 {
		before := len(r.writes)
		if err := w.WritePCM(pcm[max(479, 480*i) : 480*(i+1)]); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(bytes.Count(bytes.Join(r.writes[before:], nil), []byte("OggS"))))
	}
	const want = "3 1 1 1 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("pages after each frame: %s, want %s", got, want)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	checkOpus(t, audio.Format{Codec: audio.Opus, SampleRate: 24000}, r.all(), len(pcm))
}

// TestOpusCuts checks that the bytes depend on the samples alone.
func TestOpusCuts(t *testing.T) {
	t.Parallel()
	speech := audiotest.Speech(24000, 24000)
	rapid.Check(t, func(rt *rapid.T) {
		pcm := speech[:rapid.IntRange(0, len(speech)).Draw(rt, "samples")]
		mode := rapid.SampledFrom([]Mode{Stream, File}).Draw(rt, "mode")
		want := encode(t, audio.Format{Codec: audio.Opus}, mode, pcm).all()
		var blocks [][]int16
		for left := pcm; len(left) > 0; {
			n := rapid.IntRange(0, min(len(left), 6000)).Draw(rt, "block")
			blocks, left = append(blocks, left[:n]), left[n:]
		}
		if got := encode(t, audio.Format{Codec: audio.Opus}, mode, blocks...).all(); !bytes.Equal(got, want) {
			rt.Fatalf("%d blocks give %d bytes other than the %d of one block", len(blocks), len(got), len(want))
		}
	})
}

// TestOpusReuse runs encoders side by side and one after the other, which share
// memory in turn, and wants each to sound like the first.
func TestOpusReuse(t *testing.T) {
	t.Parallel()
	formats := []audio.Format{
		{Codec: audio.Opus, SampleRate: 8000, BitrateKbps: 12},
		{Codec: audio.Opus, SampleRate: 24000},
		{Codec: audio.Opus, SampleRate: 48000, BitrateKbps: 128},
	}
	pcm := audiotest.Speech(24000, 12345)
	var want [][]byte
	for _, f := range formats {
		want = append(want, encode(t, f, Stream, pcm).all())
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 10 {
				k := (worker + i) % len(formats)
				var r record
				w, err := NewEncoder(&r, formats[k], Stream)
				if err != nil {
					t.Error(err)
					return
				}
				err = w.WritePCM(pcm)
				if i%3 == 0 { // a client that goes away
					r.err = fmt.Errorf("gone")
				}
				if closed := w.Close(); err != nil || (closed == nil) != (i%3 != 0) {
					t.Errorf("WritePCM: %v, Close: %v", err, closed)
				}
				if i%3 != 0 && !bytes.Equal(r.all(), want[k]) {
					t.Errorf("%+v: other bytes than the first time", formats[k])
				}
			}
		})
	}
	wg.Wait()
}

func TestLengthyOpusBitrates(t *testing.T) {
	t.Parallel()
	all := []int{opusLeastKbps, 12, 16, 24, 32, audio.Opus.StandardKbps(), 96, 128, 192, opusMostKbps}
	if testing.Short() {
		all = []int{opusLeastKbps, 24, opusMostKbps}
	}
	for _, rate := range audio.SampleRates {
		f := audio.Format{Codec: audio.Opus, SampleRate: rate}
		pcm := audiotest.Speech(InputRate(f), 2*InputRate(f))
		for _, kbps := range all {
			f.BitrateKbps = kbps
			packets, _ := checkOpus(t, f, encode(t, f, File, pcm).all(), len(pcm))
			got := float64(len(bytes.Join(packets, nil))) * 8 / 1000 / (float64(len(packets)) / 50)
			if got < 0.9*float64(kbps) || got > 1.1*float64(kbps) {
				t.Errorf("%d Hz: %.1f kbit/s, want %d", rate, got, kbps)
			}
		}
		for _, kbps := range []int{opusLeastKbps - 1, opusMostKbps + 1, -1} {
			if _, err := Check(audio.Format{Codec: audio.Opus, SampleRate: rate, BitrateKbps: kbps}); err == nil {
				t.Errorf("%d Hz: %d kbit/s passed", rate, kbps)
			}
		}
	}
}
