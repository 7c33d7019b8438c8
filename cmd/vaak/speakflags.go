package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"vaak/app/usage"
	"vaak/audio"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// filePath returns the path of an output in full, as kong does for flags of type path. "" and
// "-" are no paths and stay.
func filePath(name string) string {
	if isStdout(name) {
		return name
	}
	return kong.ExpandPath(name)
}

// check refuses two outputs that are the same, and a file name of no known format.
func (c speakCommand) check() error {
	switch {
	case isStdout(c.VTT) && c.VTT != "" && isStdout(c.Output):
		return usage.Errorf("--vtt - and the audio cannot both be standard output; give one of them a file")
	case !isStdout(c.VTT) && !isStdout(c.Output) && sameTarget(c.VTT, c.Output):
		return usage.Errorf("--vtt and --output name the same file, %s", c.VTT)
	}
	_, err := c.codec()
	return err
}

// sameTarget reports whether two names lead to the same file, which need not exist.
func sameTarget(a, b string) bool {
	if a == b {
		return true
	}
	a, err := target(a)
	b, berr := target(b)
	return err == nil && berr == nil && a == b
}

// formats lists the audio formats for a person: mp3, opus ... or alaw.
func formats() string {
	names := make([]string, len(audio.Codecs))
	for i, c := range audio.Codecs {
		names[i] = string(c)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// isStdout reports whether an output is standard output.
func isStdout(name string) bool { return name == "" || name == "-" }

// codec returns the format that the flag names, or else the name of the file; wav without
// either.
func (c speakCommand) codec() (audio.Codec, error) {
	if c.Format != "" {
		return audio.Codec(c.Format), nil
	}
	ext := filepath.Ext(c.Output)
	name := strings.TrimPrefix(strings.ToLower(ext), ".")
	if name == "" {
		return audio.WAV, nil
	}
	for _, c := range audio.Codecs {
		if name == string(c) || name == c.Extension() {
			return c, nil
		}
	}
	return "", usage.Errorf("--output: %.64q is no audio format that is known; name one with --format", ext)
}

// speakFlags are the flags by the names that their values have in a request.
var speakFlags = map[string]string{
	"voice": "--voice", "lang": "--lang", "response_format": "--format", "sample_rate": "--sample-rate",
	"bitrate_kbps": "--bitrate-kbps", "speed": "--speed", "emoji": "--emoji", "urls": "--urls",
}

// inFlags turns the error of a request into one that names the flag at fault.
func (c speakCommand) inFlags(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.Invalid && f.Kind != fault.NotFound {
		return err
	}
	flag := speakFlags[f.Field]
	switch {
	case flag == "":
		return err
	case f.Code == fault.CodeVoiceNotFound:
		without, _, _ := strings.Cut(strings.TrimPrefix(f.Msg, "voice "), "; GET ")
		return usage.Errorf("%s: %s; %s, and docs/voices.md has all", flag, without, c.voices())
	}
	// No server answers here, so the sentence points to the page instead.
	text := strings.Replace(f.Msg, "GET /v1/languages lists", "docs/languages.md lists", 1)
	return usage.Errorf("%s: %s", flag, strings.TrimPrefix(text, f.Field+" "))
}

// voices names a few voices of the language that the flag names, or of English.
func (c speakCommand) voices() string {
	tag, _ := lang.Find(c.Lang)
	of, _ := lang.Lookup(voice.Default(tag.Code).Native)
	var few []string
	for _, v := range voice.ForLanguage(of.Code) {
		if few = append(few, fmt.Sprintf("%s (%s)", v.ID, v.Name)); len(few) == 3 {
			break
		}
	}
	return fmt.Sprintf("voices of %s are %s", of.Name, strings.Join(few, ", "))
}
