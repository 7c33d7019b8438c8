package clip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Path is where links lead: the name of the clip follows.
const Path = "/v1/audio/clips/"

// Link returns the address at which a clip can be had without a key until it
// expires. PublicURL is that of the server, such as https://speech.example.org.
func (s *Service) Link(publicURL string, c Clip) string {
	expires := strconv.FormatInt(c.Expires.Unix(), 10)
	return strings.TrimRight(publicURL, "/") + Path + c.Name +
		"?expires=" + expires + "&signature=" + s.links.Sign(c.ID, expires)
}

// Linked opens the clip of a link; expires and signature are as they stand in it.
// A link that was not made here, one that has expired and one whose clip is gone
// give the same *fault.Error of kind NotFound.
func (s *Service) Linked(ctx context.Context, id, expires, signature string) (Content, error) {
	if !s.links.Verify(signature, id, expires) {
		return Content{}, NotFound()
	}
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || until <= s.now().Unix() {
		return Content{}, NotFound()
	}
	return s.open(ctx, id)
}

// Owned opens a clip for its owner. That of another organisation is not found.
func (s *Service) Owned(ctx context.Context, org, id string) (Content, error) {
	c, err := s.open(ctx, id)
	if err != nil {
		return Content{}, err
	}
	if c.Org != org {
		_ = c.Body.Close() // read only
		return Content{}, NotFound()
	}
	return c, nil
}

// open opens a clip that has not expired.
func (s *Service) open(ctx context.Context, id string) (Content, error) {
	if ctx.Err() != nil {
		return Content{}, context.Cause(ctx)
	}
	if !isID(id) {
		return Content{}, NotFound()
	}
	f, err := s.file(id)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESTALE) || errors.Is(err, errNoFile) {
		return Content{}, NotFound()
	}
	if err != nil {
		return Content{}, fmt.Errorf("open a clip: %w", err)
	}
	c, err := s.read(f, id)
	if err != nil || !c.Expires.After(s.now()) {
		_ = f.Close() // read only
		if err != nil {
			return Content{}, err
		}
		return Content{}, NotFound()
	}
	return Content{c, body{io.NewSectionReader(f, headBytes, c.Size), f}}, nil
}

// body is the audio in a file.
type body struct {
	*io.SectionReader
	io.Closer
}

// errNoFile says that what has a name is neither a clip nor a draft.
var errNoFile = errors.New("it is no regular file")

// file opens a regular file. Links are not followed, and pipes not waited for.
func (s *Service) file(name string) (*os.File, error) {
	info, err := s.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		return nil, err
	}
	f, err := s.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, errors.Join(err, errNoFile, f.Close())
	}
	return f, nil
}

// read returns the clip in a file, which is not found where the file is none of
// ours, was not finished, or is not as long as its head says.
func (s *Service) read(f *os.File, name string) (Clip, error) {
	b := make([]byte, headBytes)
	if _, err := f.ReadAt(b, 0); errors.Is(err, io.EOF) {
		return Clip{}, NotFound()
	} else if err != nil {
		return Clip{}, fmt.Errorf("read the head of a clip: %w", err)
	}
	c, ok := decode(b, s.heads)
	if !ok || c.ID != name {
		return Clip{}, NotFound()
	}
	info, err := f.Stat()
	if err != nil {
		return Clip{}, fmt.Errorf("read the head of a clip: %w", err)
	}
	if info.Size() != headBytes+c.Size {
		return Clip{}, NotFound()
	}
	return c, nil
}
