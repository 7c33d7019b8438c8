package riva

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protowire"

	"vaak/engine/remote/wire"
	"vaak/lang"
)

// The tests of this file run with a fake clock, where nothing may come from another process. They
// talk to gRPC's own server in memory.

// bytesCodec hands messages to the test as they are.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (bytesCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

// serveMemory serves calls for speech by a function, and returns a server that reaches them and a
// function that ends both. wrap is what the client's connections go through.
func serveMemory(t *testing.T, speak func(grpc.ServerStream) error, wrap func(net.Conn) net.Conn) (*Server, func()) {
	t.Helper()
	l := bufconn.Listen(1 << 16)
	g := grpc.NewServer(grpc.ForceServerCodecV2(bytesCodec{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		// Newer servers take a stream of requests; they begin when it ends.
		for {
			var b []byte
			switch err := stream.RecvMsg(&b); err {
			case nil:
			case io.EOF:
				return speak(stream)
			default:
				return err
			}
		}
	}))
	served := make(chan error)
	go func() { served <- g.Serve(l) }()
	s, err := dial(wire.Target{URL: "grpc://memory", Rate: 16000, Languages: map[lang.Code]string{"en": "en-US"}},
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			c, err := l.DialContext(ctx)
			if err != nil {
				return nil, err
			}
			return wrap(c), nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	return s, func() {
		s.Close()
		g.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

func asIs(c net.Conn) net.Conn { return c }

// chunk is a message with some audio.
func chunk(n int) *[]byte {
	b := protowire.AppendTag(nil, responseAudio, protowire.BytesType)
	b = protowire.AppendBytes(b, make([]byte, n))
	return &b
}

func TestUnreadAnswerStopsTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64
		const size = 3200 // 100 ms
		s, end := serveMemory(t, func(stream grpc.ServerStream) error {
			for range 10_000 {
				if err := stream.SendMsg(chunk(size)); err != nil {
					return err
				}
				sent.Add(size)
			}
			return nil
		}, asIs)
		defer end()
		a, err := s.Speak(t.Context(), wire.Ask{Text: "x", Language: "en"})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		// gRPC's server takes 64 KB more than it can send.
		const most = 2*window + 3*size
		synctest.Wait()
		if got := sent.Load(); got > most {
			t.Errorf("the server sent %d bytes to somebody who does not read, want at most %d", got, most)
		}
		// Another answer of the same connection is not held up.
		b, err := s.Speak(t.Context(), wire.Ask{Text: "y", Language: "en"})
		if err != nil {
			t.Fatal(err)
		}
		if pcm, err := read(b); err != nil || len(pcm) != 10_000*size/2 {
			t.Errorf("beside an unread answer: %d samples, %v, want %d", len(pcm), err, 10_000*size/2)
		}
		// What is read goes on.
		before := sent.Load()
		for n, pcm := 0, make([]int16, 1600); n < 160_000; n += len(pcm) {
			if _, err := a.Read(pcm); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if got := sent.Load() - before; got < 320_000-most || got > 320_000+most {
			t.Errorf("the server sent %d bytes more after 320000 were read", got)
		}
	})
}

func TestCancelIsImmediate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan time.Time, 1)
		s, end := serveMemory(t, func(stream grpc.ServerStream) error {
			<-stream.Context().Done()
			gone <- time.Now()
			return stream.Context().Err()
		}, asIs)
		defer end()
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		failed := make(chan error)
		go func() {
			_, err := s.Speak(ctx, wire.Ask{Text: "x", Language: "en"})
			failed <- err
		}()
		time.Sleep(time.Second)
		begin, cause := time.Now(), errors.New("enough")
		cancel(cause)
		if err := <-failed; err != cause || time.Since(begin) != 0 {
			t.Errorf("Speak: %v after %s, want the cause at once", err, time.Since(begin))
		}
		if at := <-gone; at.Sub(begin) != 0 {
			t.Errorf("the server saw the end after %s", at.Sub(begin))
		}
	})
}

func TestStatusOfTheServerInTheMiddle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var code codes.Code
		s, end := serveMemory(t, func(stream grpc.ServerStream) error {
			if err := stream.SendMsg(chunk(3200)); err != nil {
				return err
			}
			return status.Error(code, "the middle")
		}, asIs)
		defer end()
		for c, want := range map[codes.Code]wire.Reason{
			codes.Unavailable: wire.Busy, codes.ResourceExhausted: wire.Busy, codes.Internal: wire.Failed, codes.InvalidArgument: wire.Refused,
		} {
			code = c
			a, err := s.Speak(t.Context(), wire.Ask{Text: "x", Language: "en"})
			if err != nil {
				t.Fatal(err)
			}
			pcm, err := read(a)
			if len(pcm) != 1600 || reasonOf(err) != want {
				t.Errorf("%s: %d samples, %v, want 1600 and %s", c, len(pcm), err, want)
			}
		}
	})
}

// cable is a connection that can be cut so that neither end is told.
type cable struct {
	net.Conn
	cut    <-chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (c *cable) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	select {
	case <-c.cut:
		<-c.closed
		return 0, net.ErrClosed
	default:
		return n, err
	}
}

func (c *cable) Write(b []byte) (int, error) {
	select {
	case <-c.cut:
		return len(b), nil
	default:
		return c.Conn.Write(b)
	}
}

func (c *cable) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

func TestConnectionWithoutAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := dial(wire.Target{URL: "grpc://memory", Rate: 16000, Languages: map[lang.Code]string{"en": "en-US"}},
			grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
				c, there := net.Pipe()
				go func() { _, _ = io.Copy(io.Discard, there) }() // it listens and says nothing
				return c, nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range 3 {
			begin := time.Now()
			_, err := s.Speak(t.Context(), wire.Ask{Text: "x", Language: "en"})
			if took := time.Since(begin); reasonOf(err) != wire.Unreachable || took > connectTimeout+time.Second {
				t.Errorf("Speak: %v after %s, want unreachable after %s", err, took, connectTimeout)
			}
		}
	})
}

func TestDeadPeer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cut := make(chan struct{})
		s, end := serveMemory(t, func(stream grpc.ServerStream) error {
			if err := stream.SendMsg(chunk(3200)); err != nil {
				return err
			}
			<-stream.Context().Done()
			return stream.Context().Err()
		}, func(c net.Conn) net.Conn { return &cable{Conn: c, cut: cut, closed: make(chan struct{})} })
		defer end()
		a, err := s.Speak(t.Context(), wire.Ask{Text: "x", Language: "en"})
		if err != nil {
			t.Fatal(err)
		}
		// A server that thinks for a minute answers what it is asked in between.
		time.Sleep(time.Minute)
		close(cut)
		begin := time.Now()
		pcm, err := read(a)
		if len(pcm) != 1600 || reasonOf(err) != wire.Broken {
			t.Errorf("%d samples, %v, want 1600 and broken", len(pcm), err)
		}
		if took := time.Since(begin); took > pingAfter+2*pingTimeout {
			t.Errorf("it took %s to see that the peer is dead", took)
		}
	})
}
