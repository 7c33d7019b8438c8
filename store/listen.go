package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is where PostgreSQL tells of changes: topic, version and id, with
// spaces between.
const channel = "vaak_changes"

const (
	versionBeat = 2 * time.Second        // how often the versions are read although nothing was heard
	firstRetry  = 100 * time.Millisecond // after a connection broke; doubled each time
)

// notify sends news to every process when the transaction is committed.
func (tx *transaction) notify(ctx context.Context, n news) error {
	for _, id := range n.ids {
		payload := strings.Join([]string{string(n.topic), strconv.FormatInt(n.version, 10), id}, " ")
		if err := tx.exec(ctx, "SELECT pg_notify(?, ?)", channel, payload); err != nil {
			return err
		}
	}
	return nil
}

// parseNews is the inverse of notify's payload.
func parseNews(payload string) (news, bool) {
	part := strings.SplitN(payload, " ", 3)
	if len(part) != 3 {
		return news{}, false
	}
	version, err := strconv.ParseInt(part[1], 10, 64)
	return news{topic(part[0]), version, []string{part[2]}}, err == nil
}

// listen hears of changes on a connection of its own until ctx ends. While
// there is none it looks at the versions, in case others can be had.
func (s *Store) listen(ctx context.Context, w *watcher) {
	retry := firstRetry
	for ctx.Err() == nil {
		conn, err := pgx.ConnectConfig(ctx, s.listener.Copy())
		if err == nil {
			retry = firstRetry
			err = s.hear(ctx, conn, w)
			// Ctx may be over; the server sees the end of the connection all the same.
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_ = conn.Close(closing)
			cancel()
		}
		if ctx.Err() != nil {
			return
		}
		if retry == firstRetry { // said once
			s.log.WarnContext(ctx, "changes of other processes are seen late: the connection that hears of them broke", "error", err)
		}
		pause(ctx, retry)
		retry = min(2*retry, versionBeat)
		s.lookOnce(ctx, w)
	}
}

// hear passes on what conn hears until that breaks or ctx ends.
func (s *Store) hear(ctx context.Context, conn *pgx.Conn, w *watcher) error {
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	s.lookOnce(ctx, w) // what came before LISTEN
	next := time.Now().Add(versionBeat)
	for {
		beat, cancel := context.WithDeadline(ctx, next)
		n, err := conn.WaitForNotification(beat)
		late := beat.Err() != nil
		cancel()
		switch {
		case err == nil:
			if heard, ok := parseNews(n.Payload); ok {
				w.tell([]news{heard})
			}
		case ctx.Err() != nil || !late || conn.IsClosed():
			return err
		}
		if !time.Now().Before(next) {
			s.lookOnce(ctx, w)
			next = time.Now().Add(versionBeat)
		}
	}
}

// lookOnce looks at the versions; when that fails there is a next time.
func (s *Store) lookOnce(ctx context.Context, w *watcher) {
	ctx, cancel := context.WithTimeout(ctx, versionBeat)
	defer cancel()
	if versions, err := s.versions(ctx); err == nil {
		w.look(versions)
	}
}
