// Package pgtest gives tests empty databases of PostgreSQL. The test process starts a cluster
// for them when the first one is needed. The cluster is removed when the process ends, however
// it ends.
//
// With TEST_POSTGRES_DSN set, the databases are made in that server instead.
// Where there is no PostgreSQL, package needed decides whether the test is skipped or fails.
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

	"vaak/internal/needed"
)

const serverEnv = "TEST_POSTGRES_DSN"

// shared is the cluster of this process.
var shared = sync.OnceValues(func() (*Cluster, error) { return launch() })

// DSN returns the DSN of a new empty database, which is dropped when the test ends.
func DSN(t testing.TB) string {
	t.Helper()
	if server := os.Getenv(serverEnv); server != "" {
		return database(t, server, empty)
	}
	c, err := shared()
	if err != nil {
		missing(t, err)
	}
	return database(t, c.DSN(), empty)
}

// Filled returns a function like [DSN] whose databases begin as fill leaves them. Fill runs once,
// on a database that is then copied, and must close its connections before it returns. On the
// server of TEST_POSTGRES_DSN, where that database would be left behind, fill runs for each
// database.
func Filled(fill func(dsn string) error) func(t testing.TB) string {
	name := fresh("filled")
	template := sync.OnceValues(func() (c *Cluster, err error) {
		if c, err = shared(); err != nil {
			return nil, err
		}
		if err := create(c.DSN(), name, empty); err != nil {
			return nil, err
		}
		return c, fill(within(c.DSN(), name))
	})
	return func(t testing.TB) string {
		t.Helper()
		if os.Getenv(serverEnv) != "" {
			dsn := DSN(t)
			if err := fill(dsn); err != nil {
				t.Fatal(err)
			}
			return dsn
		}
		c, err := template()
		if err != nil {
			missing(t, err)
		}
		return database(t, c.DSN(), name)
	}
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
	return database(t, c.DSN(), empty)
}

// missing skips the test when no PostgreSQL is installed, and fails it on another error.
func missing(t testing.TB, err error) {
	t.Helper()
	if _, absent := err.(absentError); absent {
		needed.Missing(t, "%v; tools/install test brings it, or %s names a server", err, serverEnv)
	}
	t.Fatal(err)
}

// empty is the name of the database that others are empty copies of.
const empty = "template0"

// database copies a database in the server of a DSN, and drops the copy when the test ends.
func database(t testing.TB, server, template string) string {
	t.Helper()
	if _, err := url.Parse(server); err != nil {
		t.Fatalf("%s is not a URL", serverEnv) // the error would show its password
	}
	name := fresh("test")
	if err := create(server, name, template); err != nil {
		t.Fatalf("make a database: %v", err)
	}
	t.Cleanup(func() {
		// The cluster may have been stopped by now.
		if err := execute(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Logf("drop %s: %v", name, err)
		}
	})
	return within(server, name)
}

// fresh returns a name that no database has yet.
func fresh(kind string) string {
	return fmt.Sprintf("%s_%d_%d", kind, os.Getpid(), time.Now().UnixNano())
}

func create(server, name, template string) error {
	return execute(server, "CREATE DATABASE "+name+" ENCODING 'UTF8' TEMPLATE "+template)
}

// within returns the DSN of a database in the server of a DSN, which is a URL.
func within(server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		panic("the DSN of a server is no URL") // the error would show its password
	}
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
