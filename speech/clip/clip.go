// Package clip keeps what was spoken for a quarter of an hour, for those who have
// the link.
//
// Clips are files of one directory, each with a small signed head that says whose
// it is and until when, and the audio behind it. Servers may share the directory:
// what is there counts, and what a server knows of it in memory is looked up anew
// as it ages. A link is signed for one clip and one time, so that it needs no key
// and can be neither guessed nor prolonged.
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

// Config is what [Open] needs.
type Config struct {
	// Dir is the directory, which is made with mode 0700 when it is not there.
	// Required.
	Dir string
	// MaxBytes is the room of all clips, at least [MinRoom]. Each takes whole blocks
	// of 4,096 bytes, one at least, and a quarter of the room at most. Required.
	MaxBytes int64
	// Secret signs links and heads; servers that share the directory share it, too.
	// Required.
	Secret *seal.Secret
	// Logger takes failures of the sweep; nil discards them.
	Logger *slog.Logger
	// TTL is how long a clip is kept; 0 is [DefaultTTL].
	TTL time.Duration
	// Now tells the time; nil is [time.Now].
	Now func() time.Time
}

// MinRoom is the least room that a directory of clips may have.
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

	mu   sync.Mutex
	room room
}

// Clip is what was kept.
type Clip struct {
	ID          string    // "clip_" and 26 letters and digits, of which 128 bits are random
	Org         string    // whose it is
	ContentType string    // of the audio, with its parameters
	Name        string    // of a file: the id and the extension
	Size        int64     // bytes of the audio
	Expires     time.Time // whole seconds
}

// Content is a clip that can be read. Body must be closed; it can be read to its
// end though the clip expires meanwhile.
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
	if err := s.look(); err != nil {
		return nil, fmt.Errorf("open clips: %w", errors.Join(err, root.Close()))
	}
	return s, nil
}

// sweepEvery is the time between two sweeps.
const sweepEvery = time.Minute

// Start sweeps now and every minute until ctx ends or the service is closed. It is
// called once at most, and not after Close.
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

// Close ends the sweep and waits for it. Clips that are being read can be read on;
// nothing else may be asked of the service.
func (s *Service) Close() error {
	if s.stop != nil {
		s.stop()
	}
	s.sweeps.Wait()
	return s.root.Close()
}

// NotFound returns the error of every link and id that gives nothing, be it unknown,
// expired, forged or of another organisation: nobody learns which.
func NotFound() error {
	return fault.New(fault.NotFound, fault.CodeClipNotFound, "",
		"there is no such clip, or its link has expired; audio is kept for minutes only, so have the text spoken again")
}
