package pgtest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// Cluster is a PostgreSQL server that listens only on a Unix socket.
type Cluster struct {
	bin  string // directory of its programs
	dir  string // data, socket and log
	as   *syscall.Credential
	pipe *os.File // to the watcher, which stops the server and removes dir when this closes
	end  func()
}

// absentError says that no PostgreSQL is installed.
type absentError struct{}

func (absentError) Error() string {
	return "no PostgreSQL: initdb is neither on PATH nor in /usr/lib/postgresql/*/bin"
}

// DSN returns the DSN of the database "postgres" of c.
func (c *Cluster) DSN() string {
	return "postgres://" + owner + "@/postgres?host=" + url.QueryEscape(c.dir)
}

const owner = "vaak"

// watcher is a shell script that removes the cluster when this process ends, however it ends.
// It waits for the end of its input, which only this process holds open. SIGCONT comes first,
// because a server that [Cluster.Hang] has stopped would not get the signal to stop.
const watcher = `
read -r _
kill -CONT "$(head -n 1 "$1/data/postmaster.pid")" 2>/dev/null
"$2/pg_ctl" stop -D "$1/data" -m immediate -w -t 10
rm -rf "$1"
`

// launch makes a cluster and starts it.
func launch() (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(shortTemp(), "pg")
	if err != nil {
		return nil, err
	}
	c := &Cluster{bin: bin, dir: dir, as: as}
	if err := c.watch(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	err = c.run("initdb", "-D", c.data(), "-U", owner, "-E", "UTF8", "--locale=C", "--auth=trust", "--no-sync", "--no-instructions")
	if err == nil {
		err = c.launchServer()
	}
	if err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

// watch gives dir to the user of the server and starts the watcher.
func (c *Cluster) watch() error {
	if c.as != nil {
		if err := os.Chown(c.dir, int(c.as.Uid), int(c.as.Gid)); err != nil {
			return err
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", watcher, "sh", c.dir, c.bin)
	cmd.Dir, cmd.Stdin = "/", r
	// A session of its own, which an interrupt from the terminal does not reach.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.as}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, w.Close())
	}
	c.pipe = w
	c.end = func() {
		_ = c.pipe.Close() // nothing was written to it
		_ = cmd.Wait()     // its status tells nothing
	}
	return nil
}

// Start starts the server again after [Cluster.Stop].
func (c *Cluster) Start() error { return c.launchServer() }

func (c *Cluster) launchServer() error {
	options := "-c listen_addresses= -c unix_socket_directories=" + c.dir + " -c max_connections=200 -c shared_buffers=32MB"
	log := filepath.Join(c.dir, "log")
	err := c.run("pg_ctl", "start", "-D", c.data(), "-w", "-t", "60", "-l", log, "-o", options)
	if err != nil {
		text, _ := os.ReadFile(log) // without it the error says less, but is still returned
		return fmt.Errorf("%w%s", err, text[max(0, len(text)-2000):])
	}
	return nil
}

// Stop stops the server. Mode is "fast", which ends its clients cleanly, or
// "immediate", which is a crash.
func (c *Cluster) Stop(mode string) error {
	return c.run("pg_ctl", "stop", "-D", c.data(), "-w", "-t", "60", "-m", mode)
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// run runs a program of PostgreSQL as the user of the server. Its output goes to a file. A
// server that inherited a pipe would keep the pipe open, and Wait would not return.
func (c *Cluster) run(program string, args ...string) error {
	out, err := os.CreateTemp("", program)
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd := exec.Command(filepath.Join(c.bin, program), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.as}
	if err := cmd.Run(); err != nil {
		output, _ := os.ReadFile(out.Name()) // without it the error says less, but is still returned
		return fmt.Errorf("%s: %w\n%s", program, err, output)
	}
	return nil
}

// programs returns the directory of the newest PostgreSQL.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		// initdb may be a link; the other programs are beside the file that it points at.
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	newest, bin := -1, ""
	for _, path := range found {
		dir := filepath.Dir(path)
		if v, err := strconv.Atoi(filepath.Base(filepath.Dir(dir))); err == nil && v > newest {
			newest, bin = v, dir
		}
	}
	if bin == "" {
		return "", absentError{}
	}
	return bin, nil
}

// unprivileged returns the user that the server runs as, since it refuses to run as root. Nil is
// the user of this process.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
}

// shortTemp returns the directory of temporary files, or another one if the path of a socket in
// it would be longer than the 107 bytes that are allowed.
func shortTemp() string {
	if dir := os.TempDir(); len(dir) < 70 {
		return dir
	}
	return "/tmp"
}
