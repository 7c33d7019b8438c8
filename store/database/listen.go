package database

// This file uses LISTEN and NOTIFY of PostgreSQL, for which bun has no builder.

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vaak/internal/pause"
)

// channel is the channel of NOTIFY that changes are sent on. A payload is a topic, a
// version and an id, with spaces between.
const channel = "vaak_changes"

const (
	versionBeat = 2 * time.Second        // how often the versions are read although nothing was heard
	firstRetry  = 100 * time.Millisecond // after a connection broke; doubled each time
)

// notify sends news to every process when the transaction is committed.
func (tx *Tx) notify(ctx context.Context, n news) error {
	for _, id := range n.ids {
		payload := strings.Join([]string{string(n.topic), strconv.FormatInt(n.version, 10), id}, " ")
		if _, err := tx.ExecContext(ctx, "SELECT pg_notify(?, ?)", channel, payload); err != nil {
			return err
		}
	}
	return nil
}

// parseNews parses a payload of notify.
func parseNews(payload string) (news, bool) {
	part := strings.SplitN(payload, " ", 3)
	if len(part) != 3 {
		return news{}, false
	}
	version, err := strconv.ParseInt(part[1], 10, 64)
	return news{Topic(part[0]), version, []string{part[2]}}, err == nil
}

// listen hears of changes on a connection of its own until ctx ends. While that
// connection is broken it reads the versions instead, on one of the pool.
func (f *feed) listen(ctx context.Context, w *watcher) {
	retry := firstRetry
	for ctx.Err() == nil {
		conn, err := pgx.ConnectConfig(ctx, f.db.listener.Copy())
		if err == nil {
			retry = firstRetry
			err = f.hear(ctx, conn, w)
			// ctx may have ended. The server still gets the message that closes.
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_ = conn.Close(closing)
			cancel()
		}
		if ctx.Err() != nil {
			return
		}
		if retry == firstRetry { // one line for each outage
			f.db.Log.WarnContext(ctx, "changes of other processes are seen late: the connection that hears of them broke", "error", err)
		}
		_ = pause.For(ctx, retry) // the loop looks at ctx
		retry = min(2*retry, versionBeat)
		f.lookOnce(ctx, w)
	}
}

// hear passes on what conn hears until that breaks or ctx ends.
func (f *feed) hear(ctx context.Context, conn *pgx.Conn, w *watcher) error {
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	f.lookOnce(ctx, w) // finds what was committed before LISTEN
	next := time.Now().Add(versionBeat)
	for {
		beat, cancel := context.WithDeadline(ctx, next)
		n, err := conn.WaitForNotification(beat)
		late := beat.Err() != nil // before cancel, after which it is always an error
		cancel()
		switch {
		case err == nil:
			if heard, ok := parseNews(n.Payload); ok {
				w.tell([]news{heard})
			}
		case ctx.Err() != nil || !late || conn.IsClosed():
			return err
		default: // only the beat ended, and the connection still hears, unless its server has fallen silent
			if err := ping(ctx, conn); err != nil {
				return err
			}
		}
		// Also when notifications keep coming: the version of a lost one must be noticed.
		if !time.Now().Before(next) {
			f.lookOnce(ctx, w)
			next = time.Now().Add(versionBeat)
		}
	}
}

// ping asks the server of a connection for an answer.
func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := pause.Within(ctx, AnswerTimeout)
	defer cancel()
	return conn.Ping(ctx)
}

// lookOnce reads the versions. An error is left to the next look.
func (f *feed) lookOnce(ctx context.Context, w *watcher) {
	ctx, cancel := pause.Within(ctx, versionBeat)
	defer cancel()
	if versions, err := f.versions(ctx); err == nil {
		w.look(versions)
	}
}
