package proxies

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/internal/needed"
)

const host = "speech.example.org" // of the settings

// upstream is the addresses of a server behind a proxy.
type upstream struct{ public, admin string }

// program is a proxy that the machine may have.
type program struct {
	name, file string
	accept     string // begins the line that takes the PROXY protocol; "" is none
	settings   func(p *proxy, file string, generation int) string
	args       func(p *proxy) []string
	reload     func(t *testing.T, p *proxy)
}

var programs = []program{
	{"nginx", "nginx.conf", "    # listen 443", nginxSettings, func(p *proxy) []string {
		return []string{"-p", p.dir, "-e", filepath.Join(p.dir, "error.log"), "-c", p.config}
	}, func(_ *testing.T, p *proxy) { _ = p.cmd.Process.Signal(syscall.SIGHUP) }},
	{"haproxy", "haproxy.cfg", "    # bind :443", haproxySettings, func(p *proxy) []string {
		return []string{"-W", "-db", "-f", p.config}
	}, func(_ *testing.T, p *proxy) { _ = p.cmd.Process.Signal(syscall.SIGUSR2) }},
	{"caddy", "Caddyfile", "", caddySettings, func(p *proxy) []string {
		return []string{"run", "--config", p.config, "--adapter", "caddyfile"}
	}, func(t *testing.T, p *proxy) {
		cmd := exec.CommandContext(t.Context(), p.path, "reload", "--config", p.config, "--adapter", "caddyfile", "--address", p.control)
		cmd.Env = p.env()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("caddy reload: %v: %s", err, out)
		}
	}},
}

// proxy is a running proxy.
type proxy struct {
	program
	path, dir, config string
	address           string // where clients connect
	asked             string // answers with the generation of the settings
	control           string // of Caddy
	behind            upstream
	accepts           bool // the PROXY protocol
	old               bool // Caddy before 2.7
	roots             *x509.CertPool
	cmd               *exec.Cmd
	log               bytes.Buffer
}

func (p *proxy) env() []string {
	return append(os.Environ(), "HOME="+p.dir, "XDG_DATA_HOME="+p.dir, "XDG_CONFIG_HOME="+p.dir)
}

// each runs a test with each proxy that the machine has. VAAK_CADDY and so on name a program
// that is not on PATH.
func each(t *testing.T, test func(t *testing.T, of program)) {
	for _, of := range programs {
		t.Run(of.name, func(t *testing.T) { test(t, of) })
	}
}

// run starts a proxy before a server, and stops it at the end of the test.
func run(t *testing.T, of program, behind upstream, accepts bool) *proxy {
	t.Helper()
	name := of.name
	if other := os.Getenv("VAAK_" + strings.ToUpper(of.name)); other != "" {
		name = other
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s: `apt-get install %s` brings it", of.name, of.name)
	}
	p := &proxy{program: of, path: path, dir: t.TempDir(), behind: behind, accepts: accepts,
		address: needed.Address(t), asked: needed.Address(t), control: needed.Address(t)}
	if of.name == "caddy" {
		out, err := exec.CommandContext(t.Context(), path, "version").Output()
		p.old = err == nil && strings.HasPrefix(strings.TrimPrefix(string(out), "v"), "2.6.")
	}
	p.config = filepath.Join(p.dir, of.file)
	p.roots = certify(t, p.dir)
	p.write(t, 1)
	p.cmd = exec.Command(path, of.args(p)...)
	p.cmd.Env, p.cmd.Dir = p.env(), p.dir
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // its workers too
		_ = p.cmd.Wait()
		if t.Failed() {
			more, _ := os.ReadFile(filepath.Join(p.dir, "error.log")) // nginx alone has it
			t.Logf("%s: %s%s", of.name, &p.log, more)
		}
	})
	p.await(t, 1)
	if !accepts {
		p.awaitServer(t)
	}
	return p
}

// write writes the settings.
func (p *proxy) write(t *testing.T, generation int) {
	t.Helper()
	text, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.config, []byte(p.settings(p, string(text), generation)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// await waits until the settings of a generation are in force.
func (p *proxy) await(t *testing.T, generation int) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	answers := func() bool {
		res, err := client.Get("http://" + p.asked)
		if err != nil {
			return false
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return err == nil && string(b) == fmt.Sprint(generation)
	}
	for start := time.Now(); !answers(); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("settings %d are not in force", generation)
		}
	}
}

// awaitServer waits until the proxy has found the server to be well.
func (p *proxy) awaitServer(t *testing.T) {
	t.Helper()
	client := p.client(1, "127.0.0.1")
	defer client.CloseIdleConnections()
	reached := func() bool {
		res, err := client.Get("https://" + host + "/v1/languages")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode < 500
	}
	for start := time.Now(); !reached(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("the server is not reached")
		}
	}
}

// client returns a client that speaks HTTP of a major version, from a local address.
func (p *proxy) client(major int, from string) *http.Client {
	tr := &http.Transport{DialContext: p.dial(from, ""), TLSClientConfig: &tls.Config{RootCAs: p.roots},
		ForceAttemptHTTP2: major == 2, MaxIdleConnsPerHost: 16}
	if major == 1 {
		tr.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	return &http.Client{Transport: tr, Timeout: 30 * time.Second}
}

// dial connects with the proxy whatever the address, and sends what comes before TLS.
func (p *proxy) dial(from, first string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.DialContext(ctx, network, p.address)
		if err == nil && first != "" {
			_, err = io.WriteString(c, first)
		}
		return c, err
	}
}

// must replaces texts that the settings must have.
func must(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			panic("the settings have no " + pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// accepting puts the line of the PROXY protocol in the place of the line before it.
func (p *proxy) accepting(text, usual string) string {
	if !p.accepts {
		return text
	}
	return must(text, usual+"\n", "", p.accept, strings.Replace(p.accept, "# ", "", 1))
}

func nginxSettings(p *proxy, text string, generation int) string {
	text = p.accepting(text, "    listen 443 ssl http2;")
	text = must(text, "listen 443", "listen "+p.address, "127.0.0.1:8080", p.behind.public, "/etc/ssl/vaak", p.dir)
	text = strings.ReplaceAll(text, "10.0.0.0/8", "127.0.0.0/8") // the balancer is this machine
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;"
	}
	temporary := ""
	for _, of := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += fmt.Sprintf("%s_temp_path %s;\n", of, filepath.Join(p.dir, of))
	}
	return fmt.Sprintf("%s\nworker_processes 2;\ndaemon off;\npid %s/pid;\nevents { worker_connections 4096; }\nhttp {\naccess_log off;\n%s"+
		"server { listen %s; return 200 %d; }\n%s\n}\n", user, p.dir, temporary, p.asked, generation, text)
}

func haproxySettings(p *proxy, text string, generation int) string {
	text = p.accepting(text, "    bind :443 ssl crt /etc/haproxy/vaak.pem alpn h2,http/1.1")
	_, port, _ := net.SplitHostPort(p.behind.admin)
	return must(text, "bind :443", "bind "+p.address, "127.0.0.1:8080", p.behind.public, "port 8081", "port "+port,
		"/etc/haproxy", p.dir, "maxconn 20000", "maxconn 2000") + fmt.Sprintf("\nfrontend asked\n    bind %s\n    http-request return status 200 content-type text/plain string %d\n", p.asked, generation)
}

func caddySettings(p *proxy, text string, generation int) string {
	_, port, _ := net.SplitHostPort(p.behind.admin)
	_, listen, _ := net.SplitHostPort(p.address)
	text = must(text, "\nspeech.example.org {", fmt.Sprintf("\nhttps://%s:%s {\n\tbind 127.0.0.1\n\ttls %s/chain.pem %s/key.pem", host, listen, p.dir, p.dir),
		"127.0.0.1:8080", p.behind.public, "health_port 8081", "health_port "+port)
	if p.old {
		text = must(text, "\t\tstream_close_delay 1h\n", "")
	}
	return fmt.Sprintf("{\n\tadmin %s\n\tauto_https off\n}\nhttp://%s {\n\trespond \"%d\"\n}\n%s", p.control, p.asked, generation, text)
}

// certify writes a certificate of host and its key to chain.pem, key.pem, and vaak.pem with both.
func certify(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	for name, b := range map[string][]byte{"chain.pem": chain, "key.pem": private, "vaak.pem": append(append([]byte{}, chain...), private...)} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(chain)
	return pool
}
