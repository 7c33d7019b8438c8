package voices

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"vaak/lang"
	"vaak/mcp/tool"
	"vaak/voice"
)

// Offer returns the tools and resources that find voices and languages. Directory finds the
// voices that callers name, offered tells which languages there are. Previews have links that
// begin with public, unless it is nil.
func Offer(directory *voice.Directory, offered lang.Prior, public *url.URL) tool.Offer {
	return tool.Offer{
		Tools:     []tool.Entry{listLanguages(offered), searchVoices(directory, public)},
		Templates: []tool.Template{voiceTemplate(directory, public)},
	}
}

// voiceTemplate returns the resource template of voices.
func voiceTemplate(directory *voice.Directory, public *url.URL) tool.Template {
	return tool.Template{
		Uri: "voice://{voice_id}", Name: "voice", Title: "Voice", MimeType: "application/json",
		Description: "A voice: name, native language, accent, gender, labels, preview.",
		Read: func(_ context.Context, _ tool.Call, v map[string]string) (tool.Content, error) {
			return readVoice(directory, public, v["voice_id"])
		},
		Complete: map[string]tool.Completer{"voice_id": completeVoice(directory)},
	}
}

// voiceRecord is a voice by itself.
type voiceRecord struct {
	voiceBrief
	Labels  map[string]string `json:"labels"`
	Aliases []string          `json:"aliases,omitempty"`
}

// readVoice reads the resource of a voice.
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

// completeVoice suggests ids of voices: those where the id, the name, the language, the accent
// or the gender begins with what was typed.
func completeVoice(directory *voice.Directory) func(context.Context, tool.Call, string) []string {
	return func(_ context.Context, _ tool.Call, typed string) []string {
		var ids []string
		for _, v := range directory.Search(typed) {
			ids = append(ids, string(v.ID))
		}
		return ids
	}
}
