package ogg

import (
	"encoding/binary"
	"slices"
	"testing"

	"vaak/audio/decode/decodetest"
)

func FuzzOgg(f *testing.F) {
	f.Add(decodetest.Encoded(f, 8000, 1, 4000, settings["voice"]...))
	f.Add(decodetest.Encoded(f, 48000, 2, 24000, settings["short"]...))
	f.Add(decodetest.Encoded(f, 48000, 6, 24000, settings["music"]...))
	f.Add(decodetest.Encoded(f, 16000, 1, 8000, "-c:a", "libopus", "-b:a", "16k", "-page_duration", "60000", "-f", "ogg"))
	f.Add(opusFile(opusHeader(3, 0, 0, 1, 1, 0, 0, 255, 0), []int64{960}, [][]byte{opusSilence}))
	f.Add(slices.Concat(madePage(flagBegins, 0, 9, 0, opusHeader(1, 312, 0, 0)), madePage(0, 0, 9, 1, opusComments),
		sealed(openEnded(madePage(0, -1, 9, 2, make([]byte, 510)))), madePage(flagContinued|flagEnds, 960, 9, 3, opusSilence)))
	f.Add(decodetest.Encoded(f, 16000, 1, 4000, "-c:a", "libspeex", "-f", "ogg"))
	f.Fuzz(func(t *testing.T, file []byte) {
		decodetest.Survive(t, direct, file)
		decodetest.Survive(t, direct, resealed(file))
	})
}

// resealed returns a file whose pages have the checksums and the numbers that they
// should, as far as its pages go, so that what is damaged is what they hold.
func resealed(file []byte) []byte {
	file = slices.Clone(file)
	number := uint32(0)
	for at := 0; at+pageHeaderSize <= len(file); number++ {
		length := pageHeaderSize + int(file[at+pageHeaderSize-1])
		if at+length > len(file) {
			break
		}
		for _, n := range file[at+pageHeaderSize : at+length] {
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
