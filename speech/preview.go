package speech

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/singleflight"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/internal/fault"
	"vaak/voice"
)

// previews are the clips that were rendered and those that are being.
type previews struct {
	dir       string
	format    audio.Format
	rendering singleflight.Group // by path
}

// Preview is a short clip of a voice.
type Preview struct {
	Data        []byte
	ContentType string
	ETag        string // strong, quoted
	Modified    time.Time
}

// previewFormat returns what previews are kept in: mp3, or wav where there is no
// encoder for it.
func previewFormat() audio.Format {
	f, err := codec.Check(audio.Format{Codec: audio.MP3})
	if err != nil {
		f = audio.Format{Codec: audio.WAV, SampleRate: audio.DefaultSampleRate}
	}
	return f
}

// Preview returns the clip of a voice in its preview language. It is rendered
// at the first request, kept, and never charged.
func (s *Service) Preview(ctx context.Context, id voice.ID) (Preview, error) {
	v, err := s.voice(string(id), "")
	if err != nil || id == "" {
		return Preview{}, fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice_id",
			"voice %.64q does not exist; GET /v1/voices lists the ids", id)
	}
	text := voice.PreviewText(v.PreviewLanguage)
	key := sha256.Sum256([]byte(s.name + "\x00" + text))
	path := filepath.Join(s.previews.dir, fmt.Sprintf("%s-%s.%s", v.ID, hex.EncodeToString(key[:4]), s.previews.format.Extension()))
	if p, err := s.readPreview(path); err == nil {
		return p, nil
	}
	// Whoever asked first may leave; the others still want the clip.
	ctx = context.WithoutCancel(ctx)
	got := s.previews.rendering.DoChan(path, func() (any, error) {
		return s.renderPreview(ctx, v, text, path)
	})
	r := <-got
	if r.Err != nil {
		return Preview{}, r.Err
	}
	return r.Val.(Preview), nil
}

// renderPreview makes a clip and keeps it. One that cannot be kept, as on a full
// disk, is served all the same and made again the next time.
func (s *Service) renderPreview(ctx context.Context, v voice.Voice, text, path string) (Preview, error) {
	a, err := s.prepare(ctx, Request{
		Text: text, Voice: string(v.ID), Language: string(v.PreviewLanguage), Format: s.previews.format,
	})
	if err != nil {
		return Preview{}, err
	}
	var clip bytes.Buffer
	if _, err := a.speak(ctx, account.Local, &clip); err != nil {
		return Preview{}, err
	}
	if err := writeWhole(path, clip.Bytes()); err != nil {
		s.log.WarnContext(ctx, "a preview was not kept", "voice", v.ID, "error", err)
		return s.preview(clip.Bytes(), time.Now()), nil
	}
	return s.readPreview(path)
}

func (s *Service) readPreview(path string) (Preview, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Preview{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return Preview{}, err
	}
	return s.preview(data, info.ModTime()), nil
}

// preview describes a clip.
func (s *Service) preview(data []byte, modified time.Time) Preview {
	sum := sha256.Sum256(data)
	return Preview{
		Data:        data,
		ContentType: s.previews.format.ContentType(),
		ETag:        `"` + hex.EncodeToString(sum[:12]) + `"`,
		Modified:    modified,
	}
}

// writeWhole writes a file so that no reader ever sees a part of it.
func writeWhole(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
	}
	return err
}
