package espeak

import "sync"

// servers are the fork servers of an engine: one that speaks with any voice,
// and a few that have loaded the voices in demand. Loading takes 0.4 ms in most
// languages and 2 ms in Russian, with its dictionary of 8 MB, about as long as
// everything else before the first audio.
type servers struct {
	program
	any *forkServer
	max int // of warm

	mu      sync.Mutex
	asked   map[string]int         // how often a voice was asked for lately
	warm    map[string]*warmServer // by voice
	clock   int                    // counts calls of pick
	closed  bool
	pending sync.WaitGroup // servers that start or end
}

// warmServer is a fork server that has loaded a voice, or is about to.
type warmServer struct {
	server *forkServer // nil until it is ready
	used   int         // the clock when it was last picked
}

const (
	warmAfter = 3   // how often a voice must be asked for to be loaded
	maxAsked  = 512 // how many voices are counted before counting begins anew
)

func startServers(p program, most int) (*servers, error) {
	s, err := p.start("")
	if err != nil {
		return nil, err
	}
	return &servers{program: p, any: s, max: most, asked: map[string]int{}, warm: map[string]*warmServer{}}, nil
}

// pick returns the server to ask for a voice, and has the voice loaded when it
// is in demand.
func (s *servers) pick(voice string) *forkServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	if w := s.warm[voice]; w != nil {
		w.used = s.clock
		if w.server != nil {
			return w.server
		}
		return s.any
	}
	if s.max <= 0 || s.closed {
		return s.any
	}
	if len(s.asked) >= maxAsked {
		clear(s.asked)
	}
	if s.asked[voice]++; s.asked[voice] >= warmAfter && s.makeRoom() {
		delete(s.asked, voice)
		s.warm[voice] = &warmServer{used: s.clock}
		s.pending.Go(func() { s.load(voice) })
	}
	return s.any
}

// load starts a server that has loaded a voice.
func (s *servers) load(voice string) {
	server, err := s.start(voice)
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.warm[voice]
	switch {
	case err != nil:
		delete(s.warm, voice)
		s.log.Error("espeak voice cannot be loaded ahead", "voice", voice, "error", err)
	case s.closed:
		s.end(server)
	default:
		w.server = server
	}
}

// makeRoom reports whether another voice may be loaded now, after ending the
// server that was used longest ago if there are as many as there may be. One
// that still starts is let be.
func (s *servers) makeRoom() bool {
	if len(s.warm) < s.max {
		return true
	}
	oldest, at := "", s.clock
	for voice, w := range s.warm {
		if w.server == nil {
			return false
		}
		if w.used < at {
			oldest, at = voice, w.used
		}
	}
	s.end(s.warm[oldest].server)
	delete(s.warm, oldest)
	return true
}

// end closes a server aside. Its children finish; who was about to be served
// is served by another.
func (s *servers) end(server *forkServer) {
	s.pending.Go(func() {
		if err := server.close(); err != nil {
			s.log.Warn("espeak worker did not end well", "error", err)
		}
	})
}

// close ends all servers and waits for them.
func (s *servers) close() error {
	s.mu.Lock()
	s.closed = true
	for _, w := range s.warm {
		if w.server != nil {
			s.end(w.server)
		}
	}
	clear(s.warm)
	s.mu.Unlock()
	s.pending.Wait()
	return s.any.close()
}
