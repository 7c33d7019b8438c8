package database

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"vaak/internal/pause"
)

// Topic is a sort of thing that processes keep in memory, and so want to hear of when it
// changes. Each aggregate has topics of its own.
type Topic string

// Change says that something is not what it was.
type Change struct {
	Topic Topic
	ID    string // "" when anything of the topic may have changed
}

// news is a committed change, and the version that it gave its topic.
type news struct {
	topic   Topic
	version int64
	ids     []string
}

// feed reports changes, of this process and of others. A [DB] embeds it.
type feed struct {
	db       *DB
	watchers watchers

	mu       sync.Mutex
	onChange []func([]Change)
}

// Changed tells every process of changes, when the transaction is committed.
func (tx *Tx) Changed(ctx context.Context, changes ...Change) error {
	tx.changes = append(tx.changes, changes...)
	topics := map[Topic][]string{} // one version for each topic, however many changes it has
	for _, c := range changes {
		topics[c.Topic] = append(topics[c.Topic], c.ID)
	}
	for _, t := range Sorted(topics) { // the order in which rows are locked
		if _, err := tx.Raise(ctx, t, topics[t]...); err != nil {
			return err
		}
	}
	return nil
}

// OnChange registers a function that is called after each attempt to commit changes, in
// the process that made them. The attempt may have failed.
func (f *feed) OnChange(call func([]Change)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onChange = append(f.onChange, call)
}

func (f *feed) changed(changes []Change) {
	if len(changes) == 0 {
		return
	}
	f.mu.Lock()
	all := f.onChange // only appended to, so the slice can be read without the lock
	f.mu.Unlock()
	for _, call := range all {
		call(changes)
	}
}

// versionRow is a row of versions.
type versionRow struct {
	bun.BaseModel `bun:"table:versions,alias:v"`

	Topic   Topic `bun:",pk"`
	Version int64
}

// Raise gives a topic its next version and tells every process of it, with the ids of
// what changed, when the transaction is committed. Until its end the transaction has
// the row of the topic for itself, so versions are committed in their order. For that
// reason it is the last that a transaction does, where the version is not needed before.
func (tx *Tx) Raise(ctx context.Context, t Topic, ids ...string) (version int64, err error) {
	n := news{topic: t, ids: ids}
	_, err = tx.NewInsert().Model(&versionRow{Topic: t, Version: 1}).On("CONFLICT (topic) DO UPDATE").
		Set("version = v.version + 1").Returning("version").Exec(ctx, &n.version)
	if err != nil {
		return 0, tx.Fail(ctx, err, "raise the version of %s", t)
	}
	if !tx.db.Postgres() {
		tx.news = append(tx.news, n)
		return n.version, nil
	}
	return n.version, tx.Fail(ctx, tx.notify(ctx, n), "notify of %s", t)
}

// watcher is one call of [DB.Watch]. It hears of most changes as news, with their ids.
// What it has not heard it finds by comparing versions, without the id.
type watcher struct {
	seen func(t Topic, id string) // must not block: writers wait for it

	mu    sync.Mutex
	last  map[Topic]int64          // versions at the last look
	heard map[Topic]map[int64]bool // versions heard of since
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

// look compares the versions with those of the last look, and reports each topic with a
// version that the watcher has not heard of.
func (w *watcher) look(now map[Topic]int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for t, version := range now {
		missed := version < w.last[t] // versions only grow, so the database was replaced
		for v := w.last[t] + 1; v <= version; v++ {
			missed = missed || !w.heard[t][v]
			delete(w.heard[t], v) // else the map would grow for as long as the process runs
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

// Watch calls seen for changes of every topic until ctx ends, and returns the error of
// ctx. It calls begun once: changes committed before that call are not reported, and
// those committed after it are. Seen must not block.
func (f *feed) Watch(ctx context.Context, begun func(), seen func(t Topic, id string)) error {
	w := &watcher{seen: seen, heard: map[Topic]map[int64]bool{}}
	// The versions are read before anything is heard, so that whatever changes from
	// here on has a higher version than the watcher starts from.
	if err := f.baseline(ctx, w); err != nil {
		return err
	}
	f.watchers.add(w)
	defer f.watchers.remove(w)
	begun() // a change from here on is heard, or found by comparing versions
	switch {
	case f.db.Postgres():
		f.listen(ctx, w)
	case f.db.InMemory(): // no other process can change it
		<-ctx.Done()
	default:
		f.poll(ctx, w)
	}
	return ctx.Err()
}

// baseline sets the versions that w starts from. It tries until ctx ends.
func (f *feed) baseline(ctx context.Context, w *watcher) error {
	for {
		versions, err := f.versions(ctx)
		if err == nil {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.last = versions
			return nil
		}
		if pause.For(ctx, pollBeat) != nil {
			return ctx.Err()
		}
	}
}

// versions returns the version of every topic that ever changed.
func (f *feed) versions(ctx context.Context) (map[Topic]int64, error) {
	var rows []versionRow
	if err := f.db.Read.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, err
	}
	versions := make(map[Topic]int64, len(rows))
	for _, r := range rows {
		versions[r.Topic] = r.Version
	}
	return versions, nil
}

// pollBeat is how often SQLite is asked whether anything was written. The question reads
// no page of the file.
const pollBeat = 100 * time.Millisecond

// poll looks at the versions each time that another connection has written, until ctx
// ends.
func (f *feed) poll(ctx context.Context, w *watcher) {
	tick := time.NewTicker(pollBeat)
	defer tick.Stop()
	// data_version only tells a connection of writes by others, and compares with what
	// the same connection was told last. So it is always asked on this one.
	var conn *sql.Conn
	defer func() {
		if conn != nil {
			_ = conn.Close() // returns it to the pool
		}
	}()
	for data := int64(-1); ; {
		if conn == nil {
			conn, _ = f.db.Read.DB.Conn(ctx) // without one, the next tick tries again
		}
		if conn != nil {
			data = f.pollOnce(ctx, conn, data, w)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// pollOnce returns the version of the data that w has looked at.
func (f *feed) pollOnce(ctx context.Context, conn *sql.Conn, looked int64, w *watcher) int64 {
	var data int64
	// data is read before the versions: a write between the two changes data again, and
	// costs one more look. The other way round it would be missed.
	err := conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&data)
	if err != nil || data == looked {
		return looked
	}
	versions, err := f.versions(ctx)
	if err != nil {
		return looked
	}
	w.look(versions)
	return data
}
