// Package pgtest gives tests a PostgreSQL of their own: databases that are
// empty, in a cluster that the test process starts at the first need and that
// goes when the process does, however it ends.
//
// With TEST_POSTGRES_DSN set, the databases are made in that server instead.
// Where there is no PostgreSQL the test is skipped, or fails when
// VAAK_NEED_POSTGRES is 1.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	serverEnv = "TEST_POSTGRES_DSN"
	needEnv   = "VAAK_NEED_POSTGRES"
)

// shared is the cluster of this process.
var shared = sync.OnceValues(func() (*Cluster, error) { return launch() })

// DSN returns the DSN of a fresh empty database, which goes with the test.
func DSN(t testing.TB) string {
	t.Helper()
	if server := os.Getenv(serverEnv); server != "" {
		return database(t, server)
	}
	c, err := shared()
	if err != nil {
		missing(t, err)
	}
	return database(t, c.DSN())
}

// Start starts a cluster for one test, which may stop it.
func Start(t testing.TB) *Cluster {
	t.Helper()
	c, err := launch()
	if err != nil {
		missing(t, err)
	}
	t.Cleanup(c.end)
	return c
}

// NewDatabase returns the DSN of a fresh empty database in c.
func (c *Cluster) NewDatabase(t testing.TB) string {
	t.Helper()
	return database(t, c.DSN())
}

// missing skips a test for want of a PostgreSQL and fails it for other errors.
func missing(t testing.TB, err error) {
	t.Helper()
	if _, absent := err.(absentError); absent && os.Getenv(needEnv) != "1" {
		t.Skipf("%v; set %s, or %s=1 to fail instead", err, serverEnv, needEnv)
	}
	t.Fatal(err)
}

// database makes a database in the server of a DSN and drops it with the test.
func database(t testing.TB, server string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s is not a URL", serverEnv) // the error would show its password
	}
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), time.Now().UnixNano())
	if err := execute(server, "CREATE DATABASE "+name+" ENCODING 'UTF8' TEMPLATE template0"); err != nil {
		t.Fatalf("make a database: %v", err)
	}
	t.Cleanup(func() {
		// The cluster may have been stopped by now.
		if err := execute(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Logf("drop %s: %v", name, err)
		}
	})
	u.Path = "/" + name
	return u.String()
}

// execute runs one statement on a connection of its own.
func execute(dsn, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}
