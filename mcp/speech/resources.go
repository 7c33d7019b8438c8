package speech

import (
	"context"
	"fmt"
	"io"
	"strings"

	"vaak/internal/fault"
	"vaak/mcp/tool"
)

// audioTemplate returns the resource template of clips.
func audioTemplate(clips Clips) tool.Template {
	return tool.Template{
		Uri: "speech://audio/{id}", Name: "audio", Title: "Audio",
		Description: fmt.Sprintf("Audio of synthesize_speech up to %d bytes, by the id in its audio_url, until that expires. Only for the organisation whose it is.", maxBlob),
		Read: func(ctx context.Context, c tool.Call, v map[string]string) (tool.Content, error) {
			return readAudio(ctx, clips, c.OrgID, v["id"])
		},
	}
}

// maxBlob is the most bytes of audio that a resource holds.
const maxBlob = 1 << 20

// readAudio reads a clip. A clip of another organisation is answered like one that never existed.
func readAudio(ctx context.Context, clips Clips, org, id string) (_ tool.Content, err error) {
	id, _, _ = strings.Cut(id, ".") // a link has the extension of the file behind the id
	c, err := clips.Owned(ctx, org, id)
	if err != nil {
		return tool.Content{}, err
	}
	defer func() { _ = c.Body.Close() }() // read only
	if c.Size > maxBlob {
		return tool.Content{}, fault.New(fault.TooLarge, tool.CodeAudioTooLarge, "",
			"the audio has %d bytes and a resource at most %d; fetch it from its audio_url instead", c.Size, maxBlob)
	}
	b, err := io.ReadAll(io.LimitReader(c.Body, maxBlob))
	if err != nil {
		return tool.Content{}, fmt.Errorf("read a clip: %w", err)
	}
	return tool.Content{MimeType: c.ContentType, Blob: b}, nil
}
