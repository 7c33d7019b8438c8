package decode

import (
	"encoding/binary"
	"slices"
	"testing"
)

func FuzzOgg(f *testing.F) {
	f.Add(encoded(f, 8000, 1, 4000, opusWays["voice"]...))
	f.Add(encoded(f, 48000, 2, 24000, opusWays["short"]...))
	f.Add(encoded(f, 48000, 6, 24000, opusWays["music"]...))
	f.Add(encoded(f, 16000, 1, 8000, "-c:a", "libopus", "-b:a", "16k", "-page_duration", "60000", "-f", "ogg"))
	f.Add(opusFile(opusHeader(3, 0, 0, 1, 1, 0, 0, 255, 0), []int64{960}, [][]byte{opusSilence}))
	f.Add(slices.Concat(oggMade(oggBegins, 0, 9, 0, opusHeader(1, 312, 0, 0)), oggMade(0, 0, 9, 1, opusComments),
		sealed(oggOpen(oggMade(0, -1, 9, 2, make([]byte, 510)))), oggMade(oggContinued|oggEnds, 960, 9, 3, opusSilence)))
	f.Add(encoded(f, 16000, 1, 4000, "-c:a", "libspeex", "-f", "ogg"))
	f.Fuzz(func(t *testing.T, file []byte) {
		survive(t, openOgg, file)
		survive(t, openOgg, resealed(file))
	})
}

// resealed returns a file whose pages have the checksums and the numbers that they
// should, as far as its pages go, so that what is damaged is what they hold.
func resealed(file []byte) []byte {
	file = slices.Clone(file)
	number := uint32(0)
	for at := 0; at+oggHeaderSize <= len(file); number++ {
		length := oggHeaderSize + int(file[at+oggHeaderSize-1])
		if at+length > len(file) {
			break
		}
		for _, n := range file[at+oggHeaderSize : at+length] {
			length += int(n)
		}
		if at+length > len(file) {
			break
		}
		binary.LittleEndian.PutUint32(file[at+18:], number)
		sealed(file[at : at+length])
		at += length
	}
	return file
}
