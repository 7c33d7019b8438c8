package main

import "time"

// usage is processor time, of a server since it began and of this process.
type usage struct {
	server   time.Duration // of the server process alone
	speakers time.Duration // of its worker and of all utterances that have ended
	clients  time.Duration // of this process
}

// usage takes the processor time of a server that speaks nothing.
func (s *server) usage() (usage, error) {
	own, err := readStat(s.pid())
	if err != nil {
		return usage{}, err
	}
	all, err := s.reapedCPU()
	if err != nil {
		return usage{}, err
	}
	clients, err := ownTime()
	return usage{server: own.own, speakers: all - own.own, clients: clients}, err
}

func (u usage) plus(other usage) usage {
	return usage{u.server + other.server, u.speakers + other.speakers, u.clients + other.clients}
}

func (u usage) since(before usage) usage {
	return usage{u.server - before.server, u.speakers - before.speakers, u.clients - before.clients}
}
