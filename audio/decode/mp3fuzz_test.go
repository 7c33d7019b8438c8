package decode

import (
	"slices"
	"testing"

	"vaak/internal/fault"
)

// fuzzLimits are low, so that a file that unfolds is seen to be stopped.
var fuzzLimits = Limits{Channels: 6, SampleRate: 48000, Frames: 100000}

// survive opens and reads a file and fails the test when that breaks a promise.
func survive(t *testing.T, open opener, file []byte) {
	info, got, err := drain(t, open, file, fuzzLimits, 1000)
	if kind := fault.KindOf(err); kind == fault.Internal || kind == fault.Unavailable {
		t.Errorf("an error of kind %q: %v", kind, err)
	}
	if info.Channels > fuzzLimits.Channels || info.SampleRate > fuzzLimits.SampleRate || info.Frames > fuzzLimits.Frames {
		t.Errorf("opened %+v, beyond the limits %+v", info, fuzzLimits)
	}
	for c, p := range got {
		if int64(len(p)) > fuzzLimits.Frames || err == nil && info.Frames >= 0 && int64(len(p)) > info.Frames {
			t.Errorf("channel %d has %d samples of %+v: %v", c, len(p), info, err)
		}
	}
}

func FuzzMP3(f *testing.F) {
	for _, channels := range []int{1, 2} {
		f.Add(bare(f, 8000, channels)[:720])
		f.Add(encoded(f, 22050, channels, 1500, mp3Ways["variable"]...))
		f.Add(encoded(f, 44100, channels, 3000, mp3Ways["constant"]...))
	}
	f.Add(append(id3v2(100), encoded(f, 16000, 1, 2000, "-c:a", "libmp3lame", "-b:a", "24k", "-write_id3v1", "1", "-f", "mp3")...))
	f.Fuzz(func(t *testing.T, file []byte) {
		before := openHandles(t)
		survive(t, openMP3, file)
		survive(t, openMP3, mended(file))
		if after := openHandles(t); after != before {
			t.Errorf("%d handles are open, %d were before", after, before)
		}
	})
}

func openHandles(t *testing.T) int64 {
	lib, err := loadMPG123()
	if err != nil {
		t.Fatal(err)
	}
	return lib.open.Load()
}

// mended returns a file with the headers that its first frame makes likely, so that
// what is damaged is what the library reads.
func mended(file []byte) []byte {
	h, ok := parseMP3Header(file)
	if !ok || !h.frame() {
		return file
	}
	file = slices.Clone(file)
	for at := h.size; at+mp3HeaderSize <= len(file); at += h.size {
		if next, ok := parseMP3Header(file[at:]); ok && next.frame() && next.like(h) {
			h = next
		} else {
			copy(file[at:], file[:mp3HeaderSize])
			h, _ = parseMP3Header(file)
		}
	}
	return file
}
