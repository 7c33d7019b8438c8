// Package ogg reads Opus in Ogg (RFC 7845). It reads and checks the pages and packets itself and
// decodes the packets with libopus.
package ogg

import (
	"bytes"
	"io"
	"io/fs"

	"vaak/audio/decode/recording"
)

// opusJitter is how many samples a granule position may differ from the sum of the packets
// before it: 20 ms, for files whose times were rounded by another container. A larger
// difference is an error, or missing sound.
const opusJitter = opusRate / 50

// stream is an open Ogg Opus recording.
type stream struct {
	info    recording.Info
	head    opusHead
	packets packetReader
	decoder *opusDecoder
	most    int64 // largest number of samples per channel

	recording.Backlog
	more      func() error // the method value fill, made once so that reads do not allocate
	base      int64        // granule position of the first decoded sample
	at        int64        // samples of the packets of all pages before the current one
	next      int          // the packet of the page to decode next
	left      int64        // samples that the packets of the page still have to give
	ended     bool         // the current page is the last
	skip      int          // samples still to drop
	delivered int64        // samples per channel read, or in PCM
}

// Format returns the format.
func Format() recording.Format { return recording.Format{Name: "Ogg Opus", Match: match, Open: open} }

func match(_ io.ReaderAt, head []byte) (bool, error) {
	return bytes.HasPrefix(head, []byte("OggS")), nil
}

// open opens Opus in Ogg (RFC 7845), with one stream in the file. It decodes at 48,000 Hz,
// whatever the rate before encoding was. It applies the gain of the header, and drops the
// samples that the header and the last page declare not to be sound. Frames comes from the last
// page. Channels are in the order of the file; for more than two that is the order of Vorbis:
// left, centre, right and so on.
//
// It checks the checksum and the number of every page, and that granule positions agree with
// the packets to within opusJitter. The last page need not be marked as the last. If libopus is
// missing the error is of kind Unavailable and names the package to install.
func open(src recording.Source, _ []byte, limits recording.Limits) (recording.Stream, error) {
	size, err := recording.Size(src)
	if err != nil {
		return nil, err
	}
	pages := newPageReader(src, size)
	head, err := readOpusHeaders(pages)
	if err != nil {
		return nil, err
	}
	s := &stream{head: head, skip: head.skip, packets: packetReader{pages: pages, most: opusMaxPacket * head.streams},
		info: recording.Info{Container: recording.Ogg, Codec: "opus", SampleRate: opusRate, Channels: head.channels, Frames: -1}}
	s.more = s.fill
	// The number of channels is checked before a decoder takes memory for them, and the length
	// below, once the last page told it.
	if s.most, err = limits.MaxSamples(s.info); err != nil {
		return nil, err
	}
	if s.decoder, err = newOpusDecoder(head); err != nil {
		return nil, err
	}
	if err := s.begin(src, size); err != nil {
		return nil, err
	}
	if _, err := limits.MaxSamples(s.info); err != nil {
		return nil, err
	}
	return s, nil
}

// begin reads the first page with sound, and determines the length.
func (s *stream) begin(src io.ReaderAt, size int64) error {
	if err := s.load(); err == io.EOF {
		s.info.Frames, s.Err = 0, io.EOF
		return nil
	} else if err != nil {
		return err
	}
	last, ok, err := lastGranule(src, size, s.packets.pages.serial)
	if err != nil || !ok {
		return err
	}
	// Adding could overflow; the positions are not negative, so subtract.
	if last < s.base || last-s.base < int64(s.head.skip) {
		return recording.Broken("the last page says that the Opus stream ends at sample %d, which is before its sound begins", last)
	}
	s.info.Frames = last - s.base - int64(s.head.skip)
	return nil
}

func (s *stream) Info() recording.Info { return s.info }

func (s *stream) Read(planes [][]float32) (int, error) {
	return s.Backlog.Read(planes, s.info.Channels, s.more)
}

// fill decodes packets until one gives sound.
func (s *stream) fill() error {
	for len(s.PCM) == 0 {
		if s.next == s.packets.n {
			if err := s.load(); err != nil {
				return err
			}
			continue
		}
		packet := s.packets.packet(s.next)
		s.next++
		pcm, err := s.decoder.decode(packet)
		if err != nil {
			return recording.Broken("a packet of the Ogg page at byte %d cannot be decoded: %v", s.packets.page.at, err)
		}
		// Positions were computed from the packet's first bytes, so both must agree.
		if got, want := len(pcm)/s.info.Channels, opusSamples(packet); got != want {
			return recording.Broken("a packet of the Ogg page at byte %d says that it has %d samples and has %d", s.packets.page.at, want, got)
		}
		if err := s.keepSound(pcm); err != nil {
			return err
		}
	}
	return nil
}

// keepSound sets s.PCM to the part of a decoded packet that is sound.
func (s *stream) keepSound(pcm []float32) error {
	channels := s.info.Channels
	// left ends inside a packet if the last page trims the end.
	n := int(min(int64(len(pcm)/channels), s.left))
	s.left -= int64(n)
	// Drop the pre-skip first, possibly over several packets.
	lead := min(s.skip, n)
	s.skip -= lead
	if s.delivered += int64(n - lead); s.delivered > s.most {
		return recording.TooLong(s.most, s.info.SampleRate)
	}
	s.PCM = pcm[lead*channels : n*channels]
	if s.head.gain != 1 {
		for i := range s.PCM {
			s.PCM[i] *= s.head.gain
		}
	}
	return nil
}

// load reads the next page and checks its granule position. At the end of the stream it returns
// io.EOF.
func (s *stream) load() error {
	p := &s.packets
	if s.ended {
		if p.pages.at == p.pages.size {
			return io.EOF
		}
		return s.afterLastPage()
	}
	if err := p.load(); err != nil {
		return err
	}
	s.next, s.ended = 0, p.page.flags&flagEnds != 0
	// All packets of a page are measured before one is decoded: the granule position tells where
	// the page ends, not where it begins.
	sum, err := s.samples()
	if err != nil {
		return err
	}
	return s.place(sum)
}

// afterLastPage returns io.EOF, or an error if more follows the last page.
func (s *stream) afterLastPage() error {
	var page rawPage
	at := s.packets.pages.at
	if err := s.packets.pages.next(&page); err != nil {
		return err
	}
	return recording.Broken("the Opus stream goes on at byte %d after its last page", at)
}

// samples returns the number of samples of the packets that end in the page.
func (s *stream) samples() (sum int64, err error) {
	for i := range s.packets.n {
		n := opusSamples(s.packets.packet(i))
		if n == 0 {
			return 0, recording.Broken("packet %d of the Ogg page at byte %d has %d bytes and no length of 2.5 to 120 ms",
				i, s.packets.page.at, len(s.packets.packet(i)))
		}
		sum += int64(n)
	}
	return sum, nil
}

// place compares the granule position of the page, where its packets end, with their sum, and
// decides how many of their samples count.
func (s *stream) place(sum int64) error {
	page := &s.packets.page
	first := s.at == 0
	s.at += sum
	s.left = sum
	switch {
	case page.granule == noGranule && sum == 0:
		return nil
	case page.granule < 0:
		return recording.Broken("the Ogg page at byte %d has the position %d", page.at, page.granule)
	case sum == 0 && !s.ended:
		return recording.Broken("the Ogg page at byte %d has the position %d although no packet ends there", page.at, page.granule)
	case first && !s.ended: // a recording that was cut may begin later than zero
		if s.base = page.granule - sum; s.base < -opusJitter {
			return recording.Broken("the first Ogg page of sound, at byte %d, has %d samples and ends at sample %d", page.at, sum, page.granule)
		}
		s.base = max(s.base, 0)
	}
	// Both are positions, and a file has fewer than 2^63 samples, so nothing overflows.
	late := page.granule - s.base - s.at // negative if samples are to be cut off at the end
	last := s.ended || s.packets.pages.at == s.packets.pages.size
	if late > opusJitter || late < -opusJitter && !last || late < -sum {
		return recording.Broken("the Ogg page at byte %d ends at sample %d where its packets end at %d", page.at, page.granule-s.base, s.at)
	}
	// End trimming: the last page may end before its packets do (RFC 7845, section 4.4).
	if last && late < 0 {
		s.left = sum + late
	}
	return nil
}

func (s *stream) Close() error {
	s.PCM, s.Err = nil, fs.ErrClosed
	return nil
}
