package riva

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"

	"vaak/engine/remote/wire"
)

// link is a connection of gRPC and how many calls use it.
//
// gRPC fails calls at once for a while after it could not connect. When to try again is the
// pool's decision here, so the next call gets a new link.
type link struct {
	conn    *grpc.ClientConn
	calls   int
	retired bool // closed when no call uses it any more
}

// take returns the link for a call. The caller must give it back to drop.
func (s *Server) take() (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &wire.Failure{Reason: wire.Unreachable, Detail: "the connection was given up"}
	}
	if l := s.current; l != nil && l.conn.GetState() == connectivity.TransientFailure {
		l.retired = true
		s.current = nil
		s.sweep(l)
	}
	if s.current == nil {
		conn, err := s.connect()
		if err != nil {
			return nil, &wire.Failure{Reason: wire.Unreachable, Err: err}
		}
		s.current = &link{conn: conn}
		s.links[s.current] = struct{}{}
	}
	s.current.calls++
	return s.current, nil
}

func (s *Server) drop(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.calls--
	s.sweep(l)
}

// sweep closes a link that is of no use any more. s.mu is held.
func (s *Server) sweep(l *link) {
	if l.retired && l.calls == 0 {
		_ = l.conn.Close() // it fails only when called twice
		delete(s.links, l)
	}
}

// Close implements [wire.Server]. Calls that still run fail.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for l := range s.links {
		_ = l.conn.Close() // it fails only when called twice
	}
	clear(s.links)
}

// call makes a call. A call that was lost because the connection had ended without notice is made
// once more, on a new one: the server may have been started anew. keep says that a call that goes
// well uses the link until the caller drops it. The error is that of [wire.Server.Speak].
func (s *Server) call(ctx context.Context, keep bool, f func(context.Context, *link, *progress) error) error {
	pairs := s.extra.metadata
	if s.target.Key != "" {
		pairs = append(pairs[:len(pairs):len(pairs)], "authorization", "Bearer "+s.target.Key)
	}
	ctx = metadata.AppendToOutgoingContext(ctx, pairs...)
	for again := false; ; again = true {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		l, err := s.take()
		if err != nil {
			return err
		}
		used := l.conn.GetState() == connectivity.Ready
		p := new(progress)
		err = f(context.WithValue(ctx, progressKey{}, p), l, p)
		if err == nil && keep {
			return nil
		}
		s.drop(l)
		if err == nil || again || !used || !p.lost {
			return err
		}
	}
}

// progress is how far a call has come. gRPC gives the same codes for what a server says and for
// what happens to a connection.
type progress struct {
	sent  atomic.Bool // there was a connection to send the call on
	heard atomic.Bool // the server has begun to answer
	told  atomic.Bool // the server itself ended the call
	lost  bool        // the connection ended before the server had begun to answer
}

// progressKey is the key of a *progress in the context of a call.
type progressKey struct{}

// watcher notes the progress of calls.
type watcher struct{}

func (watcher) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (watcher) HandleRPC(ctx context.Context, s stats.RPCStats) {
	p, ok := ctx.Value(progressKey{}).(*progress)
	if !ok {
		return
	}
	switch s.(type) {
	case *stats.OutHeader:
		p.sent.Store(true)
	case *stats.InHeader:
		p.heard.Store(true)
	case *stats.InTrailer:
		p.heard.Store(true)
		p.told.Store(true)
	}
}

func (watcher) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (watcher) HandleConn(context.Context, stats.ConnStats) {}
