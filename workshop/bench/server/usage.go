package server

import (
	"time"

	"vaak/workshop/bench/library"
)

// Usage is processor time, of a server since it began and of this process.
type Usage struct {
	Server   time.Duration // of the server process alone
	Speakers time.Duration // of its worker and of all utterances that have ended
	Clients  time.Duration // of this process
}

// Usage takes the processor time of a server that speaks nothing.
func (s *Server) Usage() (Usage, error) {
	own, err := ReadStat(s.Pid())
	if err != nil {
		return Usage{}, err
	}
	all, err := s.ReapedCPU()
	if err != nil {
		return Usage{}, err
	}
	clients, err := library.OwnTime()
	return Usage{Server: own.Own, Speakers: all - own.Own, Clients: clients}, err
}

func (u Usage) Plus(other Usage) Usage {
	return Usage{u.Server + other.Server, u.Speakers + other.Speakers, u.Clients + other.Clients}
}

func (u Usage) Since(before Usage) Usage {
	return Usage{u.Server - before.Server, u.Speakers - before.Speakers, u.Clients - before.Clients}
}
