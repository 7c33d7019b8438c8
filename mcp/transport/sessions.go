package transport

import (
	"container/list"
	"sync"
	"time"
)

// SessionLimits bound what the sessions of an endpoint take. Zero fields have
// the defaults that they name.
type SessionLimits struct {
	All       int           // sessions at the same time; 10,000
	PerClient int           // those of one client, so that it pushes out no other's; 256
	Idle      time.Duration // after which a session is forgotten; 30 min
}

func (l SessionLimits) withDefaults() SessionLimits {
	if l.All <= 0 {
		l.All = 10_000
	}
	if l.PerClient <= 0 {
		l.PerClient = 256
	}
	if l.Idle <= 0 {
		l.Idle = 30 * time.Minute
	}
	return l
}

// Sessions are the connections that clients of the versions up to 2025-11-25
// have set up with one endpoint. When there are too many, those go that were
// not used for longest, first the client's own; a session that is not used
// goes by itself. A client whose session is gone is told so and sets up
// another.
//
// A session opens nothing: what a message may do follows from its key, which is
// checked with each. When the key is revoked its messages are refused, and its
// sessions, which no other key can name, are forgotten when they were idle for
// long enough.
//
// A session keeps what the client said of itself when it came, in a few hundred
// bytes, and nothing else outlives a request. It needs no goroutine: what is
// too old is dropped when the next message comes. It may be used from many
// goroutines at once.
type Sessions struct {
	limits SessionLimits
	secret secret

	mu      sync.Mutex
	byNonce map[nonce]*session
	all     list.List // of *session, the one used last in front
	clients map[string]*list.List
}

// session is one connection.
type session struct {
	id     string
	nonce  nonce
	client string    // under which it is counted
	used   time.Time // guarded by Sessions.mu, as the places are

	inAll, inClient *list.Element

	presence
}

// NewSessions returns sessions of which none is there.
func NewSessions(limits SessionLimits) *Sessions {
	return &Sessions{
		limits:  limits.withDefaults(),
		secret:  newSecret(),
		byNonce: map[nonce]*session{},
		clients: map[string]*list.List{},
	}
}

// Len is how many sessions are kept.
func (s *Sessions) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byNonce)
}

// owner says who may use a session, and under what it is counted: whoever has
// the key, or where no key is needed anybody who knows the id, because a
// client's address may change while it works.
type owner struct {
	key    string // id of the key; "" is none
	client string
}

// add keeps a new session of an owner. The caller has locked its presence.
func (s *Sessions) add(o owner, x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.expire(now)
	own := s.clients[o.client]
	switch {
	case own != nil && own.Len() >= s.limits.PerClient:
		s.drop(own.Back().Value.(*session))
	case len(s.byNonce) >= s.limits.All:
		s.drop(s.all.Back().Value.(*session))
	}
	if own = s.clients[o.client]; own == nil {
		own = list.New()
		s.clients[o.client] = own
	}
	x.client, x.used = o.client, now
	x.inAll, x.inClient = s.all.PushFront(x), own.PushFront(x)
	s.byNonce[x.nonce] = x
}

// find returns the session of an id, which must be one of the owner's.
func (s *Sessions) find(o owner, id string) (*session, bool) {
	n, ok := s.secret.read(id, o.key)
	if !ok {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.expire(now)
	x, ok := s.byNonce[n]
	if !ok {
		return nil, false
	}
	x.used = now
	s.all.MoveToFront(x.inAll)
	s.clients[x.client].MoveToFront(x.inClient)
	return x, true
}

// end forgets the session of an id; false is one that is not the owner's. Calls
// that run in it go on, but ask nothing more.
func (s *Sessions) end(o owner, id string) bool {
	x, ok := s.find(o, id)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byNonce[x.nonce] != x {
		return false // somebody else was faster
	}
	s.drop(x)
	return true
}

// expire drops what was not used for too long.
func (s *Sessions) expire(now time.Time) {
	for e := s.all.Back(); e != nil; e = s.all.Back() {
		x := e.Value.(*session)
		if now.Sub(x.used) < s.limits.Idle {
			return
		}
		s.drop(x)
	}
}

func (s *Sessions) drop(x *session) {
	x.questions.close() // an answer would name a session that is not there
	delete(s.byNonce, x.nonce)
	s.all.Remove(x.inAll)
	own := s.clients[x.client]
	if own.Remove(x.inClient); own.Len() == 0 {
		delete(s.clients, x.client)
	}
}
