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

// Path is the path of links; the name of the clip follows.
const Path = "/v1/audio/clips/"

// Link returns the URL of a clip, which needs no key and works until the clip expires.
// publicURL is the server's own, such as https://speech.example.org.
func (s *Service) Link(publicURL string, c Clip) string {
	expires := strconv.FormatInt(c.Expires.Unix(), 10)
	return strings.TrimRight(publicURL, "/") + Path + c.Name +
		"?expires=" + expires + "&signature=" + s.links.Sign(c.ID, expires)
}

// Linked opens the clip of a link; expires and signature are parameters of the link. A
// forged link, an expired one and one whose clip is gone give the same *fault.Error of kind
// NotFound.
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

// Owned opens a clip for its owner. A clip of another organisation is not found.
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
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESTALE) || errors.Is(err, errNotRegular) {
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

// body reads the audio of a file, after its header.
type body struct {
	*io.SectionReader
	io.Closer
}

// errNotRegular means that a name belongs to something other than a regular file.
var errNotRegular = errors.New("it is no regular file")

// file opens a regular file. It does not follow links and does not block on pipes: another
// process may have put anything into the directory.
func (s *Service) file(name string) (*os.File, error) {
	info, err := s.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, err
	}
	f, err := s.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	// The file may have been replaced between Lstat and OpenFile.
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, errors.Join(err, errNotRegular, f.Close())
	}
	return f, nil
}

// read returns the clip in a file. The error is [NotFound] if the file is not a clip of this
// service, is unfinished, or has another length than its header says.
func (s *Service) read(f *os.File, name string) (Clip, error) {
	b := make([]byte, headBytes)
	if _, err := f.ReadAt(b, 0); errors.Is(err, io.EOF) {
		return Clip{}, NotFound()
	} else if err != nil {
		return Clip{}, fmt.Errorf("read the head of a clip: %w", err)
	}
	c, ok := decode(b, s.heads)
	// A header is valid for one name, so a copied file is no clip.
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
