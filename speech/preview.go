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
	"vaak/internal/fault"
	"vaak/internal/flight"
	"vaak/speech/preview"
	"vaak/voice"
)

// previews are the preview clips of voices: those that are kept and those being rendered.
type previews struct {
	shelf     *preview.Shelf
	format    audio.Format
	revision  func() (string, error)
	rendering flight.Group[string, rendered] // by clip name
	warned    atomic.Bool                    // it was logged that clips cannot be kept
}

func newPreviews(c Config) *previews {
	p := &previews{shelf: preview.New(c.PreviewDir, c.Previews), format: previewFormat()}
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

// previewKbps is the bit rate of previews. At 64 kbps no loss is heard in speech at
// 24 kHz, and the clips of all voices take some 12 MB.
const previewKbps = 64

// previewFormat returns the format of previews: MP3, or WAV where there is no MP3 encoder.
func previewFormat() audio.Format {
	f, err := codec.Check(audio.Format{Codec: audio.MP3, SampleRate: audio.DefaultSampleRate, BitrateKbps: previewKbps})
	if err != nil {
		f = audio.Format{Codec: audio.WAV, SampleRate: audio.DefaultSampleRate}
	}
	return f
}

// Preview returns the preview clip of a voice, in the voice's preview language. The voice
// may be named as in a request. A clip that is not kept yet is rendered now and kept.
// Previews are never charged.
func (s *Service) Preview(ctx context.Context, id voice.ID) (Preview, error) {
	v, err := s.voices.Find("voice_id", string(id))
	if err != nil {
		return Preview{}, err
	}
	name, err := s.previewName(v)
	if err != nil {
		return Preview{}, err
	}
	if clip, err := s.previews.shelf.Get(ctx, name); err == nil {
		return s.preview(clip), nil
	}
	// The work must not end with this request: others may wait for the same clip.
	r, err := s.renderOnce(ctx, context.WithoutCancel(ctx), v, name)
	if err != nil {
		return Preview{}, err
	}
	if r.lost != nil && !s.previews.warned.Swap(true) {
		s.log.WarnContext(ctx, "previews are not kept", "voice", v.ID, "error", r.lost)
	}
	return s.preview(r.Clip), nil
}

// previewName returns the name under which a voice's clip is kept. The name depends on
// everything that decides how the clip sounds, so a change of any of it makes a new clip.
func (s *Service) previewName(v voice.Voice) (string, error) {
	revision, err := s.previews.revision()
	if err != nil {
		return "", fmt.Errorf("find what previews were made by: %w", err)
	}
	e, traits, err := s.engines.For(v, v.PreviewLanguage)
	if err != nil {
		return "", err
	}
	f := s.previews.format
	key := strings.Join([]string{revision + traits.Revision, e.Name(), string(v.PreviewLanguage), voice.PreviewText(v.PreviewLanguage),
		fmt.Sprintf("%s %d Hz %d kbps", f.Codec, f.SampleRate, f.BitrateKbps)}, "\x00")
	return preview.Name(string(v.ID), key, f.Extension()), nil
}

func (s *Service) preview(c preview.Clip) Preview {
	return Preview{Data: c.Data, ContentType: s.previews.format.ContentType(), ETag: c.ETag, Modified: c.Modified}
}

// rendered is a clip that was just made.
type rendered struct {
	preview.Clip
	lost error // why the clip could not be kept; nil if it was
	made bool  // it was rendered now, not found
}

// errAbandoned says that the goroutine that rendered a clip was stopped.
var errAbandoned = errors.New("the preview was given up")

// renderOnce renders a clip and keeps it. Concurrent calls for one clip share the work of
// the first caller. ctx bounds how long this caller waits; work bounds the rendering if
// this caller is the one who does it.
func (s *Service) renderOnce(ctx, work context.Context, v voice.Voice, name string) (rendered, error) {
	for {
		shared := s.previews.rendering.Go(name, func() (rendered, error) {
			if clip, err := s.previews.shelf.Get(work, name); err == nil {
				return rendered{Clip: clip}, nil // rendered since the caller looked
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
				continue // rendering ahead was stopped, but this caller wants the clip: render it here
			}
			return r, err
		case <-ctx.Done():
			return rendered{}, context.Cause(ctx)
		}
	}
}

// renderPreview renders a clip and keeps it. If it cannot be kept, as when the disk is
// full, the clip is returned all the same and rendered again at the next request.
func (s *Service) renderPreview(ctx context.Context, v voice.Voice, name string) (rendered, error) {
	a, err := s.prepareAny(ctx, Request{
		Text: voice.PreviewText(v.PreviewLanguage), Voice: string(v.ID), Language: string(v.PreviewLanguage), Format: s.previews.format,
	}, nil)
	if err != nil {
		return rendered{}, err
	}
	var data bytes.Buffer
	if _, err := a.speak(ctx, account.Local, &data); err != nil {
		return rendered{}, err
	}
	if a.replaced { // a preview in another voice must not be kept
		return rendered{}, fault.Down(fault.CodeEngineUnavailable, time.Second, nil, "voice %s cannot be used now", v.ID)
	}
	clip, err := s.previews.shelf.Put(ctx, name, data.Bytes())
	if err == nil {
		s.previews.warned.Store(false)
	}
	return rendered{clip, err, true}, nil
}
