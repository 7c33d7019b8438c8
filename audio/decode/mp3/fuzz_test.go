package mp3

import (
	"slices"
	"testing"

	"vaak/audio/decode/decodetest"
)

func FuzzMP3(f *testing.F) {
	for _, channels := range []int{1, 2} {
		f.Add(bare(f, 8000, channels)[:720])
		f.Add(decodetest.Encoded(f, 22050, channels, 1500, settings["variable"]...))
		f.Add(decodetest.Encoded(f, 44100, channels, 3000, settings["constant"]...))
	}
	f.Add(append(id3v2(100), decodetest.Encoded(f, 16000, 1, 2000, "-c:a", "libmp3lame", "-b:a", "24k", "-write_id3v1", "1", "-f", "mp3")...))
	f.Fuzz(func(t *testing.T, file []byte) {
		before := openHandles(t)
		decodetest.Survive(t, direct, file)
		decodetest.Survive(t, direct, mended(file))
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
	h, ok := parseHeader(file)
	if !ok || !h.frame() {
		return file
	}
	file = slices.Clone(file)
	for at := h.size; at+headerSize <= len(file); at += h.size {
		if next, ok := parseHeader(file[at:]); ok && next.frame() && next.like(h) {
			h = next
		} else {
			copy(file[at:], file[:headerSize])
			h, _ = parseHeader(file)
		}
	}
	return file
}
