package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"vaak/account"
	"vaak/audio"
	"vaak/speech"
)

type speakCommand struct {
	engineFlags
	Voice      string  `help:"Voice id. Default: the language's own." placeholder:"V"`
	Lang       string  `help:"Language, in any form. Default: detected." placeholder:"L"`
	Format     string  `help:"Audio format. Default: that of the output file's name, else wav." placeholder:"F"`
	SampleRate int     `help:"Hz: 8000, 16000, 22050, 24000, 32000, 44100 or 48000. Default: 24000, for ulaw and alaw 8000." placeholder:"HZ"`
	Bitrate    int     `help:"Bit rate of mp3, opus and aac in kbit/s. Default: the format's own." name:"bitrate-kbps" placeholder:"KBPS"`
	Speed      float64 `help:"0.7 to 1.5." default:"1"`
	Output     string  `short:"o" help:"File to write; - or nothing is standard output." placeholder:"FILE" type:"path"`
	Text       string  `arg:"" help:"What to say; - reads standard input."`
}

// Run speaks the text to a file or to standard output.
func (c speakCommand) Run(ctx context.Context, s streams, file *configFile) error {
	text := c.Text
	if text == "-" {
		b, err := io.ReadAll(io.LimitReader(s.in, 4*speech.MaxCharacters+1))
		if err != nil {
			return fmt.Errorf("read the text: %w", err)
		}
		text = strings.TrimRight(string(b), "\n")
	}
	log := logger(s, slog.LevelError)
	e, err := c.open(log)
	if err != nil {
		return err
	}
	svc, err := newSpeech(e, account.Unmetered{}, os.TempDir(), file, kept{}, log)
	if err != nil {
		return errors.Join(err, e.Close())
	}
	req := speech.Request{
		Text: text, Voice: c.Voice, Language: c.Lang, Speed: c.Speed, Stream: c.Output == "" || c.Output == "-",
		Format: audio.Format{Codec: c.codec(), SampleRate: c.SampleRate, BitrateKbps: c.Bitrate},
	}
	return errors.Join(c.write(s, func(w io.Writer) error {
		_, err := svc.Speak(ctx, account.Local, req, w)
		return err
	}), e.Close())
}

func (c speakCommand) codec() audio.Codec {
	if c.Format != "" {
		return audio.Codec(c.Format)
	}
	if filepath.Ext(c.Output) == ".ogg" {
		return audio.Opus
	}
	if byName := audio.Codec(strings.TrimPrefix(filepath.Ext(c.Output), ".")); byName.Known() {
		return byName
	}
	return audio.WAV
}

// write gives do the output, and leaves no broken file behind when it fails.
func (c speakCommand) write(s streams, do func(io.Writer) error) error {
	if c.Output == "" || c.Output == "-" {
		return do(s.out)
	}
	f, err := os.Create(c.Output)
	if err != nil {
		return err
	}
	if err := errors.Join(do(f), f.Close()); err != nil {
		_ = os.Remove(c.Output) // the first error is the one to tell
		return err
	}
	return nil
}
