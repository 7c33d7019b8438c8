package codec

import (
	"encoding/binary"
	"time"

	"vaak/audio"
)

// opusPacket is the duration of a packet in a stream.
const opusPacket = 20 * time.Millisecond

// opusRate is the rate of Opus on the wire and of its granule positions, in Hz.
const opusRate = 48000

// Settings of libopus, chosen by measuring libopus 1.3.1 on 24 s of synthetic English and
// Hindi at 24,000 Hz and 64 kbit/s: CPU time on one core, and SNR and LSD (log-spectral
// distance in bands of 400 Hz) of the decoded signal.
//
//	complexity  10    6, 5  4, 3  1     0
//	us/audio-s  3749  2693  1877  1679  1308
//	SNR, dB     21.9  21.6  20.4  20.3  22.1
//	LSD, dB     1.84  1.89  1.86  1.94  2.43
//
// Complexity 5 is the last step that is worth its time: it turns on the pitch filter, which
// gains 1.2 dB in speech. The signal analysis from 7 on gains 0.3 dB. Complexity 0 drops what
// keeps consonants crisp, which LSD shows and SNR does not.
//
// Constrained VBR stays within 3 % of the bit rate from 16 to 256 kbit/s and within 7 % at 6,
// at every sample rate. Unconstrained VBR exceeds it by a third, because voiced speech is
// expensive. CBR gains 0.2 dB and spends the bytes for that on silence.
//
// The application is RESTRICTED_LOWDELAY, which uses CELT only. AUDIO is the same from
// 20 kbit/s on, with 4 ms more delay. Below that it uses the speech modes of libopus, which
// sound fuller there (LSD 4.5 instead of 6.0 at 16 kbit/s), but miss the bit rate by -22 % to
// +10 % and take 3 to 4 times the CPU. VOIP uses the speech modes up to 64 kbit/s and changes
// the sound on purpose: its output correlates 0.89 with the source, that of CELT 0.997.
const (
	opusApplication = opusRestrictedLowdelay
	opusComplexity  = 5
	opusLeastKbps   = 6   // for less than this the library makes 5
	opusMostKbps    = 256 // for more than 260 the library makes 260
)

// opusSerial is the serial number of every stream. It is constant, so that identical requests
// give identical bytes. Only chained files would need distinct numbers.
const opusSerial = 0x6b616156

// Pages end after a fixed number of packets of 20 ms, never where a block of input ends, so the
// bytes depend on the samples only. In a stream the first 5 packets have a page each, so the
// first sound is sent after 20 ms of samples. Then a page has 5 packets: page headers are 4 %
// of the bytes at 64 kbit/s then, and would be 17 % with a page per packet. At most 80 ms of
// complete packets are held back, and none when the input comes in multiples of 100 ms. A
// file has pages of one second, as those of ffmpeg and opusenc.
const (
	opusStreamPage = 5
	opusFilePage   = 50
)

// opus writes packets of 20 ms into Ogg (RFC 7845).
type opus struct {
	enc  *libopusEncoder
	ogg  *oggStream
	rate int // Hz of the original, for the header
	mode Mode

	filled  int   // samples in the unfinished frame
	samples int64 // received so far
	packets int64 // made so far
}

func opusEncoder() (encoder, bool) {
	lib, err := loadLibopus()
	if err != nil {
		return encoder{}, false
	}
	return encoder{codec: audio.Opus,
		rate:        opusInputRate,
		kbps:        func(int) bitrates { return bitrates{span: opusBitrates} },
		requestable: opusBitrates,
		// A page, and the overlap of the transform with the next packet (RFC 6716, 2.5 ms
		// lookahead and 2.5 ms delay compensation).
		lag:  func(audio.Format) time.Duration { return opusStreamPage*opusPacket + 5*time.Millisecond },
		open: func(f audio.Format, mode Mode) (coder, error) { return openOpus(lib, f, mode) }}, true
}

// opusBitrates are possible at every sample rate.
var opusBitrates = span{least: opusLeastKbps, most: opusMostKbps}

// opusInputRate returns the lowest rate of libopus that is not below a sample rate.
func opusInputRate(sampleRate int) int {
	for _, rate := range []int{8000, 16000, 24000} {
		if sampleRate <= rate {
			return rate
		}
	}
	return opusRate
}

func openOpus(lib *libopus, f audio.Format, mode Mode) (coder, error) {
	enc, err := lib.open(opusInputRate(f.SampleRate), opusApplication,
		[2]int32{opusSetBitrate, int32(f.BitrateKbps) * 1000},
		[2]int32{opusSetComplexity, opusComplexity},
		[2]int32{opusSetVBR, 1},
		[2]int32{opusSetVBRConstraint, 1})
	if err != nil {
		return nil, err
	}
	return &opus{enc: enc, ogg: newOggStream(opusSerial), rate: f.SampleRate, mode: mode}, nil
}

func (o *opus) encode(dst []byte, samples []int16) ([]byte, error) {
	o.samples += int64(len(samples))
	for len(samples) > 0 {
		n := copy(o.enc.frame[o.filled:o.enc.samples], samples)
		samples = samples[n:]
		if o.filled += n; o.filled < o.enc.samples {
			break
		}
		var err error
		if dst, err = o.packet(dst, o.packetEnd()); err != nil {
			return dst, err
		}
		if o.pageEnds() {
			dst = o.ogg.flush(dst)
		}
	}
	return dst, nil
}

// finish pads with silence until a decoder has returned all samples. The last granule position
// tells where they end. Because of the lookahead at least one packet is still to be made,
// so the last page is never empty.
func (o *opus) finish(dst []byte) ([]byte, error) {
	total := o.samples + int64(o.enc.lookahead)
	for {
		clear(o.enc.frame[o.filled:o.enc.samples])
		// The last granule position may lie inside the packet: players cut it there (RFC 7845,
		// 4.4).
		end := min(o.packetEnd(), o.wire(total))
		var err error
		if dst, err = o.packet(dst, end); err != nil {
			return dst, err
		}
		if end == o.wire(total) {
			return o.ogg.end(dst), nil
		}
	}
}

func (o *opus) free() { o.enc.free() }

// packet encodes the frame as a packet that ends at a granule position, and appends the pages
// that are full. The headers come before the first packet.
func (o *opus) packet(dst []byte, end int64) ([]byte, error) {
	packet, err := o.enc.encode()
	if err != nil {
		return dst, err
	}
	// The headers wait for the first packet, so that they are sent together with sound.
	if o.packets == 0 {
		dst = o.ogg.flush(o.ogg.packet(dst, o.head(), 0))
		dst = o.ogg.flush(o.ogg.packet(dst, o.tags(), 0))
	}
	o.packets++
	o.filled = 0
	return o.ogg.packet(dst, packet, end), nil
}

// packetEnd returns the granule position at the end of the next packet.
func (o *opus) packetEnd() int64 { return o.wire((o.packets + 1) * int64(o.enc.samples)) }

// pageEnds reports whether the page ends after the last packet.
func (o *opus) pageEnds() bool {
	if o.mode != Stream {
		return o.packets%opusFilePage == 0
	}
	return o.packets < opusStreamPage || o.packets%opusStreamPage == 0
}

// wire converts a number of samples at the encoder's rate to 48,000 Hz.
func (o *opus) wire(samples int64) int64 {
	return samples * (opusRate / opusFramesPerSecond) / int64(o.enc.samples)
}

// head returns the identification header (RFC 7845, section 5.1).
func (o *opus) head() []byte {
	le := binary.LittleEndian
	b := append([]byte("OpusHead"), 1, opusChannels)
	b = le.AppendUint16(b, uint16(o.wire(int64(o.enc.lookahead)))) // pre-skip
	b = le.AppendUint32(b, uint32(o.rate))
	b = le.AppendUint16(b, 0) // gain
	return append(b, 0)       // channel mapping family
}

// tags returns the comment header (RFC 7845, section 5.2), with the vendor and no comments.
func (o *opus) tags() []byte {
	le, vendor := binary.LittleEndian, o.enc.lib.version()
	b := le.AppendUint32([]byte("OpusTags"), uint32(len(vendor)))
	return le.AppendUint32(append(b, vendor...), 0)
}
