package speech

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vaak/audio"
	"vaak/internal/fault"
	"vaak/mcp/dictionaries"
	"vaak/mcp/schema"
	"vaak/mcp/tool"
	"vaak/mcp/usage"
	"vaak/speech"
)

// synthesisTimeout is how long a call may take. It is enough for the longest text.
const synthesisTimeout = 120 * time.Second

// synthesizeInput holds the arguments of synthesize_speech. The values of format and delivery
// depend on the deployment; see refine. The aliases are the names of the same parameters in
// REST.
type synthesizeInput struct {
	Text       string  `json:"text" doc:"Text or Markdown, in any of the languages or several. No SSML." minLength:"1" maxLength:"5000" alias:"input"`
	VoiceID    string  `json:"voice_id,omitempty" doc:"Id from search_voices (sv_...). Default: a native voice of the language." maxLength:"100" alias:"voice"`
	Language   string  `json:"language,omitempty" doc:"Code, tag or name, such as hi, en-IN or Tamil. Default: detected." maxLength:"100" alias:"lang,language_code"`
	Format     string  `json:"format,omitempty" doc:"Audio format." alias:"response_format"`
	SampleRate int     `json:"sample_rate,omitempty" doc:"Hz; 8000 is telephone quality. Lower is smaller" default:"24000" enum:"8000,16000,22050,24000,32000,44100,48000"`
	Speed      float64 `json:"speed,omitempty" doc:"1.5 is half as fast again; pitch stays." default:"1" minimum:"0.7" maximum:"1.5"`
	Delivery   string  `json:"delivery,omitempty" doc:"inline: the audio is in the result, up to 262144 bytes."`
	Dictionary string  `json:"pronunciation_dictionary_id,omitempty" doc:"Id from list_pronunciation_dictionaries: how words are to be read." maxLength:"100"`
	FileName   string  `json:"file_name,omitempty" doc:"Name for the file; it never replaces one that is there. Default: made up." maxLength:"200"`
}

// synthesizeOutput is the structured result of synthesize_speech.
type synthesizeOutput struct {
	Delivery            string   `json:"delivery"`
	AudioURL            string   `json:"audio_url,omitempty" doc:"Needs no key until expires_at"`
	ExpiresAt           string   `json:"expires_at,omitempty"`
	File                string   `json:"file,omitempty" doc:"Path of the audio"`
	Format              string   `json:"format"`
	MIMEType            string   `json:"mime_type"`
	SampleRate          int      `json:"sample_rate"`
	Bytes               int64    `json:"bytes"`
	DurationSeconds     float64  `json:"duration_seconds"`
	Characters          int      `json:"characters" doc:"Length of the text"`
	CharactersRemaining *int64   `json:"characters_remaining,omitempty" doc:"What is left; -1: unlimited"`
	VoiceID             string   `json:"voice_id"`
	Language            string   `json:"language"`
	Notices             []string `json:"notices,omitempty"`
}

// Config holds the services that the tools use, and says how audio reaches the client.
type Config struct {
	Speech   Speaker
	Accounts Accounts
	// Reports says how many characters callers have left; nil leaves that out of results.
	Reports      usage.Reports
	Dictionaries dictionaries.Dictionaries
	Formats      []audio.Codec // the codecs of this deployment; at least one
	// Clips keeps audio for links, which begin with PublicURL; nil makes no links.
	Clips     Clips
	PublicURL string
	// Output is the directory for files, and OutputDir its path; nil writes no files.
	Output    *os.Root
	OutputDir string
	Log       *slog.Logger
}

// Offer returns the tools that speak a text and show how it would be read, with their resources and
// prompts.
func Offer(cfg Config) (tool.Offer, error) {
	t, err := newSynthesis(cfg)
	if err != nil {
		return tool.Offer{}, err
	}
	o := tool.Offer{Tools: []tool.Entry{t.tool(), previewSpokenText(cfg.Speech, cfg.Dictionaries)}, Prompts: speechPrompts()}
	if t.clips != nil {
		o.Templates = []tool.Template{audioTemplate(t.clips)}
	}
	return o, nil
}

// synthesis is the tool synthesize_speech of one face.
type synthesis struct {
	speaker metered
	reports usage.Reports // nil: what remains is not known
	words   dictionaries.Dictionaries
	formats []audio.Codec
	clips   Clips    // nil: no links
	public  string   // address under which links are reached
	output  *os.Root // nil: no files
	dir     string   // absolute path of output
	log     *slog.Logger
}

// newSynthesis checks cfg.
func newSynthesis(cfg Config) (*synthesis, error) {
	t := &synthesis{
		speaker: metered{cfg.Speech, cfg.Accounts}, reports: cfg.Reports, words: cfg.Dictionaries, formats: slices.Clone(cfg.Formats),
		clips: cfg.Clips, public: cfg.PublicURL, output: cfg.Output, log: cfg.Log,
	}
	for _, c := range t.formats {
		if !c.Known() {
			return nil, fmt.Errorf("audio format %q is not known", c)
		}
	}
	if t.output != nil {
		abs, err := filepath.Abs(cfg.OutputDir)
		if err != nil {
			return nil, fmt.Errorf("find output directory: %w", err)
		}
		t.dir = abs
	}
	return t, nil
}

// tool is the registry entry.
func (t *synthesis) tool() tool.Entry {
	return tool.New(tool.Definition{
		Name:        "synthesize_speech",
		Title:       "Speak a text",
		Description: t.describe(),
		Hints:       tool.Hints{}, // a call spends characters, so it is neither read-only nor idempotent
		Timeout:     synthesisTimeout,
		Refine:      t.refine,
	}, t.speak)
}

func (t *synthesis) describe() string {
	switch {
	case t.output != nil:
		return "Turn text into speech and write it to a file, or return it inline. Numbers, dates and units are read out in the language."
	case t.clips != nil:
		return "Turn text into speech and get a link to the audio, or the audio itself. Charged per character. Numbers, dates and units are read out in the language."
	}
	return "Turn text into speech and return the audio in the result: short texts, about " +
		strconv.Itoa(int(t.inlineSeconds(t.format(synthesizeInput{})))) +
		" s with the defaults. Charged per character. Numbers, dates and units are read out in the language."
}

// refine adapts the schemas to what this deployment and this face offer.
func (t *synthesis) refine(in, out *schema.Schema) {
	format := in.Member("format")
	var raw, steady []string
	for _, c := range t.formats {
		format.Enum = append(format.Enum, string(c))
		if c.Raw() {
			raw = append(raw, string(c))
		}
		if c.Lossy() { // its default bit rate is the same at every sample rate
			steady = append(steady, string(c))
		}
	}
	rate := in.Member("sample_rate")
	if len(steady) > 0 {
		rate.Description += ", except for " + strings.Join(steady, ", ")
	}
	rate.Description += "."
	if len(raw) > 0 {
		format.Description += " Without a header: " + strings.Join(raw, ", ") + "."
	}
	format.Default = string(t.defaultFormat())
	delivery := in.Member("delivery")
	delivery.Default = t.deliveries()[0]
	for _, d := range t.deliveries() {
		delivery.Enum = append(delivery.Enum, d)
	}
	switch delivery.Default {
	case tool.DeliverFile:
		delivery.Description = "file: written to the output directory of this server. " + delivery.Description
	case tool.DeliverLink:
		delivery.Description = "link: audio_url, good until expires_at. " + strings.TrimSuffix(delivery.Description, ".") + ", else linked."
	}
	if t.words.Service == nil {
		in.Remove(dictionaries.Argument)
	}
	if t.output == nil {
		in.Remove("file_name")
		out.Remove("file")
	}
	if t.clips == nil {
		out.Remove("audio_url")
		out.Remove("expires_at")
	}
	if t.reports == nil {
		out.Remove("characters_remaining")
	}
}

// deliveries returns the ways in which audio can be delivered, the default first.
func (t *synthesis) deliveries() []string {
	switch {
	case t.output != nil:
		return []string{tool.DeliverFile, tool.DeliverInline}
	case t.clips != nil:
		return []string{tool.DeliverLink, tool.DeliverInline}
	}
	return []string{tool.DeliverInline}
}

// defaultFormat returns mp3, the smallest format that every player knows, or wav without its
// library.
func (t *synthesis) defaultFormat() audio.Codec {
	for _, c := range []audio.Codec{audio.MP3, audio.WAV} {
		if slices.Contains(t.formats, c) {
			return c
		}
	}
	return t.formats[0]
}

// format returns the audio format that a call asks for, with defaults filled in.
func (t *synthesis) format(in synthesizeInput) audio.Format {
	f := audio.Format{Codec: audio.Codec(in.Format), SampleRate: in.SampleRate}
	if f.Codec == "" {
		f.Codec = t.defaultFormat()
	}
	if f.SampleRate == 0 {
		f.SampleRate = audio.DefaultSampleRate
	}
	return f
}

// speak handles a call of synthesize_speech.
func (t *synthesis) speak(ctx context.Context, c tool.Call, in synthesizeInput) (tool.Answer[synthesizeOutput], error) {
	words, err := t.words.Use(ctx, c, in.Dictionary)
	if err != nil {
		t.speaker.refused(ctx, c.Caller, err)
		return tool.Answer[synthesizeOutput]{}, err
	}
	req := speech.Request{
		Text: in.Text, Voice: in.VoiceID, Language: in.Language,
		Format: t.format(in), Speed: in.Speed, Dictionaries: words,
	}
	if in.Delivery == "" {
		in.Delivery = t.deliveries()[0]
	}
	if in.Delivery == tool.DeliverFile {
		return t.speakToFile(ctx, c, req, in.FileName)
	}
	if in.FileName != "" {
		return tool.Answer[synthesizeOutput]{}, fault.BadParameter("file_name", "file_name goes with delivery file, got delivery %s", in.Delivery)
	}
	return t.speakOver(ctx, c, req, in.Delivery == tool.DeliverLink)
}
