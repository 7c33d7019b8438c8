// Package mp3 reads MPEG audio of layer III. It finds and checks the frames itself and decodes
// them with libmpg123.
package mp3

import (
	"bytes"
	"io"
	"io/fs"

	"vaak/audio/decode/recording"
)

// stream is an open MP3.
type stream struct {
	info    recording.Info
	tag     infoTag
	frames  *frameReader
	decoder *mpg123Decoder
	most    int64 // largest number of samples per channel

	recording.Backlog
	more      func() error // the method value fill, made once so that reads do not allocate
	skip      int          // samples still to drop
	delivered int64        // samples per channel read, or in PCM
	count     int64        // frames found
}

// Format returns the format.
func Format() recording.Format { return recording.Format{Name: "MP3", Match: match, Open: open} }

// match reports whether a file begins with an ID3 tag or the header of an MPEG audio frame:
// eleven bits set, and no reserved version, layer, bit rate or sample rate. AAC in ADTS has the
// reserved layer.
func match(_ io.ReaderAt, head []byte) (bool, error) {
	if bytes.HasPrefix(head, []byte("ID3")) {
		return true, nil
	}
	if len(head) < 4 || head[0] != 0xFF || head[1]&0xE0 != 0xE0 {
		return false, nil
	}
	version, layer := head[1]>>3&3, head[1]>>1&3
	bitrate, rate := head[2]>>4, head[2]>>2&3
	// A free bit rate (0) is refused here, unless a tag comes first: then open says what it is.
	return version != 1 && layer != 0 && bitrate != 0 && bitrate != 15 && rate != 3, nil
}

// open opens MPEG audio of layer III: MPEG 1, 2 and 2.5 with any standard bit rate. It skips
// tags. If the first frame is a Xing, LAME or Fraunhofer header, Frames comes from it, and the
// silence that the encoder added at both ends is dropped. Otherwise the length is unknown and
// everything decoded is sound.
//
// All frames must have one rate and one number of channels. A file is broken if it ends inside
// a frame, has more than maxJunk bytes in one place that are no frame, or has another number
// of frames than it declares. If libmpg123 is missing the error is of kind Unavailable and
// names the package to install.
func open(src recording.Source, _ []byte, limits recording.Limits) (recording.Stream, error) {
	size, err := recording.Size(src)
	if err != nil {
		return nil, err
	}
	start, end, err := audioBounds(src, size)
	if err != nil {
		return nil, err
	}
	frames, err := newFrameReader(src, start, end)
	if err != nil {
		return nil, err
	}
	s := &stream{frames: frames}
	s.more = s.fill
	if err := s.begin(limits); err != nil {
		return nil, err
	}
	s.decoder, err = newMPG123Decoder(s.info.SampleRate, s.info.Channels, frames.like.samples)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// begin reads the header frame, if the file has one, and checks the limits.
func (s *stream) begin(limits recording.Limits) (err error) {
	h := s.frames.like
	s.info = recording.Info{Container: recording.MP3, Codec: "mp3", SampleRate: h.rate, Channels: h.channels, Frames: -1}
	b, err := s.frames.peek(h.size)
	if err != nil {
		return err
	}
	// The frame with the tag decodes to silence that is no part of the recording, so the decoder
	// does not get it.
	if tag, ok := parseInfoTag(b, h); ok {
		if _, _, err := s.frames.next(); err != nil {
			return err
		}
		s.tag, s.skip = tag, tag.skip()
		s.info.Frames = tag.length(h.samples)
	}
	s.most, err = limits.MaxSamples(s.info)
	return err
}

func (s *stream) Info() recording.Info { return s.info }

func (s *stream) Read(planes [][]float32) (int, error) {
	return s.Backlog.Read(planes, s.info.Channels, s.more)
}

// fill decodes the next frame. It leaves s.PCM empty if the frame has no sound, or if it
// returns an error, which is io.EOF at the end.
func (s *stream) fill() error {
	for len(s.PCM) == 0 {
		// Frames is -1 if it is unknown, and then never equal.
		if s.delivered == s.info.Frames {
			return s.finish()
		}
		frame, at, err := s.frames.next()
		if err == io.EOF {
			return s.ended()
		}
		if err != nil {
			return err
		}
		s.count++
		pcm, err := s.decoder.decode(frame)
		if err != nil {
			return recording.Broken("the MP3 frame at byte %d cannot be decoded: %v", at, err)
		}
		if err := s.keepSound(pcm); err != nil {
			return err
		}
	}
	return nil
}

// keepSound sets s.PCM to the part of a decoded frame that is sound.
func (s *stream) keepSound(pcm []float32) error {
	channels := s.info.Channels
	// The delay of encoder and decoder may span several frames.
	lead := min(s.skip, len(pcm)/channels)
	s.skip -= lead
	pcm = pcm[lead*channels:]
	n := int64(len(pcm) / channels)
	if s.info.Frames >= 0 {
		// The rest of the last frame is padding.
		n = min(n, s.info.Frames-s.delivered)
	}
	if s.delivered+n > s.most {
		return recording.TooLong(s.most, s.info.SampleRate)
	}
	s.delivered += n
	s.PCM = pcm[:n*int64(channels)]
	return nil
}

// finish skips the frames after the last sample: those of the silence at the end, and one more,
// since some encoders count the header frame and others do not.
func (s *stream) finish() error {
	for {
		_, at, err := s.frames.next()
		if err == io.EOF {
			return s.ended()
		}
		if err != nil {
			return err
		}
		if s.count++; s.count > s.tag.frames+1 {
			return recording.Broken("the MP3 says that it has %d frames and holds another one at byte %d", s.tag.frames, at)
		}
	}
}

// ended returns io.EOF if the file has as many frames as it declares, or one less.
func (s *stream) ended() error {
	// Some encoders count the frame with the tag, so one less is complete as well.
	if s.count+1 < s.tag.frames {
		return recording.Broken("the MP3 ends at byte %d after %d of %d frames", s.frames.at, s.count, s.tag.frames)
	}
	return io.EOF
}

func (s *stream) Close() error {
	s.decoder.close()
	s.PCM, s.Err = nil, fs.ErrClosed
	return nil
}
