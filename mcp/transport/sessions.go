package transport

import (
	"container/list"
	"sync"
	"time"
)

// sessionLimits bounds the sessions of an endpoint. A field of 0 has the default that stands
// beside it.
type sessionLimits struct {
	All       int           // sessions at the same time; 10,000
	PerClient int           // sessions of one client, so that it does not push out those of others; 256
	Idle      time.Duration // time without a message after which a session is forgotten; 30 min
}

func (l sessionLimits) withDefaults() sessionLimits {
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

// Sessions holds the sessions that clients of the versions up to 2025-11-25 have set up with
// one endpoint. When there are too many, it removes those that were not used for longest, first
// those of the same client. It also removes sessions that are not used. A client whose session
// was removed is told so, and sets up another.
//
// A session gives no rights: every message has a key, which is checked and says what the
// message may do. When the key is revoked, its messages are refused. Its sessions, which no
// other key can name, are then removed because nothing uses them.
//
// A session keeps a few hundred bytes: what the client said about itself. Nothing else outlives
// a request. There is no goroutine, because old sessions are removed when the next message
// comes. Sessions may be used from many goroutines.
type Sessions struct {
	limits sessionLimits
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
	used   time.Time // guarded by Sessions.mu, as its positions in the lists are

	inAll, inClient *list.Element

	presence
}

// newSessions returns an empty Sessions.
func newSessions(limits sessionLimits) *Sessions {
	return &Sessions{
		limits:  limits.withDefaults(),
		secret:  newSecret(),
		byNonce: map[nonce]*session{},
		clients: map[string]*list.List{},
	}
}

// Len returns how many sessions there are.
func (s *Sessions) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byNonce)
}

// owner says who may use a session, and under what it is counted. It is the holder of the key.
// Where no key is needed it is everybody who knows the id, because the address of a client may
// change.
type owner struct {
	key    string // id of the key; "" without one
	client string
}

// add keeps a new session of an owner. The caller has locked its presence.
func (s *Sessions) add(o owner, x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.expire(now)
	// First what is too old, so that nobody loses a session to one that nobody uses. Then room is
	// made for exactly one.
	own := s.clients[o.client]
	switch {
	case own != nil && own.Len() >= s.limits.PerClient:
		s.drop(own.Back().Value.(*session))
	case len(s.byNonce) >= s.limits.All:
		s.drop(s.all.Back().Value.(*session))
	}
	// Looked up again, because drop may have removed the list.
	if own = s.clients[o.client]; own == nil {
		own = list.New()
		s.clients[o.client] = own
	}
	x.client, x.used = o.client, now
	x.inAll, x.inClient = s.all.PushFront(x), own.PushFront(x)
	s.byNonce[x.nonce] = x
}

// find returns the session with an id, if it belongs to the owner.
func (s *Sessions) find(o owner, id string) (*session, bool) {
	// The id itself shows whose it is, so an id of another owner costs no look-up and cannot be
	// told from one that does not exist.
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

// end removes the session with an id. It returns false when the session does not belong to the
// owner. Calls that run in the session go on, but can ask no more.
func (s *Sessions) end(o owner, id string) bool {
	x, ok := s.find(o, id)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// find has let go of the lock.
	if s.byNonce[x.nonce] != x {
		return false // another request has ended it meanwhile
	}
	s.drop(x)
	return true
}

// expire removes the sessions that were not used for too long.
func (s *Sessions) expire(now time.Time) {
	for e := s.all.Back(); e != nil; e = s.all.Back() {
		x := e.Value.(*session)
		// The list is in the order of use, so all others are younger.
		if now.Sub(x.used) < s.limits.Idle {
			return
		}
		s.drop(x)
	}
}

func (s *Sessions) drop(x *session) {
	x.questions.close() // no answer can come, because it would name a session that does not exist
	delete(s.byNonce, x.nonce)
	s.all.Remove(x.inAll)
	own := s.clients[x.client]
	if own.Remove(x.inClient); own.Len() == 0 {
		delete(s.clients, x.client)
	}
}
