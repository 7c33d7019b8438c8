package codec

import (
	"encoding/binary"

	"vaak/audio"
)

// opusRate is the rate of Opus on the wire and of its granule positions, in Hz.
const opusRate = 48000

// Settings of libopus, chosen by measuring libopus 1.3.1 on 24 s of synthetic
// English and Hindi at 24,000 Hz and 64 kbit/s, CPU time of one core. SNR and LSD
// (log-spectral distance in bands of 400 Hz) are those of the decoded signal.
//
//	complexity  10    6, 5  4, 3  1     0
//	us/audio-s  3749  2693  1877  1679  1308
//	SNR, dB     21.9  21.6  20.4  20.3  22.1
//	LSD, dB     1.84  1.89  1.86  1.94  2.43
//
// Complexity 5 is the last step that pays: it turns on the pitch filter, worth
// 1.2 dB in speech. The analysis of the signal from 7 on is worth 0.3 dB; 0 drops
// what keeps consonants crisp, which SNR does not see and LSD does.
//
// Constrained VBR is within 3 % of the bit rate from 16 to 256 kbit/s and within
// 7 % at 6, at every rate. Free VBR is a third above it, since voiced speech is
// its expensive case; CBR gains 0.2 dB for the bytes that it spends on silence.
//
// The application is RESTRICTED_LOWDELAY, which is CELT alone. AUDIO is the same
// from 20 kbit/s on but for 4 ms of delay; below, it takes the speech modes of
// libopus, which sound fuller there (LSD 4.5 against 6.0 at 16 kbit/s), but make
// up to 22 % less or 10 % more than the bit rate and cost 3 to 4 times the CPU.
// VOIP, which takes them up to 64 kbit/s, shapes the sound on purpose: there its
// output correlates 0.89 with the source, that of CELT 0.997.
const (
	opusApplication = opusRestrictedLowdelay
	opusComplexity  = 5
	opusLeastKbps   = 6   // below, the library makes 5
	opusMostKbps    = 256 // from 260 on, the library makes no more
	opusUsualKbps   = 64
)

// opusSerial is the serial number of each stream: fixed, so that identical
// requests give identical bytes. Files that are chained need distinct ones.
const opusSerial = 0x6b616156

// Pages end at fixed packets of 20 ms, never where a block of input ends, so that
// the bytes depend on the samples alone. In a stream the first 5 packets have a
// page each, so that the first sound leaves after 20 ms of samples; then a page
// has 5 packets. A header weighs 4 % of those at 64 kbit/s, where a page for each
// packet would cost 17 %. At most 80 ms of whole packets are held back, and none
// when the samples come in multiples of 100 ms, because pages end there too. A
// file has pages of one second, as ffmpeg and opusenc make them.
const (
	opusStreamPage = 5
	opusFilePage   = 50
)

// opus writes packets of 20 ms in Ogg (RFC 7845).
type opus struct {
	enc  *libopusEncoder
	ogg  *oggStream
	rate int // Hz, which the head names as that of the original
	mode Mode

	filled  int   // samples in the frame that is not full
	samples int64 // taken so far
	packets int64 // made so far
}

func opusEncoder() (encoder, bool) {
	lib, err := loadLibopus()
	if err != nil {
		return encoder{}, false
	}
	return encoder{codec: audio.Opus,
		rate:  opusInputRate,
		kbps:  func(int) bitrates { return bitrates{span: opusBitrates, usual: opusUsualKbps} },
		asked: opusBitrates,
		open:  func(f audio.Format, mode Mode) (coder, error) { return openOpus(lib, f, mode) }}, true
}

// opusBitrates are the same at every sample rate.
var opusBitrates = span{least: opusLeastKbps, most: opusMostKbps}

// opusInputRate is the rate that libopus takes next above a sample rate.
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

// finish pads with silence until the decoder has put out all samples, and tells
// by the last granule position where they end. Because of the lookahead there is
// at least one packet left to make, which the last page holds.
func (o *opus) finish(dst []byte) ([]byte, error) {
	total := o.samples + int64(o.enc.lookahead)
	for {
		clear(o.enc.frame[o.filled:o.enc.samples])
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

// packet encodes the frame into a packet that ends at a granule position, and
// appends what pages that fills, after the head.
func (o *opus) packet(dst []byte, end int64) ([]byte, error) {
	packet, err := o.enc.encode()
	if err != nil {
		return dst, err
	}
	if o.packets == 0 {
		dst = o.ogg.flush(o.ogg.packet(dst, o.head(), 0))
		dst = o.ogg.flush(o.ogg.packet(dst, o.tags(), 0))
	}
	o.packets++
	o.filled = 0
	return o.ogg.packet(dst, packet, end), nil
}

// packetEnd is the granule position at the end of the packet to come.
func (o *opus) packetEnd() int64 { return o.wire((o.packets + 1) * int64(o.enc.samples)) }

// pageEnds says whether the page ends after the last packet.
func (o *opus) pageEnds() bool {
	if o.mode != Stream {
		return o.packets%opusFilePage == 0
	}
	return o.packets < opusStreamPage || o.packets%opusStreamPage == 0
}

// wire turns samples of the encoder into samples of the wire.
func (o *opus) wire(samples int64) int64 {
	return samples * (opusRate / opusFramesPerSecond) / int64(o.enc.samples)
}

// head is the identification header (RFC 7845, section 5.1).
func (o *opus) head() []byte {
	le := binary.LittleEndian
	b := append([]byte("OpusHead"), 1, opusChannels)
	b = le.AppendUint16(b, uint16(o.wire(int64(o.enc.lookahead)))) // samples to skip
	b = le.AppendUint32(b, uint32(o.rate))
	b = le.AppendUint16(b, 0) // gain
	return append(b, 0)       // channel mapping family
}

// tags is the comment header (RFC 7845, section 5.2): a vendor and no comments.
func (o *opus) tags() []byte {
	le, vendor := binary.LittleEndian, o.enc.lib.version()
	b := le.AppendUint32([]byte("OpusTags"), uint32(len(vendor)))
	return le.AppendUint32(append(b, vendor...), 0)
}
