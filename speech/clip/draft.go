package clip

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"vaak/internal/fault"
)

// Draft is a clip that is being written. It is an [io.Writer] for one goroutine.
// Every draft must be kept or discarded; one whose process died is swept when it
// is an hour old. Its errors are all a *fault.Error, of kind Unavailable where
// there is no room and Internal else, so that nobody pays for what was lost.
type Draft struct {
	service *Service
	id, org string
	file    *os.File // nil when it was kept or discarded
	out     *bufio.Writer
	size    int64 // of the audio
	room    int64 // that is counted to it
	whole   bool  // all is on disk but the head
	err     error // that ended it
}

// draftBuffer gathers the small writes of encoders.
const draftBuffer = 16 << 10

// Begin begins a clip of an organisation. Where the room is taken the oldest clips
// go, and none where that would not be enough. One that would take more than a
// quarter of the room is refused with [ErrTooLarge].
func (s *Service) Begin(org string) (*Draft, error) {
	if len(org) > maxOrg {
		return nil, failed(fmt.Errorf("the id of an organisation has %d bytes, more than %d", len(org), maxOrg), "begin a clip")
	}
	d := &Draft{service: s, id: newID(), org: org}
	if err := d.reserve(headBytes); err != nil {
		return nil, err
	}
	f, err := s.root.OpenFile(d.id, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		s.forget(d.id)
		return nil, failed(err, "begin a clip")
	}
	d.file, d.out = f, bufio.NewWriterSize(f, draftBuffer)
	_, _ = d.out.Write(make([]byte, headBytes)) // it fits the buffer
	return d, nil
}

// Write takes audio.
func (d *Draft) Write(p []byte) (int, error) {
	if d.err == nil && (d.file == nil || d.whole) {
		d.err = failed(errors.New("it has ended"), "write a clip")
	}
	if d.err == nil {
		d.err = d.reserve(headBytes + d.size + int64(len(p)))
	}
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.out.Write(p)
	d.size += int64(n)
	if err != nil {
		d.err = failed(err, "write a clip")
	}
	return n, d.err
}

// Finish puts on disk what was written, so that there is room for all of it and
// [Draft.Keep] needs no more. It is what [speech.Finisher] asks for: a clip for
// which there is no room is told before anything is charged. No more is written
// after it.
//
// [speech.Finisher]: https://pkg.go.dev/vaak/speech#Finisher
func (d *Draft) Finish() error {
	if d.err != nil || d.whole {
		return d.err
	}
	if d.file == nil {
		return failed(errors.New("it has ended"), "finish a clip")
	}
	if err := d.out.Flush(); err != nil {
		d.err = failed(err, "finish a clip")
	} else if err := d.file.Sync(); err != nil { // some file systems look for room only now
		d.err = failed(err, "finish a clip")
	}
	d.out, d.whole = nil, true
	return d.err
}

// Keep finishes the clip and makes it one that can be had, from now until it
// expires. When it fails nothing is left.
func (d *Draft) Keep(kind Kind) (Clip, error) {
	c, err := d.keep(kind)
	if err != nil {
		d.Discard()
		return Clip{}, err
	}
	d.file = nil
	d.service.kept(c)
	return c, nil
}

func (d *Draft) keep(kind Kind) (Clip, error) {
	if err := d.Finish(); err != nil {
		return Clip{}, err
	}
	if d.file == nil {
		return Clip{}, failed(errors.New("it has ended"), "keep a clip")
	}
	if err := kind.check(); err != nil {
		return Clip{}, failed(err, "keep a clip")
	}
	s := d.service
	c := Clip{
		ID: d.id, Org: d.org, ContentType: kind.ContentType, Name: d.id + "." + kind.Extension,
		Size: d.size, Expires: time.Unix(s.now().Add(s.ttl).Unix(), 0),
	}
	b, err := encode(c, s.heads)
	if err != nil {
		return Clip{}, failed(err, "keep a clip")
	}
	if _, err := d.file.WriteAt(b, 0); err != nil {
		return Clip{}, failed(err, "keep a clip")
	}
	if err := d.file.Close(); err != nil {
		return Clip{}, failed(err, "keep a clip")
	}
	if _, err := s.root.Lstat(d.id); err != nil { // it was taken for one of a dead process
		return Clip{}, failed(err, "keep a clip")
	}
	return c, nil
}

// Discard gives the draft up; after [Draft.Keep] it does nothing.
func (d *Draft) Discard() {
	if d.file == nil {
		return
	}
	_ = d.file.Close()              // nothing of it is wanted
	_ = d.service.root.Remove(d.id) // else it is swept in an hour
	d.file, d.out = nil, nil
	d.service.forget(d.id)
}

// retryAfter is how long room may take to come back.
const retryAfter = time.Minute

// errNoRoom says that there is no room for a clip.
func errNoRoom(cause error) error {
	return fault.Down(fault.CodeStoreUnavailable, retryAfter, cause,
		"there is no room for the audio on the server, and nothing is charged: ask for it inline, or try again later")
}

// ErrTooLarge is the cause of the error of a clip that would take more than its
// share of the room, and so will never be kept.
var ErrTooLarge = errors.New("the clip is larger than its share of the room")

// errTooLarge says how large a clip may be, in bytes of audio.
func errTooLarge(most int64) error {
	return fault.Down(fault.CodeStoreUnavailable, 0, ErrTooLarge,
		"the audio is over the %d bytes that the server keeps of one answer, and nothing is charged: ask for a smaller format, or for less text at a time", most)
}

// failed says what was being done, and of want of room that it is that.
func failed(err error, what string) error {
	err = fmt.Errorf("%s: %w", what, err)
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			return errNoRoom(err)
		}
	}
	return &fault.Error{Kind: fault.Internal, Code: fault.CodeInternal, Msg: "the audio could not be kept", Err: err}
}
