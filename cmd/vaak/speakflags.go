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

// filePath returns an output as kong has paths; "" and "-" stay.
func filePath(name string) string {
	if isStdout(name) {
		return name
	}
	return kong.ExpandPath(name)
}

// check refuses outputs that are the same, or of no known format.
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

// sameTarget says that two names are of one file, which need not be there.
func sameTarget(a, b string) bool {
	if a == b {
		return true
	}
	a, err := target(a)
	b, berr := target(b)
	return err == nil && berr == nil && a == b
}

// isStdout says that an output is standard output.
func isStdout(name string) bool { return name == "" || name == "-" }

// codec returns the format that was asked for, by the flag or the name of the file.
func (c speakCommand) codec() (audio.Codec, error) {
	if c.Format != "" {
		return audio.Codec(c.Format), nil
	}
	ext := filepath.Ext(c.Output)
	switch name := audio.Codec(strings.TrimPrefix(strings.ToLower(ext), ".")); {
	case name == "":
		return audio.WAV, nil
	case name == "ogg":
		return audio.Opus, nil
	case name.Known():
		return name, nil
	}
	return "", usage.Errorf("--output: %.64q is no audio format that is known; name one with --format", ext)
}

// speakFlags are the flags that set what a request calls otherwise.
var speakFlags = map[string]string{
	"voice": "--voice", "lang": "--lang", "response_format": "--format", "sample_rate": "--sample-rate",
	"bitrate_kbps": "--bitrate-kbps", "speed": "--speed",
}

// inFlags tells what is wrong with a request as the wrong use of a flag.
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
	said := strings.Replace(f.Msg, "GET /v1/languages lists", "docs/languages.md lists", 1) // there is no server
	return usage.Errorf("%s: %s", flag, strings.TrimPrefix(said, f.Field+" "))
}

// voices names a few that could be meant: those of the language, English without one.
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
