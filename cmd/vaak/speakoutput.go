package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"vaak/speech/align"
	"vaak/speech/caption"
)

// speakOutputs are what vaak speak writes: audio, captions, and the meter on a terminal.
type speakOutputs struct {
	files    []*newFile // that are kept when all went well
	audio    io.Writer
	captions *caption.Writer // nil without
	meter    *speakMeter
	notices  []string // what the user is told when all went well
}

// outputs opens the outputs that the flags name.
func (c speakCommand) outputs(ctx context.Context, s streams) (*speakOutputs, error) {
	o := &speakOutputs{audio: seekable(s.out), meter: newSpeakMeter(s.err)}
	if !isStdout(c.Output) {
		f, err := createFile(ctx, c.Output)
		if err != nil {
			return nil, err
		}
		o.files, o.audio = append(o.files, f), seekable(f.File)
	}
	if c.VTT == "-" {
		o.captions = caption.New(s.out)
	} else if c.VTT != "" {
		f, err := createFile(ctx, c.VTT)
		if err != nil {
			return nil, errors.Join(err, o.end(false))
		}
		o.files, o.captions = append(o.files, f), caption.New(f)
	}
	return o, nil
}

// finish writes the rest of the captions.
func (o *speakOutputs) finish() error {
	if o.captions == nil {
		return nil
	}
	return o.captions.Close()
}

// end keeps the files, or removes them. A goroutine may still write to files that are not
// kept.
func (o *speakOutputs) end(keep bool) error {
	var err error
	for _, f := range o.files {
		// After one failure no later file is kept, so nobody finds audio without its
		// captions.
		err = errors.Join(err, f.end(keep && err == nil))
	}
	return err
}

// writer returns the writer of the audio. It also takes the times of what is spoken, and can
// rewrite the head of a file, but only where somebody needs that: a service asks its writer
// for these methods, and works more for one that has them.
func (o *speakOutputs) writer() io.Writer {
	if o.captions == nil && o.meter.to == nil {
		return o.audio
	}
	if f, ok := o.audio.(*headFile); ok {
		return struct {
			*headFile
			*speakOutputs
		}{f, o}
	}
	return struct {
		io.Writer
		*speakOutputs
	}{o.audio, o}
}

// Follow takes the times of what is spoken in the audio that is written next.
func (o *speakOutputs) Follow(written, _ align.Alignment) {
	if o.captions != nil {
		_ = o.captions.Add(written) // Close returns the error, too
	}
	o.meter.show(len(written.Characters), written.End)
}

// headFile is a file whose head can be written again, as WAV needs when its length is known.
type headFile struct {
	*os.File
	base int64 // offset of the head, in bytes
}

// Rewrite writes the head again.
func (f *headFile) Rewrite(head []byte) error {
	_, err := f.WriteAt(head, f.base)
	return err
}

// seekable returns a regular file as a [headFile]. It returns any other writer as it is, and
// so a file that is opened for appending, in which no head can be rewritten.
func seekable(w io.Writer) io.Writer {
	f, ok := w.(*os.File)
	if !ok {
		return w
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return w
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_APPEND != 0 {
		return w
	}
	// Standard output may be in the middle of a file, as in (echo x; vaak speak ...) >
	// file. The head is then where the audio begins.
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return w
	}
	return &headFile{f, at}
}

// speakMeter shows on a terminal how much has been spoken, once that takes longer than a
// second. Elsewhere it shows nothing.
type speakMeter struct {
	to         io.Writer // nil: no terminal
	began      time.Time
	drawn      time.Time
	characters int
}

func newSpeakMeter(w io.Writer) *speakMeter {
	m := &speakMeter{began: time.Now()}
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		m.to = f
	}
	return m
}

// show adds characters that were spoken. The audio is ms milliseconds long with them.
func (m *speakMeter) show(characters, ms int) {
	m.characters += characters
	now := time.Now()
	if m.to == nil || now.Sub(m.began) < time.Second || now.Sub(m.drawn) < redraw {
		return
	}
	m.drawn = now
	audio := time.Duration(ms) * time.Millisecond
	fmt.Fprintf(m.to, "\r\x1b[K%d characters spoken, %s of audio, %.0f times as fast as it plays",
		m.characters, audio.Round(time.Second), audio.Seconds()/now.Sub(m.began).Seconds())
}

// end moves on from the line of the meter, so that what follows has a line of its own.
func (m *speakMeter) end() {
	if m.to != nil && !m.drawn.IsZero() {
		fmt.Fprintln(m.to)
	}
}
