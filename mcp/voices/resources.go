package voices

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"vaak/mcp/tool"
	"vaak/voice"
)

// Offer is what finds voices and languages. directory finds those that callers name;
// previews are linked below public where it is not nil.
func Offer(directory *voice.Directory, public *url.URL) tool.Offer {
	return tool.Offer{
		Tools:     []tool.Entry{listLanguages(), searchVoices(public)},
		Templates: []tool.Template{voiceTemplate(directory, public)},
	}
}

// voiceTemplate is the family of voices. directory finds those that callers name, and
// previews are linked below public where it is not nil.
func voiceTemplate(directory *voice.Directory, public *url.URL) tool.Template {
	return tool.Template{
		Uri: "voice://{voice_id}", Name: "voice", Title: "Voice", MimeType: "application/json",
		Description: "A voice: name, native language, accent, gender, labels, preview.",
		Read: func(_ context.Context, _ tool.Call, v map[string]string) (tool.Content, error) {
			return readVoice(directory, public, v["voice_id"])
		},
		Complete: map[string]tool.Completer{"voice_id": completeVoice},
	}
}

// voiceRecord is a voice by itself.
type voiceRecord struct {
	voiceBrief
	Labels  map[string]string `json:"labels"`
	Aliases []string          `json:"aliases,omitempty"`
}

// readVoice is the resource of a voice.
func readVoice(directory *voice.Directory, public *url.URL, id string) (tool.Content, error) {
	v, err := directory.Find("voice_id", id)
	if err != nil {
		return tool.Content{}, err
	}
	b, err := json.Marshal(voiceRecord{brief(v, public), v.Labels(), directory.Aliases(v.ID)})
	if err != nil {
		return tool.Content{}, fmt.Errorf("encode voice %s: %w", v.ID, err)
	}
	return tool.Content{MimeType: "application/json", Text: string(b)}, nil
}

// completeVoice suggests the ids of voices: those that begin with what was
// typed, or whose name, language, accent or gender do.
func completeVoice(_ context.Context, _ tool.Call, typed string) []string {
	var ids []string
	for _, v := range voice.Search(typed) {
		ids = append(ids, string(v.ID))
	}
	return ids
}
