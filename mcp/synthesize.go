package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/internal/fault"
	"vaak/speech"
)

// synthesisTimeout is how long the longest text may take.
const synthesisTimeout = 120 * time.Second

// The ways in which audio is handed over.
const (
	deliverInline = "inline"
	deliverFile   = "file"
)

// synthesizeInput are the arguments of synthesize_speech. The values of
// format and delivery depend on the deployment; see refine.
type synthesizeInput struct {
	Text       string  `json:"text" doc:"Plain text to speak, in any of the languages or several. No SSML." minLength:"1" maxLength:"5000"`
	VoiceID    string  `json:"voice_id,omitempty" doc:"Voice from search_voices (sv_...). Default: a native voice of the language." maxLength:"100"`
	Language   string  `json:"language,omitempty" doc:"Code, tag or name, such as hi, en-IN or Tamil. Default: detected from the text." maxLength:"100"`
	Format     string  `json:"format,omitempty" doc:"Audio format."`
	SampleRate int     `json:"sample_rate,omitempty" doc:"Hz. Lower is smaller; 8000 is telephone quality." default:"24000" enum:"8000,16000,22050,24000,32000,44100,48000"`
	Speed      float64 `json:"speed,omitempty" doc:"1.5 is half as fast again; pitch stays." default:"1" minimum:"0.7" maximum:"1.5"`
	Delivery   string  `json:"delivery,omitempty" doc:"inline: the audio is in the result, up to 262144 bytes."`
	FileName   string  `json:"file_name,omitempty" doc:"Name for the file; it never replaces one that is there. Default: made up." maxLength:"200"`
}

// synthesizeOutput is the structured result of synthesize_speech.
type synthesizeOutput struct {
	Delivery        string   `json:"delivery"`
	File            string   `json:"file,omitempty" doc:"Path of the file"`
	Format          string   `json:"format"`
	MIMEType        string   `json:"mime_type"`
	SampleRate      int      `json:"sample_rate" doc:"Hz"`
	Bytes           int64    `json:"bytes"`
	DurationSeconds float64  `json:"duration_seconds"`
	Characters      int      `json:"characters" doc:"Of the text, as they are counted"`
	VoiceID         string   `json:"voice_id"`
	Language        string   `json:"language"`
	Notices         []string `json:"notices,omitempty"`
}

// synthesis is the tool synthesize_speech of one face.
type synthesis struct {
	speaker Speaker
	formats []audio.Codec
	output  *os.Root // nil: no files
	dir     string   // absolute path of output
}

func newSynthesis(speaker Speaker, formats []audio.Codec, output *os.Root, dir string) (*synthesis, error) {
	t := &synthesis{speaker: speaker, formats: slices.Clone(formats), output: output}
	for _, c := range formats {
		if !c.Known() {
			return nil, fmt.Errorf("audio format %q is not known", c)
		}
	}
	if output != nil {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("find output directory: %w", err)
		}
		t.dir = abs
	}
	return t, nil
}

// tool is the registry entry.
func (t *synthesis) tool() entry {
	return tool(definition{
		name:        "synthesize_speech",
		title:       "Speak a text",
		description: t.describe(),
		hints:       Hints{}, // it spends characters, so it is not read-only, and twice costs twice
		timeout:     synthesisTimeout,
		refine:      t.refine,
	}, t.speak)
}

func (t *synthesis) describe() string {
	if t.output != nil {
		return "Turn text into speech and write it to a file, or return it inline. Numbers, dates and units are read out in the language."
	}
	return "Turn text into speech and return the audio in the result: short texts, about " +
		strconv.Itoa(int(t.inlineSeconds(t.format(synthesizeInput{})))) +
		" s with the defaults. Charged per character. Numbers, dates and units are read out in the language."
}

// refine states what this deployment and this face offer.
func (t *synthesis) refine(in, out *schema) {
	format := in.member("format")
	for _, c := range t.formats {
		format.Enum = append(format.Enum, string(c))
		if c == audio.PCM || c == audio.ULaw || c == audio.ALaw {
			format.Description += " " + string(c) + " has no header."
		}
	}
	format.Default = string(t.defaultFormat())
	delivery := in.member("delivery")
	delivery.Enum, delivery.Default = []any{deliverInline}, deliverInline
	if t.output == nil {
		in.remove("file_name")
		out.remove("file")
		return
	}
	delivery.Enum, delivery.Default = []any{deliverFile, deliverInline}, deliverFile
	delivery.Description = "file: written to the output directory of this server. " + delivery.Description
}

// defaultFormat is mp3, the smallest that every player knows, else wav.
func (t *synthesis) defaultFormat() audio.Codec {
	for _, c := range []audio.Codec{audio.MP3, audio.WAV} {
		if slices.Contains(t.formats, c) {
			return c
		}
	}
	return t.formats[0]
}

// format is what a call asks for, with the defaults filled in.
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

// speak is the handler.
func (t *synthesis) speak(ctx context.Context, caller account.Caller, in synthesizeInput) (answer[synthesizeOutput], error) {
	req := speech.Request{
		Text: in.Text, Voice: in.VoiceID, Language: in.Language,
		Format: t.format(in), Speed: in.Speed,
	}
	if in.Delivery == deliverFile || (in.Delivery == "" && t.output != nil) {
		return t.speakToFile(ctx, caller, req, in.FileName)
	}
	if in.FileName != "" {
		return answer[synthesizeOutput]{}, fault.BadParameter("file_name", "file_name goes with delivery file, got delivery %s", deliverInline)
	}
	return t.speakInline(ctx, caller, req)
}

// report makes the answer of what was spoken.
func (t *synthesis) report(delivery, file string, res speech.Result) answer[synthesizeOutput] {
	out := synthesizeOutput{
		Delivery: delivery, File: file,
		Format: string(res.Format.Codec), MIMEType: res.Format.ContentType(), SampleRate: res.Format.SampleRate,
		Bytes: res.Bytes, DurationSeconds: seconds(res.Duration), Characters: res.Characters,
		VoiceID: string(res.Voice), Language: string(res.Language), Notices: res.Notices,
	}
	var b strings.Builder
	if file != "" {
		fmt.Fprintf(&b, "Wrote %s\n", file)
	}
	fmt.Fprintf(&b, "%g s of %s at %d Hz, %d bytes; voice %s, language %s; %d characters.",
		out.DurationSeconds, out.Format, out.SampleRate, out.Bytes, out.VoiceID, out.Language, out.Characters)
	for _, n := range res.Notices {
		b.WriteString("\n" + n)
	}
	return answer[synthesizeOutput]{value: out, text: b.String()}
}

// seconds are whole milliseconds.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
