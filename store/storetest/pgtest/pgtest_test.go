package pgtest

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const childEnv = "PGTEST_CHILD"

func TestDSN(t *testing.T) {
	t.Parallel()
	a, b := DSN(t), DSN(t)
	if a == b {
		t.Fatalf("DSN gave %s twice", a)
	}
	if err := errors.Join(execute(a, "CREATE TABLE t ()"), execute(b, "CREATE TABLE t ()")); err != nil {
		t.Error(err)
	}
}

// TestFilled has databases that begin alike and are then each on its own.
func TestFilled(t *testing.T) {
	t.Parallel()
	var fills atomic.Int32
	dsn := Filled(func(dsn string) error {
		fills.Add(1)
		return execute(dsn, "CREATE TABLE t (a INTEGER)")
	})
	a, b := dsn(t), dsn(t)
	if n := fills.Load(); n != 1 && os.Getenv(serverEnv) == "" {
		t.Errorf("fill was called %d times, want 1", n)
	}
	if err := errors.Join(execute(a, "DROP TABLE t"), execute(b, "DROP TABLE t"), execute(dsn(t), "DROP TABLE t")); err != nil {
		t.Error(err)
	}
}

func TestStopAndStart(t *testing.T) {
	t.Parallel()
	c := Start(t)
	dsn := c.NewDatabase(t)
	for _, mode := range []string{"fast", "immediate"} {
		if err := c.Stop(mode); err != nil {
			t.Fatal(err)
		}
		if err := execute(dsn, "SELECT 1"); err == nil {
			t.Errorf("the server answers after a %s stop", mode)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if err := execute(dsn, "SELECT 1"); err != nil {
			t.Errorf("after a %s stop and a start: %v", mode, err)
		}
	}
}

// TestLengthyStandby promotes a standby of a primary that is killed or silent, and makes the old primary
// the next standby.
func TestLengthyStandby(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers again and again")
	}
	t.Parallel()
	primary := Start(t)
	dsn := primary.NewDatabase(t)
	standby := primary.Standby(t)
	both := primary.Either(dsn, standby)
	if err := execute(both, "CREATE TABLE t (a INTEGER)"); err != nil {
		t.Fatal(err)
	}
	for i, lose := range []func(*Cluster) error{(*Cluster).Kill, func(c *Cluster) error { return c.Hang(t) }, (*Cluster).Kill} {
		if err := lose(primary); err != nil {
			t.Fatal(err)
		}
		if err := standby.Promote(); err != nil {
			t.Fatal(err)
		}
		primary, standby = standby, primary
		_ = standby.Kill() // it may have ended
		if err := execute(both, fmt.Sprintf("INSERT INTO t VALUES (%d)", i)); err != nil {
			t.Fatalf("after loss %d: %v", i+1, err)
		}
		if err := standby.Follow(primary); err != nil {
			t.Fatal(err)
		}
		await(t, "the standby follows", func() bool { ok, err := primary.Followed(); return err == nil && ok })
	}
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick, late := time.NewTicker(20*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// TestGoesWithTheProcess kills a process that has a cluster, so that nothing of
// it can clean up, and waits for the cluster's directory to go.
func TestGoesWithTheProcess(t *testing.T) {
	t.Parallel()
	if _, err := programs(); err != nil {
		missing(t, err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		dir, _ = strings.CutPrefix(lines.Text(), "cluster ")
		if !filepath.IsAbs(dir) {
			dir = ""
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || dir == "" {
		t.Fatalf("the child ended with %v and the directory %q", err, dir)
	}
	tick, late := time.NewTicker(20*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s is still there", dir)
		}
	}
}

func TestChild(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		t.Skip("runs in a process of its own")
	}
	c := Start(t)
	os.Stdout.WriteString("\ncluster " + c.dir + "\n")
	<-t.Context().Done() // until the parent kills it
}
