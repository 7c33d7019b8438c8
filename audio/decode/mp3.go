package decode

import (
	"fmt"
	"io"
	"io/fs"
)

// mp3Stream is an open MP3.
type mp3Stream struct {
	info    Info
	tag     mp3Info
	frames  *mp3Frames
	decoder *mpg123Decoder
	most    int64 // largest number of samples per channel

	backlog
	more      func() error // the method value fill, made once so that reads do not allocate
	skip      int          // samples still to drop
	delivered int64        // samples per channel read, or in pcm
	count     int64        // frames found
}

// openMP3 opens MPEG audio of layer III: MPEG 1, 2 and 2.5 with any standard bit rate. It skips
// tags. If the first frame is a Xing, LAME or Fraunhofer header, Frames comes from it, and the
// silence that the encoder added at both ends is dropped. Otherwise the length is unknown and
// everything decoded is sound.
//
// All frames must have one rate and one number of channels. A file is broken if it ends inside
// a frame, has more than mp3Resync bytes in one place that are no frame, or has another number
// of frames than it declares. If libmpg123 is missing the error is of kind Unavailable and
// names the package to install. frame, or other than the frames that it says, is broken. The
// error of a machine without libmpg123 is of kind Unavailable and names the package.
func openMP3(src Source, _ []byte, limits Limits) (Stream, error) {
	size, err := src.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("find the length of a recording: %w", err)
	}
	start, end, err := mp3Bounds(src, size)
	if err != nil {
		return nil, err
	}
	frames, err := newMP3Frames(src, start, end)
	if err != nil {
		return nil, err
	}
	s := &mp3Stream{frames: frames}
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
func (s *mp3Stream) begin(limits Limits) (err error) {
	h := s.frames.like
	s.info = Info{Container: MP3, Codec: "mp3", SampleRate: h.rate, Channels: h.channels, Frames: -1}
	b, err := s.frames.peek(h.size)
	if err != nil {
		return err
	}
	if tag, ok := parseMP3Info(b, h); ok {
		if _, _, err := s.frames.next(); err != nil {
			return err
		}
		s.tag, s.skip = tag, tag.skip()
		s.info.Frames = tag.length(h.samples)
	}
	s.most, err = limits.maxSamples(s.info)
	return err
}

func (s *mp3Stream) Info() Info { return s.info }

func (s *mp3Stream) Read(planes [][]float32) (int, error) {
	return s.read(planes, s.info.Channels, s.more)
}

// fill decodes the next frame. It leaves s.pcm empty if the frame has no sound, or if it
// returns an error, which is io.EOF at the end.
func (s *mp3Stream) fill() error {
	for len(s.pcm) == 0 {
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
			return broken("the MP3 frame at byte %d cannot be decoded: %v", at, err)
		}
		if err := s.keepSound(pcm); err != nil {
			return err
		}
	}
	return nil
}

// keepSound sets s.pcm to the part of a decoded frame that is sound.
func (s *mp3Stream) keepSound(pcm []float32) error {
	channels := s.info.Channels
	lead := min(s.skip, len(pcm)/channels)
	s.skip -= lead
	pcm = pcm[lead*channels:]
	n := int64(len(pcm) / channels)
	if s.info.Frames >= 0 {
		n = min(n, s.info.Frames-s.delivered)
	}
	if s.delivered+n > s.most {
		return tooLong(s.most, s.info.SampleRate)
	}
	s.delivered += n
	s.pcm = pcm[:n*int64(channels)]
	return nil
}

// finish skips the frames after the last sample: those of the silence at the end, and one more,
// since some encoders count the header frame and others do not.
func (s *mp3Stream) finish() error {
	for {
		_, at, err := s.frames.next()
		if err == io.EOF {
			return s.ended()
		}
		if err != nil {
			return err
		}
		if s.count++; s.count > s.tag.frames+1 {
			return broken("the MP3 says that it has %d frames and holds another one at byte %d", s.tag.frames, at)
		}
	}
}

// ended returns io.EOF if the file has as many frames as it declares, or one less.
func (s *mp3Stream) ended() error {
	if s.count+1 < s.tag.frames {
		return broken("the MP3 ends at byte %d after %d of %d frames", s.frames.at, s.count, s.tag.frames)
	}
	return io.EOF
}

func (s *mp3Stream) Close() error {
	s.decoder.close()
	s.pcm, s.err = nil, fs.ErrClosed
	return nil
}
