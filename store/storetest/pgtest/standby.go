package pgtest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Standby starts a cluster that follows c by streaming replication. From then on a commit of c
// waits until it is on the disk of the standby.
func (c *Cluster) Standby(t testing.TB) *Cluster {
	t.Helper()
	dir, err := os.MkdirTemp(shortTemp(), "pg")
	if err != nil {
		t.Fatal(err)
	}
	s := &Cluster{bin: c.bin, dir: dir, as: c.as}
	if err := s.watch(); err != nil {
		_ = os.RemoveAll(dir) // the first error says more
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Who is the primary now waits for nobody any more.
		for _, one := range []*Cluster{c, s} {
			_ = one.synchronous("") // it may have ended
		}
		s.end()
	})
	if err := s.Follow(c); err != nil {
		t.Fatal(err)
	}
	return s
}

// Follow makes c a standby of a cluster, as [Cluster.Standby] does, at its old address. The
// server of c must not run; its data is lost.
func (c *Cluster) Follow(primary *Cluster) error {
	// The lock of the socket names a process that was killed. Its number may be that of another
	// one by now, which the server would take for its predecessor.
	for _, path := range []string{c.data(), filepath.Join(c.dir, ".s.PGSQL.5432"), filepath.Join(c.dir, ".s.PGSQL.5432.lock")} {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	if err := c.run("pg_basebackup", "-D", c.data(), "-h", primary.dir, "-U", owner, "-R", "-X", "stream", "-c", "fast", "--no-sync"); err != nil {
		return err
	}
	if err := c.launchServer(); err != nil {
		return err
	}
	// After the copy, so that a standby which is promoted waits for nobody.
	return primary.synchronous("*")
}

// synchronous says which standbys commits of c wait for.
func (c *Cluster) synchronous(names string) error {
	if err := execute(c.DSN(), "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'"); err != nil {
		return err
	}
	return execute(c.DSN(), "SELECT pg_reload_conf()")
}

// Promote makes a standby a primary, and returns when it takes writes.
func (c *Cluster) Promote() error {
	return c.run("pg_ctl", "promote", "-D", c.data(), "-w", "-t", "60")
}

// Kill ends every process of the server at once, as the loss of its machine does.
func (c *Cluster) Kill() error {
	// They are stopped first, so that none starts another one meanwhile.
	if err := c.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	first, err := c.first()
	if err != nil {
		return err
	}
	others, err := started(first)
	for _, pid := range append(others, first) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	return err
}

// Either returns the DSN of a database of c, which must come from it, at c or at another cluster:
// whichever takes writes.
func (c *Cluster) Either(dsn string, other *Cluster) string {
	u, err := url.Parse(dsn)
	if err != nil {
		panic("the DSN of a cluster is no URL") // the error would show its password
	}
	q := u.Query()
	q.Set("host", c.dir+","+other.dir)
	q.Set("target_session_attrs", "read-write")
	u.RawQuery = q.Encode()
	return u.String()
}

// Followed reports whether a standby has everything that c has committed, and goes on to.
func (c *Cluster) Followed() (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.DSN())
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx)
	var n int
	err = conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'").Scan(&n)
	return n > 0, err
}
