// Package clip keeps spoken audio for a quarter of an hour, for those who have its link.
//
// A clip is a file in one directory: a small signed header, which says whose it is and when
// it expires, and the audio after it. Several servers may share the directory. The files are
// the truth; what a server remembers of them is refreshed as it ages. A link is signed for
// one clip and its time of expiry, so it needs no key and can be neither guessed nor
// extended.
package clip

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"vaak/internal/fault"
	"vaak/internal/seal"
)

// DefaultTTL is how long a clip is kept.
const DefaultTTL = 15 * time.Minute

// Config configures [Open].
type Config struct {
	// Dir is the directory of the clips. It is created with mode 0700 if it is missing.
	// Required.
	Dir string
	// MaxBytes limits the room of all clips and must be at least [MinRoom]. Each clip takes
	// whole blocks of 4,096 bytes, and at most a quarter of the room. Required.
	MaxBytes int64
	// Secret signs links and headers. Servers that share the directory must share it.
	// Required.
	Secret *seal.Secret
	// Logger receives failures of the sweep; nil discards them.
	Logger *slog.Logger
	// TTL is how long a clip is kept; 0 is [DefaultTTL].
	TTL time.Duration
	// Now returns the current time; nil is [time.Now].
	Now func() time.Time
}

// MinRoom is the smallest allowed Config.MaxBytes.
const MinRoom = 1 << 20

// Service keeps clips. It is safe for concurrent use.
type Service struct {
	root   *os.Root
	links  *seal.Key
	heads  *seal.Key
	log    *slog.Logger
	ttl    time.Duration
	now    func() time.Time
	stop   context.CancelFunc // of the sweep; nil before Start
	sweeps sync.WaitGroup

	mu   sync.Mutex // guards room; held during single file operations, not during a scan
	room room
}

// Clip describes audio that is kept.
type Clip struct {
	ID          string    // "clip_" and 26 letters and digits, of which 128 bits are random
	Org         string    // the organisation that owns it
	ContentType string    // of the audio, with its parameters
	Name        string    // the file name for downloads: the id and the extension
	Size        int64     // bytes of the audio
	Expires     time.Time // whole seconds
}

// Content is a clip opened for reading. Body must be closed. It can be read to the end even
// if the clip expires meanwhile.
type Content struct {
	Clip
	Body io.ReadSeekCloser
}

// Open opens a directory of clips. [Service.Close] must be called.
func Open(c Config) (*Service, error) {
	switch {
	case c.Dir == "":
		return nil, errors.New("open clips: no directory is given")
	case c.Secret == nil:
		return nil, errors.New("open clips: no secret is given")
	case c.MaxBytes < MinRoom:
		return nil, fmt.Errorf("open clips: room of %d bytes is under %d", c.MaxBytes, MinRoom)
	// Expiry is kept in whole seconds.
	case c.TTL < 0 || c.TTL > 0 && c.TTL < time.Second:
		return nil, fmt.Errorf("open clips: TTL %s is under a second", c.TTL)
	}
	s := &Service{
		links: c.Secret.For("link to a clip"),
		heads: c.Secret.For("head of a clip"),
		log:   cmp.Or(c.Logger, slog.New(slog.DiscardHandler)),
		ttl:   cmp.Or(c.TTL, DefaultTTL),
		now:   c.Now,
		room:  newRoom(c.MaxBytes),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open clips: %w", err)
	}
	root, err := os.OpenRoot(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("open clips: %w", err)
	}
	s.root = root
	if err := s.rescan(); err != nil {
		return nil, fmt.Errorf("open clips: %w", errors.Join(err, root.Close()))
	}
	return s, nil
}

// sweepEvery is the time between two sweeps.
const sweepEvery = time.Minute

// Start sweeps now and then every minute, until ctx ends or the service is closed. It may be
// called once, before Close.
func (s *Service) Start(ctx context.Context) {
	ctx, s.stop = context.WithCancel(ctx)
	s.sweeps.Go(func() {
		ticks := time.NewTicker(sweepEvery)
		defer ticks.Stop()
		for ctx.Err() == nil {
			if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("clips cannot be swept", "error", err)
			}
			select {
			case <-ticks.C:
			case <-ctx.Done():
			}
		}
	})
}

// Close stops the sweep and waits for it. Clips opened before stay readable; no other method
// may be called after it.
func (s *Service) Close() error {
	if s.stop != nil {
		s.stop()
	}
	s.sweeps.Wait()
	return s.root.Close()
}

// NotFound returns the error for every link and id without a clip. It is the same for an
// unknown, expired, forged or foreign one, so that nobody can tell these apart.
func NotFound() error {
	return fault.New(fault.NotFound, fault.CodeClipNotFound, "",
		"there is no such clip, or its link has expired; audio is kept for minutes only, so have the text spoken again")
}
