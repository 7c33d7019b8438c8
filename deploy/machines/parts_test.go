package machines

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vaak/engine/enginetest"
	"vaak/internal/needed"
	"vaak/store/files/bucket/s3test"
	"vaak/store/storetest/pgtest"
)

// deployment is what an operator runs: replicas behind a proxy, a database with a standby, object
// storage and a mail server.
type deployment struct {
	t                *testing.T
	program          string
	primary, standby *pgtest.Cluster
	objects          *s3test.Server
	mails            *mailServer
	dsn              string // leads to whichever of the two takes writes
	entrance         string // URL of the proxy
	env              []string
	replicas         []*replica
	key, org         string
	root             string // directory of datasets, which all servers see
	media            string // path of a file of the dataset that clients read
}

// replica is one of the servers. Each has a data directory of its own, as on a machine of its own.
type replica struct {
	d             *deployment
	name          string
	env           []string
	public, admin string // addresses; known after the first start

	pid  int
	ends <-chan struct{} // closed when the process has ended
	log  *output
}

// output is what processes write, one after the other.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// deploy starts everything, with an organisation, a key and a dataset.
func deploy(t *testing.T) *deployment {
	t.Helper()
	d := &deployment{t: t, root: t.TempDir(), objects: s3test.Start(t), mails: startMailServer(t)}
	var err error
	if d.program, err = filepath.Abs("../../bin/vaak"); err == nil {
		_, err = os.Stat(d.program)
	}
	if err != nil {
		needed.Missing(t, "there is no bin/vaak: `make build` makes it")
	}
	d.primary = pgtest.Start(t)
	database := d.primary.NewDatabase(t)
	d.standby = d.primary.Standby(t)
	d.dsn = d.primary.Either(database, d.standby)

	dir := t.TempDir()
	port := needed.Address(t)
	d.entrance = "http://" + port
	settings := filepath.Join(dir, "vaak.toml")
	write(t, settings, "[mail]\noperator = \""+operator+"\"\nfrom = \"no-reply@example.org\"\n")
	d.env = append(os.Environ(), "VAAK_ESPEAK_WORKER="+enginetest.Worker(t), "VAAK_DATABASE="+d.dsn,
		"VAAK_SECRET="+filepath.Join(dir, "secret"), "VAAK_OBJECTS="+d.objects.URL("vaak"), "VAAK_PUBLIC_URL="+d.entrance,
		"AWS_ACCESS_KEY_ID="+s3test.AccessKey, "AWS_SECRET_ACCESS_KEY="+s3test.SecretKey)
	serving := []string{"VAAK_CACHE_BYTES=0", "VAAK_PRELOAD=false", "VAAK_CONSOLE_LISTEN=off", "VAAK_RENDER_PREVIEWS=false",
		"VAAK_TRUSTED_PROXIES=127.0.0.1/32", "VAAK_PUBLIC_RATE=0", "VAAK_CONFIG=" + settings, "VAAK_SMTP=smtp://" + d.mails.address,
		"VAAK_SMTP_ALLOW_PLAINTEXT=true", "VAAK_DATASET_ROOT=" + d.root}
	for i := range 3 {
		r := &replica{d: d, name: fmt.Sprint("vaak-", i+1), public: "127.0.0.1:0", admin: "127.0.0.1:0", log: &output{}}
		r.env = append(append(r.env, d.env...), append(serving, "VAAK_DATA_DIR="+t.TempDir())...)
		d.replicas = append(d.replicas, r)
	}
	d.env = d.replicas[0].env
	d.command("plan", "set", "large", "--characters", "1000000000", "--rpm", "1000000", "--streams", "1000")
	d.org = d.command("org", "create", "Test", "--plan", "large")
	d.key = d.command("key", "create", "--org", d.org, "--name", "test")
	for _, r := range d.replicas {
		r.start()
	}
	d.balance(port)
	return d
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// command runs a command of vaak and returns what it prints.
func (d *deployment) command(args ...string) string {
	d.t.Helper()
	cmd := exec.CommandContext(d.t.Context(), d.program, args...)
	var said bytes.Buffer
	cmd.Env, cmd.Stderr = d.env, &said
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("vaak %s: %v: %s", strings.Join(args, " "), err, &said)
	}
	return strings.TrimSpace(string(out))
}

// balance starts HAProxy with the settings of deploy/proxies, without TLS and with the replicas.
func (d *deployment) balance(port string) {
	d.t.Helper()
	text, err := os.ReadFile("../proxies/haproxy.cfg")
	if err != nil {
		d.t.Fatal(err)
	}
	config := string(text)
	const frontend, server = "bind :443 ssl crt /etc/haproxy/vaak.pem alpn h2,http/1.1", "    server vaak-1 127.0.0.1:8080\n"
	for _, part := range []string{frontend, server, "maxconn 20000"} {
		if !strings.Contains(config, part) {
			d.t.Fatalf("the settings of HAProxy have no %q", part)
		}
	}
	var servers strings.Builder
	for _, r := range d.replicas {
		_, admin, _ := net.SplitHostPort(r.admin)
		fmt.Fprintf(&servers, "    server %s %s port %s\n", r.name, r.public, admin)
	}
	config = strings.NewReplacer(frontend, "bind "+port, server, servers.String(), "maxconn 20000",
		// Without bounds the kernel would hold a whole stream on its way, so that nothing breaks where it would break elsewhere.
		"maxconn 2000\n    tune.sndbuf.client 65536\n    tune.rcvbuf.server 65536").Replace(config)
	path := filepath.Join(d.t.TempDir(), "haproxy.cfg")
	write(d.t, path, config)
	program, err := exec.LookPath("haproxy")
	if err != nil {
		needed.Missing(d.t, "there is no haproxy: `apt-get install haproxy` brings it")
	}
	cmd := exec.Command(program, "-db", "-f", path)
	said := &output{}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it keeps nothing
		_ = cmd.Wait()
		if d.t.Failed() {
			d.t.Logf("HAProxy: %s", said)
		}
	})
	d.soon("the proxy reaches a server", 20*time.Second, func() bool { return d.status("/v1/languages") == http.StatusOK })
}

var readyLine = regexp.MustCompile(`^ready public=http://(\S+) admin=http://(\S+)`)

// start starts the server at the addresses that it had, and returns when it serves.
func (r *replica) start() {
	r.d.t.Helper()
	cmd := exec.Command(r.d.program, "serve", "--listen", r.public, "--admin-listen", r.admin)
	cmd.Env, cmd.Stderr = r.env, r.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.d.t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	m := readyLine.FindStringSubmatch(line)
	if m == nil {
		_ = cmd.Process.Kill()
		r.d.t.Fatalf("%s says %q, %v: %s", r.name, line, err, r.log)
	}
	r.public, r.admin, r.pid = m[1], m[2], cmd.Process.Pid
	ends := make(chan struct{})
	r.ends = ends
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait() // how it ends is looked at where it matters
		close(ends)
	}()
	pid := r.pid
	r.d.t.Cleanup(func() {
		select {
		case <-ends:
		default:
			_ = syscall.Kill(pid, syscall.SIGKILL)
			<-ends
		}
	})
}

// end sends a signal and waits for the end of the process.
func (r *replica) end(sig syscall.Signal) {
	r.d.t.Helper()
	if err := syscall.Kill(r.pid, sig); err != nil {
		r.d.t.Error(err)
	}
	select {
	case <-r.ends:
	case <-time.After(90 * time.Second):
		r.d.t.Fatalf("%s does not end: %s", r.name, r.log)
	}
}

// takeover has a new process take over from the running one.
func (r *replica) takeover() {
	r.d.t.Helper()
	said, err := os.Create(filepath.Join(r.d.t.TempDir(), "out")) // the new server goes on writing
	if err != nil {
		r.d.t.Fatal(err)
	}
	defer said.Close()
	old, ends := r.pid, r.ends
	cmd := exec.CommandContext(r.d.t.Context(), r.d.program, "takeover", fmt.Sprint(old))
	cmd.Env, cmd.Stdout, cmd.Stderr = r.env, said, said
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name())
		r.d.t.Fatalf("takeover of %s: %v: %s", r.name, err, text)
	}
	select {
	case <-ends:
	case <-time.After(90 * time.Second):
		r.d.t.Fatalf("%s does not end after a takeover", r.name)
	}
	text, err := os.ReadFile(said.Name())
	if err != nil {
		r.d.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range lines {
		if _, err := fmt.Sscan(line, &r.pid); err == nil && r.pid != old {
			r.follow()
			return
		}
	}
	r.d.t.Fatalf("takeover of %s says %s", r.name, text)
}

// follow notices the end of a process that is not a child of this one.
func (r *replica) follow() {
	ends, pid := make(chan struct{}), r.pid
	r.ends = ends
	process, err := os.FindProcess(pid)
	if err != nil {
		r.d.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		defer close(ends)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for process.Signal(syscall.Signal(0)) == nil && ctx.Err() == nil {
			<-tick.C
		}
	}()
	r.d.t.Cleanup(func() {
		_ = process.Kill() // it may have ended
		stop()
		<-ends
	})
}

// soon waits until something is so.
func (d *deployment) soon(what string, within time.Duration, ok func() bool) time.Duration {
	d.t.Helper()
	began := time.Now()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Since(began) > within {
			d.t.Errorf("not within %v: %s", within, what)
			for _, r := range d.replicas {
				d.t.Logf("%s: %s", r.name, tail(r.log.String(), 4000))
			}
			break
		}
		<-tick.C
	}
	return time.Since(began)
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// status asks the proxy for a path, on a connection of its own; 0 is no answer.
func (d *deployment) status(path string) int { return statusOf(d.entrance+path, d.key) }

func statusOf(url, key string) int {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+key)
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	_ = res.Body.Close() // only the status matters
	return res.StatusCode
}
