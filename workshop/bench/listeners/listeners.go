// Package listeners plays streams as people hear them: each listener reads at the speed of
// the playback, and notes when audio comes too late.
package listeners

import (
	"errors"
	"fmt"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/server"
)

// audience is streams that are played.
type audience struct{ Player *player }

// Gather opens so many streams of the text, spread over one second, and returns
// when all run at playback speed.
func Gather(s *server.Server, t corpus.Sample, n int) (*audience, error) {
	a, err := Assemble(s, t, n)
	if err != nil {
		return nil, err
	}
	if err := s.Calm(); err != nil {
		return nil, errors.Join(err, a.Stop(s))
	}
	return a, nil
}

// Assemble is listen that does not wait until the server's buffers are full.
func Assemble(s *server.Server, t corpus.Sample, n int) (*audience, error) {
	a := &audience{newPlayer(nil)}
	if err := a.Add(s, t, n); err != nil {
		return nil, errors.Join(err, a.Stop(s))
	}
	return a, nil
}

// Add opens so many streams more, spread over one second.
func (a *audience) Add(s *server.Server, t corpus.Sample, n int) error {
	request := s.Request(t)
	for i := range n {
		if err := a.join(s, request); err != nil {
			return fmt.Errorf("%s, stream %d of %d: %w", s.Name, i+1, n, err)
		}
		server.Nap(time.Second / time.Duration(n))
	}
	return nil
}

// join opens one stream more.
func (a *audience) join(s *server.Server, request []byte) error {
	c, err := client.DialAfar(s)
	if err != nil {
		return err
	}
	status, err := c.Send(request)
	if err != nil {
		c.Close()
		return err
	}
	l, err := open(c, s, status)
	if err != nil {
		c.Close()
		return err
	}
	a.Player.add(l)
	return nil
}

// Stop leaves all streams and waits until the server has seen it.
func (a *audience) Stop(s *server.Server) error {
	h := a.Player.stop()
	err := errors.Join(h.Broken...)
	if h.streams > 0 {
		err = errors.Join(err, errors.New("a stream ended while it was to be listened to"))
	}
	return errors.Join(err, s.WaitIdle())
}
