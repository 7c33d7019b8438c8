package clip

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"vaak/internal/blob"
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
	body, info, err := s.store.Open(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return Content{}, NotFound()
	}
	if err != nil {
		return Content{}, fmt.Errorf("open a clip: %w", err)
	}
	c, ok := s.read(info)
	if !ok || !c.Expires.After(s.now()) {
		_ = body.Close() // read only
		return Content{}, NotFound()
	}
	return Content{c, body}, nil
}

// read returns the clip that a blob is. It returns false if the blob is not a clip of this
// service, is unfinished, or has another length than its header says.
func (s *Service) read(info blob.Info) (Clip, bool) {
	c, ok := decode([]byte(info.Head), s.heads)
	// A header is valid for one name, so a copied blob is no clip.
	return c, ok && c.ID == info.Name && c.Size == info.Size
}

// directFor is how long a link to the store works at most.
const directFor = 5 * time.Minute

// Direct returns a URL from which a client can read a clip where it is kept, for five minutes and
// no longer than the clip is kept; "" if clients cannot reach that. It asks the store nothing.
func (s *Service) Direct(ctx context.Context, c Clip) (string, error) {
	lasts := min(directFor, c.Expires.Sub(s.now())).Truncate(time.Second)
	if s.direct == nil || lasts < time.Second {
		return "", nil
	}
	link, err := s.direct.Link(ctx, c.ID, map[string]string{
		"Content-Type": c.ContentType, "Content-Disposition": c.Disposition(), "Cache-Control": "private",
	}, lasts)
	if err != nil {
		return "", fmt.Errorf("sign a link to a clip: %w", err)
	}
	return link, nil
}

// Disposition is the header Content-Disposition of the clip.
func (c Clip) Disposition() string { return `inline; filename="` + c.Name + `"` }
