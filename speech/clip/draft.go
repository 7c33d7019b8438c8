package clip

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"vaak/internal/blob"
	"vaak/internal/fault"
)

// Draft is a clip being written. It is an [io.Writer] for one goroutine. Every draft must be
// kept or discarded; if its process dies it is swept an hour later. All its errors are a
// *fault.Error, of kind Unavailable if there is no room and of kind Internal otherwise, so
// that nobody is charged for audio that was lost.
type Draft struct {
	service  *Service
	id, org  string
	out      blob.Draft // nil once the draft is kept or discarded
	size     int64      // bytes of audio written
	room     int64      // bytes reserved for it
	finished bool       // everything but the header is on disk
	err      error      // the first error; it is returned from then on
}

// Begin begins a clip of an organisation. If the room is taken, the oldest clips are removed;
// if that would not be enough, none is. A clip that grows beyond a quarter of the room is
// refused with [ErrTooLarge].
func (s *Service) Begin(org string) (*Draft, error) {
	if len(org) > maxOrg {
		return nil, failure(fmt.Errorf("the id of an organisation has %d bytes, more than %d", len(org), maxOrg), "begin a clip")
	}
	d := &Draft{service: s, id: newID(), org: org}
	// Counted before the file exists, or a scan could take it for the draft of another process.
	if err := d.reserve(HeadBytes); err != nil {
		return nil, err
	}
	out, err := s.store.Create(s.life, d.id)
	if err != nil {
		s.dropDraft(d.id)
		return nil, failure(err, "begin a clip")
	}
	d.out = out
	return d, nil
}

// Write adds audio.
func (d *Draft) Write(p []byte) (int, error) {
	if d.err == nil && (d.out == nil || d.finished) {
		d.err = failure(errors.New("it has ended"), "write a clip")
	}
	if d.err == nil {
		d.err = d.reserve(HeadBytes + d.size + int64(len(p)))
	}
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.out.Write(p)
	d.size += int64(n)
	if err != nil {
		d.err = failure(err, "write a clip")
	}
	return n, d.err
}

// Finish writes everything to disk, so that [Draft.Keep] needs no more room there. It implements
// speech.Finisher: if there is no room for the clip, the caller learns it before anything is
// charged. Nothing can be written after it. Object storage gets the clip from Keep, which may
// therefore fail after Finish: a caller of both charges after Keep.
func (d *Draft) Finish() error {
	if d.err != nil || d.finished {
		return d.err
	}
	if d.out == nil {
		return failure(errors.New("it has ended"), "finish a clip")
	}
	if err := d.out.Sync(); err != nil { // some file systems allocate room only here
		d.err = failure(err, "finish a clip")
	}
	d.finished = true
	return d.err
}

// Keep finishes the clip and makes it available until it expires. If it fails, nothing is
// left of the draft.
func (d *Draft) Keep(kind Kind) (Clip, error) {
	c, err := d.keep(kind)
	if err != nil {
		d.Discard()
		return Clip{}, err
	}
	d.out = nil
	d.service.countKept(c)
	return c, nil
}

func (d *Draft) keep(kind Kind) (Clip, error) {
	if err := d.Finish(); err != nil {
		return Clip{}, err
	}
	if d.out == nil {
		return Clip{}, failure(errors.New("it has ended"), "keep a clip")
	}
	if err := kind.check(); err != nil {
		return Clip{}, failure(err, "keep a clip")
	}
	s := d.service
	c := Clip{
		ID: d.id, Org: d.org, ContentType: kind.ContentType, Name: d.id + "." + kind.Extension,
		Size: d.size, Expires: time.Unix(s.now().Add(s.ttl).Unix(), 0),
	}
	b, err := encode(c, s.heads)
	if err != nil {
		return Clip{}, failure(err, "keep a clip")
	}
	if err := d.out.Commit(string(b)); err != nil {
		return Clip{}, failure(err, "keep a clip")
	}
	return c, nil
}

// Discard gives the draft up. It does nothing after [Draft.Keep].
func (d *Draft) Discard() {
	if d.out == nil {
		return
	}
	d.out.Discard()
	d.out = nil
	d.service.dropDraft(d.id)
}

// retryAfter is the time after which a client may try again when there is no room.
const retryAfter = time.Minute

// errNoRoom returns the error for a clip for which there is no room.
func errNoRoom(cause error) error {
	return fault.Down(fault.CodeStoreUnavailable, retryAfter, cause,
		"there is no room for the audio on the server, and nothing is charged: ask for it inline, or try again later")
}

// ErrTooLarge is the cause of the error for a clip that needs more than a quarter of the
// room. It will never fit.
var ErrTooLarge = errors.New("the clip is larger than its share of the room")

// errTooLarge returns that error; most is the largest possible clip, in bytes of audio.
func errTooLarge(most int64) error {
	return fault.Down(fault.CodeStoreUnavailable, 0, ErrTooLarge,
		"the audio is over the %d bytes that the server keeps of one answer, and nothing is charged: ask for a smaller format, or for less text at a time", most)
}

// failure returns the error for a failed operation. It recognizes errors that mean a lack of
// room, and a store that is away.
func failure(err error, what string) error {
	err = fmt.Errorf("%s: %w", what, err)
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			return errNoRoom(err)
		}
	}
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Unavailable {
		return fault.Down(fault.CodeStoreUnavailable, f.RetryAfter, err,
			"the audio cannot be kept now, and nothing is charged: ask for it inline, or try again later")
	}
	return &fault.Error{Kind: fault.Internal, Code: fault.CodeInternal, Msg: "the audio could not be kept", Err: err}
}
