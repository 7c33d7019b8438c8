package mp3

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
	"vaak/internal/fault"
)

// frameAt returns where the frame of a number begins in a file without tags.
func frameAt(t testing.TB, file []byte, n int) int {
	t.Helper()
	at := 0
	for range n {
		h, ok := parseHeader(file[at:])
		if !ok {
			t.Fatalf("no frame at byte %d", at)
		}
		at += h.size
	}
	return at
}

// bare returns an MP3 of a second without any tag.
func bare(t testing.TB, rate, channels int) []byte {
	t.Helper()
	return decodetest.Encoded(t, rate, channels, rate, "-c:a", "libmp3lame", "-b:a", "32k", "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3")
}

func id3v2(size int) []byte {
	n := size - 10
	return append([]byte{'I', 'D', '3', 4, 0, 0, byte(n >> 21 & 0x7F), byte(n >> 14 & 0x7F), byte(n >> 7 & 0x7F), byte(n & 0x7F)}, make([]byte, n)...)
}

func TestMP3Tags(t *testing.T) {
	t.Parallel()
	file := bare(t, 16000, 1)
	_, want, err := decodetest.Drain(t, direct, file, recording.Limits{}, 999)
	if err != nil {
		t.Fatal(err)
	}
	id3v1 := append([]byte("TAG"), make([]byte, 125)...)
	extended := append([]byte("TAG+"), make([]byte, 223)...)
	ape := append([]byte("APETAGEX\xd0\x07\x00\x00\x64\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xa0"), make([]byte, 8+68)...)
	footer := slices.Clone(ape[:32])
	footer[23] = 0x80
	ape = append(ape, footer...)
	lyrics := []byte("LYRICSBEGINsome words of a song000031LYRICS200")
	copy(lyrics[len(lyrics)-15:], fmt.Sprintf("%06d", len(lyrics)-15))
	for name, parts := range map[string][][]byte{
		"ID3v2":            {id3v2(1 << 20), file},
		"two of ID3v2":     {id3v2(300), id3v2(10), file},
		"ID3v1":            {file, id3v1},
		"extended ID3v1":   {file, extended, id3v1},
		"APE":              {file, ape},
		"all":              {id3v2(5000), file, ape, lyrics, id3v1},
		"little before":    {make([]byte, 1000), file},
		"little after":     {file, bytes.Repeat([]byte{7}, 1000)},
		"padding after it": {id3v2(100), make([]byte, 512), file},
	} {
		_, got, err := decodetest.Drain(t, direct, bytes.Join(parts, nil), recording.Limits{}, 999)
		if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
			t.Errorf("%s: %v, or other samples", name, err)
		}
	}
}

// reads counts the bytes that are read of a file.
type reads struct {
	*bytes.Reader
	n int
}

func (r *reads) ReadAt(b []byte, at int64) (int, error) {
	n, err := r.Reader.ReadAt(b, at)
	r.n += n
	return n, err
}

// TestMP3TagUnread opens a file behind a big tag, which is not read.
func TestMP3TagUnread(t *testing.T) {
	t.Parallel()
	src := &reads{Reader: bytes.NewReader(append(id3v2(maxTags), bare(t, 16000, 1)...))}
	s, err := direct(src, recording.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // never fails
	if most := 2 * bufferSize; src.n > most {
		t.Errorf("%d bytes are read to open a file with a tag of %d, want %d at most", src.n, maxTags, most)
	}
}

// TestMP3Cut reads a file from a frame on whose sound began in frames that are gone.
func TestMP3Cut(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{8000, 16000, 44100} {
		file := bare(t, rate, 2)
		_, whole, err := decodetest.Drain(t, direct, file, recording.Limits{}, 4096)
		if err != nil {
			t.Fatal(err)
		}
		h, _ := parseHeader(file)
		_, got, err := decodetest.Drain(t, direct, file[frameAt(t, file, 7):], recording.Limits{}, 4096)
		if want := len(whole[0]) - 7*h.samples; err != nil || len(got[0]) != want {
			t.Fatalf("%d Hz: %v, or other than %d samples", rate, err, want)
		}
		later := 12 * h.samples // by then the decoder has what it needs
		if r := decodetest.SNR(whole[1][later:], got[1][later-7*h.samples:]); r < 100 {
			t.Errorf("%d Hz: what follows is %.1f dB like the whole, want 100", rate, r)
		}
	}
}

func TestMP3Refused(t *testing.T) {
	t.Parallel()
	file, stereo, telephone := bare(t, 16000, 1), bare(t, 16000, 2), bare(t, 8000, 1)
	whole := decodetest.Encoded(t, 16000, 1, 16000, settings["constant"]...)
	ten := frameAt(t, file, 10)
	noise := bytes.Repeat([]byte{1, 2, 3}, 700)
	cut := func(b []byte, at int, with []byte) []byte {
		return slices.Concat(b[:at], with, b[at:])
	}
	tagged := func(frames uint32) []byte {
		b := slices.Clone(whole)
		at := bytes.Index(b, []byte("Info"))
		binary.BigEndian.PutUint32(b[at+8:], frames)
		return b
	}
	decodetest.WantRefusals(t, direct, []decodetest.Refusal{
		decodetest.Refused("empty", nil, recording.Limits{}, fault.Unprocessable, "holds no MP3 frame"),
		decodetest.Refused("only a tag", id3v2(2000), recording.Limits{}, fault.Unprocessable, "holds no MP3 frame"),
		decodetest.Refused("noise", noise, recording.Limits{}, fault.Unprocessable, "no MP3 frame from byte 0"),
		decodetest.Refused("zeros", make([]byte, 1<<20), recording.Limits{}, fault.Unprocessable, "no MP3 frame from byte 0"),
		decodetest.Refused("headers without frames", bytes.Repeat([]byte{0xFF}, 5000), recording.Limits{}, fault.Unprocessable, "no MP3 frame"),
		decodetest.Refused("noise before", append(slices.Clone(noise), file...), recording.Limits{}, fault.Unprocessable, "no MP3 frame from byte 0"),
		decodetest.Refused("noise between", cut(file, ten, noise), recording.Limits{}, fault.Unprocessable, fmt.Sprintf("no MP3 frame from byte %d on", ten)),
		decodetest.Refused("noise after", append(slices.Clone(file), noise...), recording.Limits{}, fault.Unprocessable, fmt.Sprintf("no MP3 frame from byte %d on", len(file))),
		decodetest.Refused("a little noise often", bytes.Join([][]byte{file, noise[:1000], file, noise[:1000], file, noise[:1000], file, noise[:1000], file, noise[:1000], file}, nil),
			recording.Limits{}, fault.Unprocessable, "no MP3 frame from byte"),
		decodetest.Refused("ends in a frame", file[:ten+100], recording.Limits{}, fault.Unprocessable, fmt.Sprintf("ends at byte %d in the middle of an MP3 frame: the one at byte %d", ten+100, ten)),
		decodetest.Refused("ends in a header", file[:ten+2], recording.Limits{}, fault.Unprocessable, fmt.Sprintf("the one at byte %d only 2 bytes", ten)),
		decodetest.Refused("becomes stereo", append(slices.Clone(file), stereo...), recording.Limits{}, fault.Unprocessable, fmt.Sprintf("changes at byte %d from 16000 Hz and 1 channels to 16000 Hz and 2 channels", len(file))),
		decodetest.Refused("changes its rate", append(slices.Clone(file), telephone...), recording.Limits{}, fault.Unprocessable, "to 8000 Hz"),
		decodetest.Refused("giant ID3", append(id3v2(maxTags+1), file...), recording.Limits{}, fault.TooLarge, "tags"),
		decodetest.Refused("ID3 longer than the file", id3v2(1 << 20)[:3000], recording.Limits{}, fault.Unprocessable, "ID3 tag of the MP3 ends at byte 1048576"),
		decodetest.Refused("too few frames", tagged(900), recording.Limits{}, fault.Unprocessable, "of 900 frames"),
		decodetest.Refused("too many frames", tagged(5), recording.Limits{}, fault.Unprocessable, "says that it has 5 frames"),
		decodetest.Refused("a lie of years", tagged(1<<31), recording.Limits{}, fault.TooLarge, "samples in a channel"),
	})
	if _, _, err := decodetest.Drain(t, direct, cut(file, ten, noise[:500]), recording.Limits{}, 1024); err != nil {
		t.Errorf("500 bytes between frames: %v, want none", err)
	}
}

func TestMP3RefusedKinds(t *testing.T) {
	t.Parallel()
	file, stereo := bare(t, 16000, 1), bare(t, 16000, 2)
	whole := decodetest.Encoded(t, 16000, 1, 16000, settings["constant"]...)
	free := slices.Clone(file)
	for at := 0; at < len(file); at += frameAt(t, file[at:], 1) {
		free[at+2] &= 0x0F
	}
	decodetest.WantRefusals(t, direct, []decodetest.Refusal{
		decodetest.Refused("layer II", decodetest.Encoded(t, 16000, 1, 16000, "-c:a", "mp2", "-f", "mp2"), recording.Limits{}, fault.Unsupported, "layer 2"),
		decodetest.Refused("free bit rate", free, recording.Limits{}, fault.Unsupported, "free bit rate"),
		decodetest.Refused("more than the limit", file, recording.Limits{Frames: 15000}, fault.TooLarge, "15000 samples"),
		decodetest.Refused("says more than the limit", whole, recording.Limits{Frames: 15000}, fault.TooLarge, "15000 samples"),
		decodetest.Refused("more channels", stereo, recording.Limits{Channels: 1}, fault.TooLarge, "channels"),
		decodetest.Refused("a higher rate", stereo, recording.Limits{SampleRate: 8000}, fault.TooLarge, "rate"),
	})
}

// TestMP3Truncated cuts a file that says its length at every place: whatever lacks
// two frames is refused, and so is what ends within one.
func TestMP3Truncated(t *testing.T) {
	t.Parallel()
	file := decodetest.Encoded(t, 8000, 1, 8000, settings["constant"]...)
	starts := map[int]int{} // of frames, their number
	tag := int(recording.ID3Length(file))
	for at := tag; at < len(file); at += frameAt(t, file[at:], 1) {
		starts[at] = len(starts)
	}
	starts[len(file)] = len(starts)
	for n := 0; n <= len(file); n += 1 + n%5 {
		_, _, err := decodetest.Drain(t, direct, file[:n], recording.Limits{}, 4096)
		number, whole := starts[n]
		if want := whole && number >= len(starts)-2; want != (err == nil) {
			t.Errorf("the first %d of %d bytes: %v, want an error %v", n, len(file), err, !want)
		} else if err != nil {
			decodetest.WantFault(t, fmt.Sprint("the first ", n), err, fault.Unprocessable, "")
		}
	}
}

// TestMP3Flipped damages bytes: the end is sound, silence or a refusal.
func TestMP3Flipped(t *testing.T) {
	t.Parallel()
	file := decodetest.Encoded(t, 22050, 2, 11025, settings["variable"]...)
	for at := 0; at < len(file); at += 13 {
		b := slices.Clone(file)
		b[at] ^= byte(1 << (at % 8))
		_, got, err := decodetest.Drain(t, direct, b, recording.Limits{Frames: 22050}, 4096)
		if err != nil && fault.KindOf(err) == fault.Internal {
			t.Errorf("byte %d: %v", at, err)
		}
		for _, p := range got {
			if len(p) > 22050 {
				t.Errorf("byte %d: %d samples, more than the limit", at, len(p))
			}
		}
	}
}

// TestMP3Quiet decodes damaged files in a process of its own, since the library
// would write to the standard error of the process.
func TestMP3Quiet(t *testing.T) {
	t.Parallel()
	if os.Getenv("DECODE_MP3_QUIET") != "" {
		file := bare(t, 16000, 2)
		for at := 0; at < len(file); at += 5 {
			b := slices.Clone(file)
			b[at] ^= 0xFF
			_, _, _ = decodetest.Drain(t, direct, b, recording.Limits{}, 4096)
			_, _, _ = decodetest.Drain(t, direct, b[at:], recording.Limits{}, 4096)
		}
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMP3Quiet$")
	cmd.Env = append(os.Environ(), "DECODE_MP3_QUIET=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	if out, err := cmd.Output(); err != nil || said.Len() > 0 {
		t.Errorf("%v: %s; on standard error: %q, want nothing", err, out, &said)
	}
}
