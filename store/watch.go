package store

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"time"

	"vaak/account"
)

// topic is a sort of thing whose changes processes are told of. Those of accounts
// are [account.Topic]; the domains know nothing of each other's.
type topic string

// news is a change that was committed, and the version that it gave its topic.
type news struct {
	topic   topic
	version int64
	ids     []string
}

// watcher is one call of [Store.watch]. It hears of most changes as news, with
// their ids. What it has not heard it finds by looking at the versions; the id is
// then "".
type watcher struct {
	seen func(t topic, id string) // must not wait: who writes waits for it

	mu    sync.Mutex
	last  map[topic]int64          // versions when it last looked
	heard map[topic]map[int64]bool // news since
}

// tell passes news on.
func (w *watcher) tell(all []news) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range all {
		if w.heard[n.topic] == nil {
			w.heard[n.topic] = map[int64]bool{}
		}
		w.heard[n.topic][n.version] = true
		for _, id := range n.ids {
			w.seen(n.topic, id)
		}
	}
}

// look compares versions with those of the last look, and reports topics of
// which there was a change that was no news.
func (w *watcher) look(now map[topic]int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for t, version := range now {
		missed := version < w.last[t] // the database is another one
		for v := w.last[t] + 1; v <= version; v++ {
			missed = missed || !w.heard[t][v]
			delete(w.heard[t], v)
		}
		if missed {
			w.seen(t, "")
		}
	}
	w.last = now
}

// watchers are the watchers of this process.
type watchers struct {
	mu  sync.Mutex
	all map[*watcher]bool
}

func (ws *watchers) add(w *watcher) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.all == nil {
		ws.all = map[*watcher]bool{}
	}
	ws.all[w] = true
}

func (ws *watchers) remove(w *watcher) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.all, w)
}

func (ws *watchers) tell(all []news) {
	if len(all) == 0 {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.all {
		w.tell(all)
	}
}

// accountTopics are those of which watchers of accounts are told: nothing of what they
// keep in memory depends on any other.
var accountTopics = []account.Topic{account.TopicKey, account.TopicOrganisation, account.TopicPlan}

// Watch implements [account.ChangeStore].
func (s *Store) Watch(ctx context.Context, seen func(account.Change)) error {
	return s.watch(ctx, func() {}, func(t topic, id string) {
		if t := account.Topic(t); slices.Contains(accountTopics, t) {
			seen(account.Change{Topic: t, ID: id})
		}
	})
}

// watch tells seen of changes of every topic until ctx ends, whose error it
// returns. It calls begun once: what was committed before is not told, what is
// committed after it is.
func (s *Store) watch(ctx context.Context, begun func(), seen func(t topic, id string)) error {
	w := &watcher{seen: seen, heard: map[topic]map[int64]bool{}}
	// Who is told of anything has a baseline: what others change from then on is
	// more than that.
	if err := s.baseline(ctx, w); err != nil {
		return err
	}
	s.watchers.add(w)
	defer s.watchers.remove(w)
	begun()
	switch {
	case s.postgres():
		s.listen(ctx, w)
	case s.read == s.write: // in memory: there is no other process
		<-ctx.Done()
	default:
		s.poll(ctx, w)
	}
	return ctx.Err()
}

// baseline notes the versions that w starts from. It tries until ctx ends.
func (s *Store) baseline(ctx context.Context, w *watcher) error {
	for {
		versions, err := s.versions(ctx)
		if err == nil {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.last = versions
			return nil
		}
		if !pause(ctx, pollBeat) {
			return ctx.Err()
		}
	}
}

// versions returns the version of every topic that ever changed.
func (s *Store) versions(ctx context.Context) (map[topic]int64, error) {
	rows, err := s.read.DB.QueryContext(ctx, "SELECT topic, version FROM versions")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	versions := map[topic]int64{}
	for rows.Next() {
		var t topic
		var version int64
		if err := rows.Scan(&t, &version); err != nil {
			return nil, err
		}
		versions[t] = version
	}
	return versions, rows.Err()
}

// pollBeat is how often SQLite is asked whether anything was written: a
// question that reads no page.
const pollBeat = 100 * time.Millisecond

// poll looks at the versions when the database was written, until ctx ends.
func (s *Store) poll(ctx context.Context, w *watcher) {
	tick := time.NewTicker(pollBeat)
	defer tick.Stop()
	var conn *sql.Conn // the answer is about other connections than its own
	defer func() {
		if conn != nil {
			_ = conn.Close() // gives it back to the pool
		}
	}()
	for data := int64(-1); ; {
		if conn == nil {
			conn, _ = s.read.DB.Conn(ctx) // without one it tries at the next tick
		}
		if conn != nil {
			data = s.pollOnce(ctx, conn, data, w)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// pollOnce returns the version of the data that w has looked at.
func (s *Store) pollOnce(ctx context.Context, conn *sql.Conn, looked int64, w *watcher) int64 {
	var data int64
	err := conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&data)
	if err != nil || data == looked {
		return looked
	}
	versions, err := s.versions(ctx)
	if err != nil {
		return looked
	}
	w.look(versions)
	return data
}

// pause waits; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
