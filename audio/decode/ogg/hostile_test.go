package ogg

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
	"vaak/internal/fault"
)

// pagesOf returns the pages of a file that is sound.
func pagesOf(t testing.TB, file []byte) (parts [][]byte) {
	t.Helper()
	pages := newPageReader(bytes.NewReader(file), int64(len(file)))
	var page rawPage
	for pages.at < int64(len(file)) {
		at := pages.at
		if err := pages.next(&page); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, slices.Clone(file[at:pages.at]))
	}
	return parts
}

// sealed sets the checksum of a page.
func sealed(page []byte) []byte {
	binary.LittleEndian.PutUint32(page[checksumAt:], checksum(page))
	return page
}

// madePage returns a page of packets that all end in it.
func madePage(flags byte, granule int64, serial, sequence uint32, packets ...[]byte) []byte {
	le := binary.LittleEndian
	page := append([]byte("OggS\x00"), flags)
	page = le.AppendUint64(page, uint64(granule))
	page = le.AppendUint32(page, serial)
	page = le.AppendUint32(page, sequence)
	var table, body []byte
	for _, p := range packets {
		for n := len(p); ; n -= 255 {
			table = append(table, byte(min(n, 255)))
			if n < 255 {
				break
			}
		}
		body = append(body, p...)
	}
	page = append(page, 0, 0, 0, 0, byte(len(table)))
	return sealed(append(append(page, table...), body...))
}

func opusHeader(channels byte, skip uint16, gain int16, family byte, mapping ...byte) []byte {
	b := append([]byte("OpusHead\x01"), channels)
	b = binary.LittleEndian.AppendUint16(b, skip)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(gain))
	return append(append(b, family), mapping...)
}

var opusComments = []byte("OpusTags\x00\x00\x00\x00\x00\x00\x00\x00")

// opusFile returns a file with a header, and pages of sound, each of the packets
// that it is given, the last one said to be so.
func opusFile(header []byte, granules []int64, packets ...[][]byte) []byte {
	file := slices.Concat(madePage(flagBegins, 0, 9, 0, header), madePage(0, 0, 9, 1, opusComments))
	for i, p := range packets {
		flags := byte(0)
		if i == len(packets)-1 {
			flags = flagEnds
		}
		file = append(file, madePage(flags, granules[i], 9, uint32(i+2), p...)...)
	}
	return file
}

// opusSilence is a packet of 20 ms in which nothing is coded.
var opusSilence = []byte{31 << 3, 0xFF, 0xFE}

func TestOggGranules(t *testing.T) {
	t.Parallel()
	mono := opusHeader(1, 312, 0, 0)
	two, three := [][]byte{opusSilence, opusSilence}, [][]byte{opusSilence, opusSilence, opusSilence}
	for _, tt := range []struct {
		name     string
		granules []int64
		want     int64  // samples
		words    string // of the error
	}{
		{"the sum", []int64{1920, 4800}, 4800 - 312, ""},
		{"cut", []int64{1920, 4000}, 4000 - 312, ""},
		{"a page cut off", []int64{1920, 1920}, 1920 - 312, ""},
		{"more cut off", []int64{1920, 1919}, 0, "ends at sample 1919 where its packets end at 4800"},
		{"before the sound", []int64{1920, 100}, 0, "before its sound begins"},
		{"begins later", []int64{101920, 104800}, 4800 - 312, ""},
		{"begins later and is cut", []int64{101920, 104000}, 4000 - 312, ""},
		{"begins before zero", []int64{900, 4800}, 0, "has 1920 samples and ends at sample 900"},
		{"rounded", []int64{1904, 4784}, 4784 - 312, ""},
		{"a lie", []int64{1920, 4800 + 961}, 0, "where its packets end at 4800"},
		{"a big lie", []int64{1920, 1<<63 - 1}, 0, "have"},
		{"a big beginning", []int64{1 << 62, 1<<62 + 2880}, 4800 - 312, ""},
		{"negative", []int64{-2, 4800}, 0, "position -2"},
		{"none", []int64{-1, 4800}, 0, "position -1"},
	} {
		file := opusFile(mono, tt.granules, two, three)
		info, got, err := decodetest.Drain(t, direct, file, recording.Limits{}, 999)
		if tt.words != "" {
			if fault.KindOf(err) == fault.TooLarge {
				decodetest.WantFault(t, tt.name, err, fault.TooLarge, tt.words)
			} else {
				decodetest.WantFault(t, tt.name, err, fault.Unprocessable, tt.words)
			}
			continue
		}
		if err != nil || info.Frames != tt.want || int64(len(got[0])) != tt.want {
			t.Errorf("%s: %d samples said, %v, want %d and as many", tt.name, info.Frames, err, tt.want)
		}
	}
}

// TestOggGain compares a gain of 6.02 dB with none.
func TestOggGain(t *testing.T) {
	t.Parallel()
	parts := pagesOf(t, decodetest.Encoded(t, 16000, 1, 16000, settings["voice"]...))
	_, plain, err := decodetest.Drain(t, direct, bytes.Join(parts, nil), recording.Limits{}, 4096)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint16(parts[0][pageHeaderSize+1+16:], 1541)
	sealed(parts[0])
	_, loud, err := decodetest.Drain(t, direct, bytes.Join(parts, nil), recording.Limits{}, 4096)
	if err != nil {
		t.Fatal(err)
	}
	for i := range plain[0] {
		plain[0][i] *= 2
	}
	if r := decodetest.SNR(plain[0], loud[0]); r < 60 {
		t.Errorf("twice the sound and that of a gain of 6.02 dB are %.1f dB apart, want 60", r)
	}
}

func TestOggRefused(t *testing.T) {
	t.Parallel()
	mono := opusHeader(1, 312, 0, 0)
	packet := [][]byte{opusSilence, opusSilence}
	one := func(header []byte, packets ...[]byte) []byte { return opusFile(header, []int64{1920}, packets) }
	sound := decodetest.Encoded(t, 16000, 1, 16000, settings["voice"]...)
	parts := pagesOf(t, sound)
	change := func(i int, how func(page []byte)) []byte {
		changed := slices.Clone(parts)
		changed[i] = slices.Clone(parts[i])
		how(changed[i])
		sealed(changed[i])
		return bytes.Join(changed, nil)
	}
	decodetest.WantRefusals(t, direct, []decodetest.Refusal{
		decodetest.Refused("only headers", slices.Concat(parts[0]), recording.Limits{}, fault.Unprocessable, "within the headers"),
		decodetest.Refused("Vorbis", decodetest.Encoded(t, 16000, 1, 8000, "-c:a", "libvorbis", "-f", "ogg"), recording.Limits{}, fault.Unsupported, "Vorbis; of Ogg files only Opus is read: convert"),
		decodetest.Refused("FLAC", decodetest.Encoded(t, 16000, 1, 8000, "-c:a", "flac", "-f", "ogg"), recording.Limits{}, fault.Unsupported, "FLAC"),
		decodetest.Refused("Speex", decodetest.Encoded(t, 16000, 1, 8000, "-c:a", "libspeex", "-f", "ogg"), recording.Limits{}, fault.Unsupported, "Speex"),
		decodetest.Refused("chained", slices.Concat(sound, sound), recording.Limits{}, fault.Unsupported, "a second recording begins"),
		decodetest.Refused("multiplexed", slices.Concat(parts[0], madePage(flagBegins, 0, 77, 0, []byte("\x01vorbis...")), bytes.Join(parts[1:], nil)),
			recording.Limits{}, fault.Unsupported, "more than one stream: Vorbis"),
		decodetest.Refused("a page of another stream", change(3, func(p []byte) { p[14]++ }), recording.Limits{}, fault.Unsupported, "more than one stream"),
		decodetest.Refused("a page missing", slices.Concat(parts[0], parts[1], bytes.Join(parts[3:], nil)), recording.Limits{}, fault.Unprocessable, "pages are missing"),
		decodetest.Refused("damaged", slices.Concat(sound[:len(sound)-5], []byte{0}, sound[len(sound)-4:]), recording.Limits{}, fault.Unprocessable, "checksum"),
		decodetest.Refused("bytes after", slices.Concat(sound, make([]byte, 128)), recording.Limits{}, fault.Unprocessable, "no Ogg page at byte"),
		decodetest.Refused("pages after", slices.Concat(sound, madePage(0, 1920, binary.LittleEndian.Uint32(sound[14:]), uint32(len(parts)), packet...)), recording.Limits{}, fault.Unprocessable, "goes on"),
		decodetest.Refused("no beginning", change(0, func(p []byte) { p[5] = 0 }), recording.Limits{}, fault.Unprocessable, "not the first"),
		decodetest.Refused("a packet of nothing", one(mono, opusSilence, nil), recording.Limits{}, fault.Unprocessable, "has 0 bytes and no length"),
		decodetest.Refused("a packet of no frames", one(mono, opusSilence, []byte{31<<3 | 3, 0}), recording.Limits{}, fault.Unprocessable, "no length"),
		decodetest.Refused("a packet of 140 ms", one(mono, []byte{31<<3 | 3, 7, 1, 1, 1, 1, 1, 1, 1}), recording.Limits{}, fault.Unprocessable, "no length of 2.5 to 120 ms"),
		decodetest.Refused("a packet that lies", one(mono, opusSilence, []byte{31<<3 | 1, 1, 2, 3}), recording.Limits{}, fault.Unprocessable, "cannot be decoded"),
		decodetest.Refused("a giant packet", one(mono, make([]byte, 64000)), recording.Limits{}, fault.Unprocessable, ""),
		decodetest.Refused("continues nothing", change(2, func(p []byte) { p[5] |= flagContinued }), recording.Limits{}, fault.Unprocessable, "disagree"),
		decodetest.Refused("too long", sound, recording.Limits{Frames: 47999}, fault.TooLarge, "47999"),
	})
}

func TestOggRefusedHeaders(t *testing.T) {
	t.Parallel()
	mono, stereo := opusHeader(1, 312, 0, 0), opusHeader(2, 312, 0, 0)
	packet := [][]byte{opusSilence, opusSilence}
	one := func(header []byte, packets ...[]byte) []byte { return opusFile(header, []int64{1920}, packets) }
	version := func(v byte) []byte {
		b := slices.Clone(mono)
		b[8] = v
		return one(b, packet...)
	}
	huge := [][]byte{madePage(flagBegins, 0, 9, 0, mono)}
	for i := range opusMaxTags/maxBody + 1 {
		page := openEnded(madePage(flagContinued, -1, 9, uint32(i+1), make([]byte, maxBody)))
		if i == 0 {
			page[5] = 0
			copy(page[pageHeaderSize+maxTable:], opusComments)
		}
		huge = append(huge, sealed(page))
	}
	decodetest.WantRefusals(t, direct, []decodetest.Refusal{
		decodetest.Refused("version 0", version(0), recording.Limits{}, fault.Unsupported, "version 0"),
		decodetest.Refused("version 16", version(16), recording.Limits{}, fault.Unsupported, "version 16"),
		decodetest.Refused("short header", one(mono[:18], packet...), recording.Limits{}, fault.Unprocessable, "18 bytes"),
		decodetest.Refused("no channels", one(opusHeader(0, 0, 0, 0), packet...), recording.Limits{}, fault.Unprocessable, "no channels"),
		decodetest.Refused("three in family 0", one(opusHeader(3, 0, 0, 0), packet...), recording.Limits{}, fault.Unprocessable, "family 0"),
		decodetest.Refused("nine in family 1", one(opusHeader(9, 0, 0, 1, make([]byte, 11)...), packet...), recording.Limits{}, fault.Unprocessable, "family 1"),
		decodetest.Refused("family 255", one(opusHeader(2, 0, 0, 255, 2, 0, 0, 1), packet...), recording.Limits{}, fault.Unsupported, "family 255"),
		decodetest.Refused("no mapping", one(opusHeader(2, 0, 0, 1, 1, 1), packet...), recording.Limits{}, fault.Unprocessable, "mapped"),
		decodetest.Refused("bad mapping", one(opusHeader(2, 0, 0, 1, 1, 1, 0, 2), packet...), recording.Limits{}, fault.Unprocessable, "mapped to 2"),
		decodetest.Refused("bad streams", one(opusHeader(2, 0, 0, 1, 0, 0, 0, 0), packet...), recording.Limits{}, fault.Unprocessable, "0 streams"),
		decodetest.Refused("bad pairs", one(opusHeader(2, 0, 0, 1, 1, 2, 0, 1), packet...), recording.Limits{}, fault.Unprocessable, "2 of them"),
		decodetest.Refused("more channels than allowed", one(stereo, packet...), recording.Limits{Channels: 1}, fault.TooLarge, "channels"),
		decodetest.Refused("two packets on the first page", slices.Concat(madePage(flagBegins, 0, 9, 0, mono, mono)), recording.Limits{}, fault.Unprocessable, "besides the header"),
		decodetest.Refused("no comments", slices.Concat(madePage(flagBegins, 0, 9, 0, mono), madePage(0, 960, 9, 1, opusSilence)), recording.Limits{}, fault.Unprocessable, "comments"),
		decodetest.Refused("sound beside comments", slices.Concat(madePage(flagBegins, 0, 9, 0, mono), madePage(0, 960, 9, 1, opusComments, opusSilence)), recording.Limits{}, fault.Unprocessable, "besides the comments"),
		decodetest.Refused("huge comments", bytes.Join(huge, nil), recording.Limits{}, fault.TooLarge, "comments"),
		decodetest.Refused("comments without end", bytes.Join(huge[:20], nil), recording.Limits{}, fault.Unprocessable, "within the headers"),
	})
}

// TestOggAccepted reads what is unusual and sound.
func TestOggAccepted(t *testing.T) {
	t.Parallel()
	sound := decodetest.Encoded(t, 16000, 1, 16000, settings["voice"]...)
	parts := pagesOf(t, sound)
	last := parts[len(parts)-1]
	last[5] &^= flagEnds
	sealed(last)
	// One frame, and padding of 200 times 254 bytes and one, which takes a page and more.
	big := slices.Concat([]byte{31<<3 | 3, 0x40 | 1}, bytes.Repeat([]byte{255}, 200), []byte{1, 0xFF, 0xFE}, make([]byte, 200*254+1))
	spread := slices.Concat(madePage(flagBegins, 0, 9, 0, opusHeader(1, 312, 0, 0)), madePage(0, 0, 9, 1, opusComments),
		sealed(openEnded(madePage(0, -1, 9, 2, big[:255*100]))), madePage(flagContinued|flagEnds, 1920, 9, 3, big[255*100:], opusSilence))
	again := slices.Concat(madePage(flagBegins, 0, 9, 0, opusHeader(1, 312, 0, 0)), madePage(0, 0, 9, 1, opusComments),
		sealed(openEnded(madePage(0, -1, 9, 2, big[:255*100]))), madePage(flagContinued, 960, 9, 3, big[255*100:]),
		sealed(openEnded(madePage(0, -1, 9, 4, big[:255*150]))), sealed(openEnded(madePage(flagContinued, -1, 9, 5, big[255*150:255*170]))),
		madePage(flagContinued|flagEnds, 2880, 9, 6, big[255*170:], opusSilence))
	for name, tt := range map[string]struct {
		file []byte
		want int
	}{
		"the last page not marked":          {bytes.Join(parts, nil), 48000},
		"no sound":                          {slices.Concat(madePage(flagBegins, 0, 9, 0, opusHeader(1, 312, 0, 0)), madePage(0, 0, 9, 1, opusComments)), 0},
		"silent channels":                   {opusFile(opusHeader(3, 0, 0, 1, 1, 0, 0, 255, 0), []int64{960}, [][]byte{opusSilence}), 960},
		"a packet of two pages":             {spread, 1920 - 312},
		"packets of two pages and of three": {again, 2880 - 312},
		"only an end":                       {opusFile(opusHeader(1, 312, 0, 0), []int64{500}, [][]byte{opusSilence}), 188},
	} {
		_, got, err := decodetest.Drain(t, direct, tt.file, recording.Limits{}, 1024)
		if err != nil || len(got[0]) != tt.want {
			t.Errorf("%s: %v, or not %d samples", name, err, tt.want)
		}
	}
}

// openEnded makes the last packet of a page, a multiple of 255 bytes long, go on.
func openEnded(page []byte) []byte {
	page[pageHeaderSize-1]-- // 256 segments are written as none
	table := int(page[pageHeaderSize-1]) + 1
	return slices.Delete(page, pageHeaderSize+table-1, pageHeaderSize+table)
}

// TestOggTruncated cuts a file at every place; only between pages of sound may it
// end, of which the last is then a whole one.
func TestOggTruncated(t *testing.T) {
	t.Parallel()
	file := decodetest.Encoded(t, 8000, 1, 24000, "-c:a", "libopus", "-b:a", "8k", "-page_duration", "200000", "-f", "ogg")
	whole := map[int]bool{}
	at := 0
	for i, p := range pagesOf(t, file) {
		if at += len(p); i >= 1 {
			whole[at] = true
		}
	}
	for n := 0; n <= len(file); n++ {
		if n%29 != 0 && !whole[n] && !whole[n-1] && !whole[n+1] {
			continue
		}
		_, _, err := decodetest.Drain(t, direct, file[:n], recording.Limits{}, 4096)
		if whole[n] != (err == nil) {
			t.Errorf("the first %d of %d bytes: %v, want an error %v", n, len(file), err, !whole[n])
		} else if err != nil {
			decodetest.WantFault(t, fmt.Sprint("the first ", n), err, fault.Unprocessable, "")
		}
	}
}

// TestOggFlipped damages single bytes: the checksums tell of each.
func TestOggFlipped(t *testing.T) {
	t.Parallel()
	file := decodetest.Encoded(t, 8000, 1, 8000, "-c:a", "libopus", "-b:a", "8k", "-f", "ogg")
	for at := range file {
		b := slices.Clone(file)
		b[at] ^= byte(1 << (at % 8))
		_, _, err := decodetest.Drain(t, direct, b, recording.Limits{}, 4096)
		if kind := fault.KindOf(err); kind == fault.Internal || kind == "" {
			t.Errorf("byte %d damaged: %v, want a *fault.Error", at, err)
		}
	}
}
