package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"vaak/internal/fault"
	"vaak/voice"
)

// speechTemplates are the resources of the speech service.
func (s *Server) speechTemplates(f Face) []template {
	list := []template{{
		uri: "voice://{voice_id}", name: "voice", title: "Voice", mimeType: "application/json",
		description: "A voice: name, native language, accent, gender, labels, preview.",
		read: func(_ context.Context, _ call, v map[string]string) (content, error) {
			return s.readVoice(v["voice_id"])
		},
		complete: map[string]completer{"voice_id": completeVoice},
	}}
	if clips := s.clips(); clips != nil && f == HTTP {
		list = append(list, template{
			uri: "speech://audio/{id}", name: "audio", title: "Audio",
			description: fmt.Sprintf("Audio of synthesize_speech up to %d bytes, by the id in its audio_url, until that expires. Only for the organisation whose it is.", maxBlob),
			read: func(ctx context.Context, c call, v map[string]string) (content, error) {
				return readAudio(ctx, clips, c.OrgID, v["id"])
			},
		})
	}
	return list
}

// voiceRecord is a voice by itself.
type voiceRecord struct {
	voiceBrief
	Labels  map[string]string `json:"labels"`
	Aliases []string          `json:"aliases,omitempty"`
}

// readVoice is the resource of a voice.
func (s *Server) readVoice(id string) (content, error) {
	v, err := s.cfg.Voices.Find("voice_id", id)
	if err != nil {
		return content{}, err
	}
	b, err := json.Marshal(voiceRecord{brief(v, s.public), v.Labels(), s.cfg.Voices.Aliases(v.ID)})
	if err != nil {
		return content{}, fmt.Errorf("encode voice %s: %w", v.ID, err)
	}
	return content{mimeType: "application/json", text: string(b)}, nil
}

// completeVoice suggests the ids of voices: those that begin with what was
// typed, or whose name, language, accent or gender do.
func completeVoice(_ context.Context, _ call, typed string) []string {
	var ids []string
	for _, v := range voice.Search(typed) {
		ids = append(ids, string(v.ID))
	}
	return ids
}

// maxBlob is the most bytes of audio that a resource holds.
const maxBlob = 1 << 20

// readAudio is the resource of a clip. One of another organisation is answered
// as one that never was.
func readAudio(ctx context.Context, clips Clips, org, id string) (_ content, err error) {
	id, _, _ = strings.Cut(id, ".") // as it stands in a link, with the extension
	c, err := clips.Owned(ctx, org, id)
	if err != nil {
		return content{}, err
	}
	defer func() { _ = c.Body.Close() }() // read only
	if c.Size > maxBlob {
		return content{}, fault.New(fault.TooLarge, codeAudioTooLarge, "",
			"the audio has %d bytes and a resource at most %d; fetch it from its audio_url instead", c.Size, maxBlob)
	}
	b, err := io.ReadAll(io.LimitReader(c.Body, maxBlob))
	if err != nil {
		return content{}, fmt.Errorf("read a clip: %w", err)
	}
	return content{mimeType: c.ContentType, blob: b}, nil
}
