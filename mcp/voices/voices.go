// Package voices lets agents find voices and languages.
package voices

import (
	"context"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/mcp/tool"
	"vaak/voice"
)

// searchVoicesInput holds the arguments of search_voices.
type searchVoicesInput struct {
	Query    string `json:"query,omitempty" doc:"Words that must all match: name, accent, gender (female, male), description." maxLength:"200"`
	Language string `json:"language,omitempty" doc:"Only native voices of this language: code, tag or name." maxLength:"100" alias:"lang,language_code"`
	Limit    int    `json:"limit,omitempty" doc:"Most voices returned." default:"15" minimum:"1" maximum:"50"`
	Cursor   string `json:"cursor,omitempty" doc:"nextCursor of the page before; the other arguments unchanged." maxLength:"100"`
}

// searchVoicesOutput is the structured result of search_voices.
type searchVoicesOutput struct {
	Total      int          `json:"total"`
	Voices     []voiceBrief `json:"voices"`
	NextCursor string       `json:"nextCursor,omitempty" doc:"Absent on the last page"`
}

// voiceBrief is a voice in a list.
type voiceBrief struct {
	VoiceID     string `json:"voice_id"`
	Name        string `json:"name"`
	Language    string `json:"language" doc:"Native language"`
	Gender      string `json:"gender"`
	Accent      string `json:"accent"`
	Description string `json:"description"`
	PreviewURL  string `json:"preview_url,omitempty"`
}

// defaultVoices is how many voices a page has by default.
const defaultVoices = 15

// searchVoices returns the tool search_voices. Its results link previews when the server has a
// public address.
func searchVoices(directory *voice.Directory, public *url.URL) tool.Entry {
	return tool.New(tool.Definition{
		Name:        "search_voices",
		Title:       "Find a voice",
		Description: "Find voices by language, gender, accent or name. Any voice takes any language: what an added one cannot say, the nearest says. Free.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(_ context.Context, _ tool.Call, in searchVoicesInput) (tool.Answer[searchVoicesOutput], error) {
		found, err := findVoices(directory, in)
		if err != nil {
			return tool.Answer[searchVoicesOutput]{}, err
		}
		if in.Limit == 0 {
			in.Limit = defaultVoices
		}
		start, err := in.offset(len(found))
		if err != nil {
			return tool.Answer[searchVoicesOutput]{}, err
		}
		end := min(start+in.Limit, len(found))
		out := searchVoicesOutput{Total: len(found), Voices: []voiceBrief{}}
		for _, v := range found[start:end] {
			b := brief(v, public)
			b.Description, _, _ = strings.Cut(b.Description, " whose native language") // other fields say the remainder
			b.Description = strings.TrimSuffix(b.Description, ",")
			out.Voices = append(out.Voices, b)
		}
		if end < len(found) {
			out.NextCursor = in.cursor(end)
		}
		return tool.Answer[searchVoicesOutput]{Value: out, Text: out.text(in)}, nil
	})
}

// findVoices returns the voices that match, in the order of the directory.
func findVoices(directory *voice.Directory, in searchVoicesInput) ([]voice.Voice, error) {
	found := directory.Search(in.Query)
	tag, err := lang.Resolve(in.Language)
	if err != nil {
		return nil, err
	}
	if tag.IsZero() { // none was given
		return found, nil
	}
	var native []voice.Voice
	for _, v := range found {
		if v.Native == tag.Code {
			native = append(native, v)
		}
	}
	return native, nil
}

func brief(v voice.Voice, public *url.URL) voiceBrief {
	b := voiceBrief{
		VoiceID: string(v.ID), Name: v.Name, Language: string(v.Native), Gender: string(v.Gender),
		Accent: v.Accent, Description: v.Description,
	}
	if public != nil {
		b.PreviewURL = public.JoinPath("v1/voices", string(v.ID), "preview").String()
	}
	return b
}

// text returns the page as text, a line for each voice.
func (o searchVoicesOutput) text(in searchVoicesInput) string {
	switch {
	case o.Total > 0:
	case in.Language == "":
		return "No voice matches. Leave out words of query: all must match."
	case in.Query == "":
		return "No voice is native to this language. Leave out language: voices of other languages speak it too."
	default:
		return "No voice matches. Leave out query or language: voices of other languages speak it too."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d voices, voice_id|name|language|gender|accent:", len(o.Voices), o.Total)
	for _, v := range o.Voices {
		fmt.Fprintf(&b, "\n%s|%s|%s|%s|%s", v.VoiceID, v.Name, v.Language, v.Gender, v.Accent)
	}
	if o.NextCursor != "" {
		fmt.Fprintf(&b, "\nnextCursor: %s", o.NextCursor)
	}
	return b.String()
}

// cursor returns the cursor of the page that begins at offset. It is bound to the search,
// because the same offset in another list means another voice.
func (in searchVoicesInput) cursor(offset int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%x", offset, in.fingerprint()))
}

// offset returns where the page begins that the cursor names; 0 without a cursor.
func (in searchVoicesInput) offset(total int) (int, error) {
	if in.Cursor == "" {
		return 0, nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(in.Cursor)
	number, _, _ := strings.Cut(string(plain), ".")
	n, numberErr := strconv.Atoi(number)
	// The cursor is made anew and compared whole, which also checks the fingerprint of the search.
	if err != nil || numberErr != nil || n < 0 || n > total || in.cursor(n) != in.Cursor {
		return 0, fault.BadParameter("cursor", "the cursor is not one of this search; leave it out to start from the first page")
	}
	return n, nil
}

func (in searchVoicesInput) fingerprint() uint32 {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%q %q", in.Query, in.Language) // a hash takes every write
	return h.Sum32()
}
