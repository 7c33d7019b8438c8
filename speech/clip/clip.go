// Package clip keeps spoken audio for a quarter of an hour, for those who have its link.
//
// A clip is a blob, in a directory or in object storage: the audio, and a small signed header,
// which says whose it is and when it expires. Several servers may share the blobs. These are the
// truth; what a server remembers of them is refreshed as it ages, and beside requests where
// looking takes a network. A link is signed for one clip and its time of expiry, so it needs no
// key and can be neither guessed nor extended.
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

	"vaak/internal/blob"
	"vaak/internal/fault"
	"vaak/internal/seal"
)

// DefaultTTL is how long a clip is kept.
const DefaultTTL = 15 * time.Minute

// Config configures [Open].
type Config struct {
	// Dir is the directory of the clips. It is created with mode 0700 if it is missing.
	// Required, unless there is a Store.
	Dir string
	// Store keeps the clips instead of a directory. It is opened with heads of [HeadBytes].
	// Requests of it may take long or fail, so clips of other servers are looked for beside the
	// requests of this service.
	Store blob.Store
	// Direct signs links to the blobs of Store, for clients that can reach it; nil signs none.
	Direct Linker
	// MaxBytes limits the room of all clips and must be at least [MinRoom]. Each clip takes
	// whole blocks of 4,096 bytes, and at most a quarter of the room. Required.
	MaxBytes int64
	// Secret signs links and headers. Servers that share the clips must share it.
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
	store  blob.Store
	aside  bool   // the store may take long: looks are made beside requests
	direct Linker // nil signs no links to the store
	links  *seal.Key
	heads  *seal.Key
	log    *slog.Logger
	ttl    time.Duration
	now    func() time.Time
	life   context.Context // ends with Close; drafts, which may outlive a request, use it
	end    context.CancelFunc
	sweeps sync.WaitGroup // the sweep, and looks beside requests

	mu      sync.Mutex // guards what follows; never held while the store works
	room    room
	looking bool // a look beside requests goes on
	closed  bool
}

// Linker signs links to blobs.
type Linker interface {
	// Link returns a URL from which anybody can read a blob for a time. The answer has the given
	// headers.
	Link(ctx context.Context, name string, headers map[string]string, lasts time.Duration) (string, error)
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

// Open opens the clips of a directory or store. [Service.Close] must be called. A store that is
// away is no error.
func Open(c Config) (*Service, error) {
	switch {
	case c.Dir == "" && c.Store == nil:
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
		store: c.Store, aside: c.Store != nil, direct: c.Direct,
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
	s.life, s.end = context.WithCancel(context.Background())
	if s.aside {
		return s, nil // the first look is made by the sweep
	}
	s.store = blob.NewDir(blob.DirConfig{Path: c.Dir, Head: HeadBytes})
	err := os.MkdirAll(c.Dir, 0o700)
	if err == nil {
		err = s.rescan(s.life)
	}
	if err != nil {
		s.end()
		return nil, fmt.Errorf("open clips: %w", err)
	}
	return s, nil
}

// sweepEvery is the time between two sweeps.
const sweepEvery = time.Minute

// Start sweeps now and then every minute, until ctx ends or the service is closed. It may be
// called once, before Close.
func (s *Service) Start(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	unlink := context.AfterFunc(s.life, stop)
	s.sweeps.Go(func() {
		defer stop()
		defer unlink()
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
// may be called after it. It returns nil.
func (s *Service) Close() error {
	s.mu.Lock()
	s.closed = true // no look begins any more
	s.mu.Unlock()
	s.end()
	s.sweeps.Wait()
	return nil
}

// NotFound returns the error for every link and id without a clip. It is the same for an
// unknown, expired, forged or foreign one, so that nobody can tell these apart.
func NotFound() error {
	return fault.New(fault.NotFound, fault.CodeClipNotFound, "",
		"there is no such clip, or its link has expired; audio is kept for minutes only, so have the text spoken again")
}
