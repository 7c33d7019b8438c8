package main

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"vaak/speech/align"
	"vaak/speech/caption"
)

// speakOutputs are what vaak speak writes: audio, captions, and on a terminal how far
// it has come.
type speakOutputs struct {
	files    []*newFile // that are kept when all went well
	audio    io.Writer
	captions *caption.Writer // nil without
	meter    *speakMeter
	notices  []string // for the user, once all went well
}

// outputs opens them.
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

// finish writes what is left of the captions.
func (o *speakOutputs) finish() error {
	if o.captions == nil {
		return nil
	}
	return o.captions.Close()
}

// end keeps the files, or leaves nothing of them. They may be written to still if they
// are not kept.
func (o *speakOutputs) end(keep bool) error {
	var err error
	for _, f := range o.files {
		err = errors.Join(err, f.end(keep && err == nil))
	}
	return err
}

// writer returns what takes the audio, and is told what is said when if anybody
// wants to know.
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

// Follow takes the times of what is said in the audio that comes next. What fails is
// told when all is spoken.
func (o *speakOutputs) Follow(written, _ align.Alignment) {
	if o.captions != nil {
		_ = o.captions.Add(written) // Close returns it again
	}
	o.meter.show(len(written.Characters), written.End)
}

// headFile is a file whose head can be written again.
type headFile struct {
	*os.File
	base int64 // where the head is
}

// Rewrite writes the head again.
func (f *headFile) Rewrite(head []byte) error {
	_, err := f.WriteAt(head, f.base)
	return err
}

// seekable returns a plain file that is not appended to as a [headFile], any other
// writer as it is.
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
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return w
	}
	return &headFile{f, at}
}
