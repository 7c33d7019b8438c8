package smtp

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/internal/needed"
)

// nobody is the user and group that the server has where the test is root's: it
// delivers nothing as root.
const nobody = 65534

// eximConfig is all of the configuration of a server that delivers to files. It runs as
// whoever starts it, which is what deliver_drop_privilege is for.
const eximConfig = `
primary_hostname = mail.test
spool_directory = %[1]s/spool
log_file_path = %[1]s/log/%%slog
pid_file_path = %[1]s/pid
exim_user = %[2]d
exim_group = %[3]d
never_users =
deliver_drop_privilege
keep_environment =
add_environment = PATH=/usr/bin:/bin
local_interfaces = 127.0.0.1
daemon_smtp_ports = %[4]d
tls_advertise_hosts = *
tls_certificate = %[1]s/cert.pem
tls_privatekey = %[1]s/key.pem
rfc1413_query_timeout = 0s
domainlist local = example.org
qualify_domain = example.org
acl_smtp_mail = mail
acl_smtp_rcpt = rcpt
acl_smtp_data = data

begin acl
mail:
  require encrypted = *
  require authenticated = *
  accept
rcpt:
  deny    local_parts = nobody
          message = nobody@example.org has gone
  defer   local_parts = busy
          message = busy@example.org is busy
  require domains = +local
  accept
data:
  accept

begin routers
box:
  driver = accept
  transport = box

begin transports
box:
  driver = appendfile
  directory = %[1]s/box
  maildir_format
  create_directory
  envelope_to_add
  return_path_add
  user = %[2]d
  group = %[3]d

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${if and{{eq{$auth2}{u@x}}{eq{$auth3}{p:/#}}}}
  server_set_id = $auth2
`

// exim starts a server with a directory of its own and returns its address and the
// directory of what it delivered.
func exim(t *testing.T, ca authority) (addr, box string) {
	t.Helper()
	program := findExim(t)
	dir := t.TempDir()
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = nobody, nobody
		if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o711), os.Chown(dir, uid, gid)); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"spool", "log"} {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, d), 0o750), os.Chown(filepath.Join(dir, d), uid, gid)); err != nil {
			t.Fatal(err)
		}
	}
	key, err := x509.MarshalPKCS8PrivateKey(ca.leaf.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t)
	addr = l.Addr().String()
	config := fmt.Sprintf(eximConfig, dir, uid, gid, l.Addr().(*net.TCPAddr).Port)
	for name, content := range map[string]string{
		"cert.pem": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.leaf.Certificate[0]})),
		"key.pem":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
		"conf":     config,
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chown(path, uid, gid)); err != nil {
			t.Fatal(err)
		}
	}
	l.Close() // the server takes the port over
	cmd := exec.Command(program, "-C", filepath.Join(dir, "conf"), "-bdf", "-odf")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() != uid {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	run(t, dir, cmd, addr)
	return addr, filepath.Join(dir, "box", "new")
}

// findExim returns the program, or ends the test.
func findExim(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"exim4", "/usr/sbin/exim4"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	needed.Missing(t, "there is no exim4; tools/install test brings it where there is no other mail server")
	return ""
}

// run starts a server, waits until it answers, and ends it, with all it started, with
// the test.
func run(t *testing.T, dir string, cmd *exec.Cmd, addr string) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, patience
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() { defer close(exited); _ = cmd.Wait() }() // it is killed: how it ends says nothing
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-exited
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "log", "mainlog"))
			rejects, _ := os.ReadFile(filepath.Join(dir, "log", "rejectlog"))
			t.Logf("exim said: %s\n%s\n%s", &out, log, rejects)
		}
	})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); ; {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return
		}
		select {
		case <-tick.C:
		case <-exited:
			t.Fatal("exim ended")
		case <-late:
			t.Fatal("exim does not answer")
		}
	}
}

// mailbox waits for one mail in a directory and returns it.
func mailbox(t *testing.T, dir string) string {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); ; {
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			b, err := os.ReadFile(found[0])
			if err != nil || len(found) != 1 {
				t.Fatalf("mails in the box: %q, %v, want 1", found, err)
			}
			return string(b)
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("no mail in the box")
		}
	}
}

// TestExim delivers over a server that people run: signed in, over STARTTLS, into a
// mailbox.
func TestExim(t *testing.T) {
	t.Parallel()
	ca := trusted(t)
	addr, box := exim(t, ca)
	r := relay(t, Config{URL: "smtp://u%40x:p%3A%2F%23@" + addr, Roots: ca.roots, Timeout: patience})
	m := sample()
	if err := r.Send(t.Context(), m); err != nil {
		t.Fatalf("Send: %v", err)
	}
	got := mailbox(t, box)
	// What the server itself adds stands above what it was given.
	head, rest, found := strings.Cut(got, "\nDate: ")
	if !found || !strings.Contains(head, "TLS") || !strings.Contains(head, "\nEnvelope-to: "+m.To+"\n") || !strings.Contains(head, "Return-path: <"+m.From+">\n") {
		t.Errorf("what the server added: %s", head)
	}
	checkLetter(t, m, letter{From: m.From, To: []string{m.To}, Data: strings.ReplaceAll("Date: "+rest, "\n", "\r\n")})

	for _, tt := range []struct {
		name string
		cfg  Config
		to   string
		want *enquiry.Refusal
	}{
		{"has gone", Config{URL: "smtp://u%40x:p%3A%2F%23@" + addr, Roots: ca.roots}, "nobody@example.org", &enquiry.Refusal{Stage: "RCPT TO", Code: 550}},
		{"is busy", Config{URL: "smtp://u%40x:p%3A%2F%23@" + addr, Roots: ca.roots}, "busy@example.org", nil},
		{"wrong password", Config{URL: "smtp://u%40x:secret@" + addr, Roots: ca.roots}, m.To, nil},
		{"no trust", Config{URL: "smtp://u%40x:secret@" + addr}, m.To, nil},
	} {
		m := m
		m.To = tt.to
		tt.cfg.Timeout = patience
		err := relay(t, tt.cfg).Send(t.Context(), m)
		t.Logf("%s: %v", tt.name, err)
		checkError(t, err, tt.want)
	}
	// Without signing in, the server says no to the sender, for a reason that is not
	// the mail's: it is not one of the codes of RFC 4954.
	err := relay(t, Config{URL: "smtp://" + addr, Roots: ca.roots, Timeout: patience}).Send(t.Context(), m)
	if refusal, ok := errors.AsType[*enquiry.Refusal](err); !ok || refusal.Stage != "MAIL FROM" {
		t.Errorf("Send without signing in = %v, want refused at MAIL FROM", err)
	}
}
