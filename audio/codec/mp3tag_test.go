package codec

import (
	"encoding/binary"
	"testing"

	"vaak/audio"
	"vaak/audio/audiotest"
)

func TestCRC16(t *testing.T) {
	t.Parallel()
	// The check value of CRC-16/ARC in the catalogue of G. Cook.
	if got := crc16(0, []byte("123456789")); got != 0xBB3D {
		t.Errorf("crc16 = %#x, want 0xbb3d", got)
	}
}

// TestLengthyMP3Tag reads the tag of whole files back, at bit rates with and without
// room for it in a frame of the audio.
func TestLengthyMP3Tag(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes of sound")
	}
	t.Parallel()
	for _, rate := range audio.SampleRates {
		for _, kbps := range mp3Standard(rate) {
			pcm := audiotest.Speech(rate, 3*rate/10)
			f := audio.Format{Codec: audio.MP3, SampleRate: rate, BitrateKbps: kbps}
			file := encode(t, f, File, pcm).all()
			stream := encode(t, f, Stream, pcm).all()
			tag := newMP3Tag(rate, kbps)
			if string(file[tag.size:]) != string(stream) {
				t.Errorf("%+v: what follows the tag is not the stream", f)
				continue
			}
			be, frame := binary.BigEndian, mp3FrameSamples(rate)
			info := file[tag.offset():]
			lame := info[mp3TagInfo:]
			frames, bytes := int(be.Uint32(info[8:])), int(be.Uint32(info[12:]))
			delay, padding := int(lame[21])<<4|int(lame[22])>>4, int(lame[22])&15<<8|int(lame[23])
			if string(info[:4]) != "Info" || string(lame[:4]) != "LAME" || bytes != len(file) {
				t.Errorf("%+v: %q and %q of %d bytes, want Info, LAME and %d", f, info[:4], lame[:4], bytes, len(file))
			}
			if got := frames*frame - delay - padding; got != len(pcm) || delay != 576 {
				t.Errorf("%+v: %d frames less %d and %d samples are %d, want %d", f, frames, delay, padding, got, len(pcm))
			}
			if got := crc16(0, stream); be.Uint16(lame[32:]) != got {
				t.Errorf("%+v: checksum of the audio %#x, want %#x", f, be.Uint16(lame[32:]), got)
			}
		}
	}
}

func TestMP3Nearest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rate, kbps, want int }{
		{24000, 128, 128}, {24000, 100, 96}, {24000, 105, 112}, {24000, 36, 32}, {24000, 8, 8},
		{8000, 63, 64}, {48000, 144, 128}, {48000, 145, 160}, {48000, 320, 320}, {44100, 33, 32},
	} {
		if got := mp3Bitrates(tt.rate).nearest(tt.kbps); got != tt.want {
			t.Errorf("mp3Bitrates(%d).nearest(%d) = %d, want %d", tt.rate, tt.kbps, got, tt.want)
		}
	}
}
