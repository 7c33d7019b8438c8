package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"vaak/account"
	"vaak/app/deployment"
	"vaak/app/usage"
	"vaak/audio"
	"vaak/speech"
	"vaak/speech/passage"
)

type speakCommand struct {
	engineFlags
	DataDir    string  `help:"Data directory of the server, for the voices that were added to it." default:"var" placeholder:"DIR" type:"path"`
	Voice      string  `help:"Voice id or name. Default: that of the language." placeholder:"V"`
	Lang       string  `help:"Language of all of the text, in any form. Default: detected, part by part." placeholder:"L"`
	Format     string  `help:"Audio format: ${formats}. Default: that of the output file's name, else wav." placeholder:"F"`
	SampleRate int     `help:"Hz: 8000, 16000, 22050, 24000, 32000, 44100 or 48000. Default: 24000, for ulaw and alaw 8000." placeholder:"HZ"`
	Bitrate    int     `help:"Bit rate of ${lossy} in kbit/s. Default: the format's own." name:"bitrate-kbps" placeholder:"KBPS"`
	Speed      float64 `help:"0.7 to 1.5." default:"1"`
	Emoji      string  `help:"Read emoji by name: silent or named." default:"silent" placeholder:"HOW"`
	URLs       string  `name:"urls" help:"Read web addresses up to the end of the host, or whole: host or full." default:"host" placeholder:"HOW"`
	Markdown   bool    `help:"Leave out the signs of Markdown, code blocks and link addresses. --no-markdown reads every sign as text." default:"true" negatable:""`
	Output     string  `short:"o" help:"File to write; - or nothing is standard output, unless that is a terminal." placeholder:"FILE"`
	VTT        string  `name:"vtt" help:"File to write captions to, in WebVTT; - is standard output, if the audio has a file." placeholder:"FILE"`
	Text       string  `arg:"" help:"What to say, of any length; - reads standard input."`
}

// Help is the rest of what --help shows.
func (speakCommand) Help() string {
	return `Text of any length is spoken as it is read, into one file or stream, in the memory of a part of 5,000 characters. Parts end at the ends of paragraphs or sentences. Who writes sentence by sentence to standard input is spoken sentence by sentence.

A file is written whole or not at all: when anything fails, or on Ctrl-C, an older one stays as it was.

The text is one argument, so it is quoted when it has spaces. One that begins with - comes last, after --.

Examples:

    vaak speak -o hello.wav "Hello from Vaak."
    vaak speak --lang hi -o story.mp3 --vtt story.vtt - < story.txt
    vaak speak --format opus - < book.txt | ffplay -nodisp -autoexit -
    vaak speak -o cold.wav -- "-5 degrees"
    tail -f notes.txt | vaak speak --format pcm - | aplay -f S16_LE -r 24000
`
}

// errInterrupted is the error of a command that a signal ended.
var errInterrupted = errors.New("interrupted")

// patience is how long a command may take to end after a signal. Without it a write to a
// pipe that nobody reads would never end.
const patience = time.Second

// Run speaks the text to a file or to standard output.
func (c speakCommand) Run(ctx context.Context, s streams, file *configFile) error {
	c.Output, c.VTT = filePath(c.Output), filePath(c.VTT)
	if err := c.check(); err != nil {
		return err
	}
	if f, ok := s.out.(*os.File); ok && isStdout(c.Output) && isTerminal(f) {
		return usage.Errorf("audio does not go to a terminal: name a file with -o FILE, or send it on, such as | ffplay -nodisp -autoexit -")
	}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it, and the command goes on then
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGHUP)
		defer stop()
	}
	out, err := c.outputs(ctx, s)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.speak(ctx, s, file, out) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(patience):
			err = errInterrupted // the goroutine hangs in a write, and ends with the program
		}
	}
	if err = errors.Join(err, out.end(err == nil)); err != nil {
		return err
	}
	for _, notice := range out.notices {
		fmt.Fprintln(s.err, "note: "+notice)
	}
	return nil
}

// speak speaks the text into outputs, which the caller ends.
func (c speakCommand) speak(ctx context.Context, s streams, file *configFile, out *speakOutputs) (err error) {
	defer out.meter.end()
	log := logger(s, slog.LevelError)
	engine := c.engine(deployment.Place{DataDir: c.DataDir})
	e, err := engine.Open(log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	svc, err := file.speech(e, log)
	if err != nil {
		return err
	}
	codec, err := c.codec()
	if err != nil {
		return err
	}
	style, err := speech.ParseStyle(&c.Markdown, c.Emoji, c.URLs)
	if err != nil {
		return c.inFlags(err)
	}
	from := passage.New(c.text(s), speech.MaxCharacters)
	defer from.Close()
	result, err := svc.Recite(ctx, account.Local, speech.Request{
		Voice: c.Voice, Language: c.Lang, Speed: c.Speed, Style: style,
		Format: audio.Format{Codec: codec, SampleRate: c.SampleRate, BitrateKbps: c.Bitrate},
	}, from, out.writer())
	if err == nil {
		out.notices = result.Notices
		return out.finish()
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	return c.inFlags(err)
}

func (c speakCommand) text(s streams) io.Reader {
	if c.Text == "-" {
		return s.in
	}
	return strings.NewReader(c.Text)
}
