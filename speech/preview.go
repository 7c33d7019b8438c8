package speech

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/internal/flight"
	"vaak/speech/preview"
	"vaak/voice"
)

// previews are the clips that were rendered and those that are being.
type previews struct {
	shelf     *preview.Shelf
	format    audio.Format
	revision  func() (string, error)
	rendering flight.Group[string, rendered] // by name
	told      atomic.Bool                    // that clips are not kept, since one was
}

func newPreviews(c Config) *previews {
	p := &previews{shelf: preview.New(c.PreviewDir), format: previewFormat()}
	p.revision = func() (string, error) { return "", nil }
	if c.PreviewRevision != nil {
		p.revision = sync.OnceValues(c.PreviewRevision)
	}
	return p
}

// Preview is a short clip of a voice.
type Preview struct {
	Data        []byte
	ContentType string
	ETag        string // strong, quoted
	Modified    time.Time
}

// previewKbps is the bit rate of previews: speech at 24 kHz loses nothing that is
// heard, and all voices together take some 12 MB.
const previewKbps = 64

// previewFormat returns what previews are kept in: mp3, or wav where there is no
// encoder for it.
func previewFormat() audio.Format {
	f, err := codec.Check(audio.Format{Codec: audio.MP3, SampleRate: audio.DefaultSampleRate, BitrateKbps: previewKbps})
	if err != nil {
		f = audio.Format{Codec: audio.WAV, SampleRate: audio.DefaultSampleRate}
	}
	return f
}

// Preview returns the clip of a voice, which may be named as in a request, in its
// preview language. One that is not
// kept yet is rendered at once, and kept. It is never charged.
func (s *Service) Preview(ctx context.Context, id voice.ID) (Preview, error) {
	v, err := s.voices.Find("voice_id", string(id))
	if err != nil {
		return Preview{}, err
	}
	name, err := s.previewName(v)
	if err != nil {
		return Preview{}, err
	}
	if clip, err := s.previews.shelf.Get(name); err == nil {
		return s.preview(clip), nil
	}
	// Whoever asked first may leave; the others still want the clip.
	r, err := s.renderOnce(ctx, context.WithoutCancel(ctx), v, name)
	if err != nil {
		return Preview{}, err
	}
	if r.lost != nil && !s.previews.told.Swap(true) {
		s.log.WarnContext(ctx, "previews are not kept", "voice", v.ID, "error", r.lost)
	}
	return s.preview(r.Clip), nil
}

// previewName names a voice's clip by all that decides how it sounds.
func (s *Service) previewName(v voice.Voice) (string, error) {
	revision, err := s.previews.revision()
	if err != nil {
		return "", fmt.Errorf("find what previews were made by: %w", err)
	}
	f := s.previews.format
	key := strings.Join([]string{revision, s.name, string(v.PreviewLanguage), voice.PreviewText(v.PreviewLanguage),
		fmt.Sprintf("%s %d Hz %d kbps", f.Codec, f.SampleRate, f.BitrateKbps)}, "\x00")
	return preview.Name(string(v.ID), key, f.Extension()), nil
}

func (s *Service) preview(c preview.Clip) Preview {
	return Preview{Data: c.Data, ContentType: s.previews.format.ContentType(), ETag: c.ETag, Modified: c.Modified}
}

// rendered is a clip as it was made.
type rendered struct {
	preview.Clip
	lost error // why it was not kept
}

// errAbandoned says that whoever rendered a clip gave up.
var errAbandoned = errors.New("the preview was given up")

// renderOnce makes a clip and keeps it, together with all who want it at this
// moment. It waits until ctx ends; who begins the work does it until work ends.
func (s *Service) renderOnce(ctx, work context.Context, v voice.Voice, name string) (rendered, error) {
	for {
		shared := s.previews.rendering.Go(name, func() (rendered, error) {
			if clip, err := s.previews.shelf.Get(name); err == nil {
				return rendered{Clip: clip}, nil // somebody else was faster
			}
			r, err := s.renderPreview(work, v, name)
			if err != nil && work.Err() != nil {
				err = fmt.Errorf("%w: %w", errAbandoned, err)
			}
			return r, err
		})
		select {
		case <-shared.Done():
			r, err := shared.Value()
			if errors.Is(err, errAbandoned) && work.Err() == nil {
				continue // the server stops rendering ahead; this one is wanted
			}
			return r, err
		case <-ctx.Done():
			return rendered{}, context.Cause(ctx)
		}
	}
}

// renderPreview makes a clip and keeps it. One that cannot be kept, as on a full
// disk, is served all the same and made again the next time.
func (s *Service) renderPreview(ctx context.Context, v voice.Voice, name string) (rendered, error) {
	a, err := s.prepare(ctx, Request{
		Text: voice.PreviewText(v.PreviewLanguage), Voice: string(v.ID), Language: string(v.PreviewLanguage), Format: s.previews.format,
	})
	if err != nil {
		return rendered{}, err
	}
	var data bytes.Buffer
	if _, err := a.speak(ctx, account.Local, &data); err != nil {
		return rendered{}, err
	}
	clip, err := s.previews.shelf.Put(name, data.Bytes())
	if err == nil {
		s.previews.told.Store(false)
	}
	return rendered{clip, err}, nil
}
