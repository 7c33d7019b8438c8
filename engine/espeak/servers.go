package espeak

import "sync"

// servers are the fork servers of an engine: one that speaks with any voice, and a few that
// have loaded a voice that is in demand. Loading a voice takes 0.4 ms in most languages and
// 2 ms in Russian, whose dictionary has 8 MB; everything else before the first audio takes
// about as long.
type servers struct {
	program
	any *forkServer
	max int // limit of warm

	mu       sync.Mutex
	requests map[string]int         // how often each voice was requested lately
	warm     map[string]*warmServer // by voice
	clock    int                    // counts calls of pick, to find the least recently used
	closed   bool
	pending  sync.WaitGroup // servers that are being started or closed
}

// warmServer is a fork server that has loaded a voice, or is loading it.
type warmServer struct {
	server *forkServer // nil until it is ready
	used   int         // the clock when it was picked last
}

const (
	warmAfter  = 3   // load a voice at this many requests
	maxCounted = 512 // forget all counts when this many voices were requested
)

func startServers(p program, most int) (*servers, error) {
	s, err := p.start("")
	if err != nil {
		return nil, err
	}
	return &servers{program: p, any: s, max: most, requests: map[string]int{}, warm: map[string]*warmServer{}}, nil
}

// pick returns the server to use for a voice. If the voice is in demand, it starts to load
// it in a server of its own.
func (s *servers) pick(voice string) *forkServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	if w := s.warm[voice]; w != nil {
		w.used = s.clock
		if w.server != nil {
			return w.server
		}
		return s.any // the voice is still being loaded
	}
	if s.max <= 0 || s.closed {
		return s.any
	}
	// Forgetting all at once is crude, but bounds memory and lets old demand fade.
	if len(s.requests) >= maxCounted {
		clear(s.requests)
	}
	if s.requests[voice]++; s.requests[voice] >= warmAfter && s.makeRoom() {
		delete(s.requests, voice)
		s.warm[voice] = &warmServer{used: s.clock}
		s.pending.Go(func() { s.load(voice) })
	}
	return s.any
}

// load starts a server with a loaded voice.
func (s *servers) load(voice string) {
	server, err := s.start(voice)
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.warm[voice]
	switch {
	case err != nil:
		delete(s.warm, voice)
		s.log.Error("espeak voice cannot be loaded ahead", "voice", voice, "error", err)
	// The engine was closed while the voice was loading.
	case s.closed:
		s.end(server)
	default:
		w.server = server
	}
}

// makeRoom reports whether another voice may be loaded now. If there are as many as may be,
// it closes the least recently used one first, unless one is still loading.
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

// end closes a server in the background. Its children finish. A request that was about to
// use it falls back to s.any; see synthesis.ask.
func (s *servers) end(server *forkServer) {
	s.pending.Go(func() {
		if err := server.close(); err != nil {
			s.log.Warn("espeak worker did not end well", "error", err)
		}
	})
}

// close closes all servers and waits until they have ended.
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
