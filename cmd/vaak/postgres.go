package main

import (
	"fmt"
	"net/url"
	"strings"
)

// say tells which program of PostgreSQL does what was asked for, with a line that
// a shell runs as it stands. The password is left out.
func (f storeFlags) say(s streams, args, program string) error {
	name, err := withoutPassword(f.dsn())
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.out, "%s --dbname=%s %s\n", program, quoted(name), args); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.err, "PostgreSQL brings its own program for this: run the line above. "+
		"It asks for the password, or takes it from PGPASSWORD or ~/.pgpass; files of the data directory are not in it: copy them after the database.\n")
	return err
}

// withoutPassword returns a database URL as PostgreSQL's own programs take it.
func withoutPassword(dsn string) (string, error) {
	u, err := url.Parse(dsn)
	if err != nil { // its error would repeat the password
		return "", badUsage("--database is not of the form postgres://user:password@host/name")
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	for name := range q {
		switch {
		case strings.HasPrefix(name, "pool_"), strings.Contains(name, "password"), strings.HasSuffix(name, "_exec_mode"), strings.HasSuffix(name, "_cache_capacity"):
			q.Del(name)
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// quoted writes a word so that a shell takes it as it is.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
