package server

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
	"time"
)

// Footprint is the memory of a server at one moment, in KiB.
type Footprint struct {
	Server, Workers int64 // resident; workers with the children that wait, shared pages counted once
	Utterances      int64 // of all of them, as those that were looked at; shared pages counted once
	Running         int64 // how many there are
}

func (s *Server) Footprint() (Footprint, error) {
	var f Footprint
	m, err := readMemory(s.Pid())
	if err != nil {
		return f, err
	}
	f.Server = m.rss
	workers, err := s.workers()
	if err != nil {
		return f, err
	}
	for _, pid := range workers {
		if m, err = readMemory(pid); err != nil {
			return f, err
		}
		f.Workers += m.rss
	}
	utterances, waiting, err := s.forked()
	if err != nil {
		return f, err
	}
	for _, pid := range waiting {
		if m, err := readMemory(pid); err == nil { // one may have ended
			f.Workers += m.pss
		}
	}
	looked, step := int64(0), max(len(utterances)/mostLooked, 1)
	for i := 0; i < len(utterances); i += step {
		m, err := readMemory(utterances[i])
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has just ended
		}
		if err != nil {
			return f, err
		}
		f.Utterances += m.pss
		looked++
	}
	f.Running = int64(len(utterances))
	f.Utterances = f.Utterances * f.Running / max(looked, 1)
	return f, nil
}

// Calm returns when the server is busy for less than half of what the cores
// could do: at first it fills the buffers of its streams as fast as it can.
func (s *Server) Calm() error {
	const look = 200 * time.Millisecond
	before, err := s.RunningCPU()
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); {
		time.Sleep(look)
		now, err := s.RunningCPU()
		if err != nil {
			return err
		}
		if now-before < look*time.Duration(runtime.NumCPU())/2 {
			return nil
		}
		before = now
	}
	return fmt.Errorf("%s does not come to rest", s.Name)
}

// mostLooked is about how many utterances are looked at: the kernel goes through
// all pages of a process to answer, and hundreds of those would cost the server
// the time that is measured.
const mostLooked = 32
