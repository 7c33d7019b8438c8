package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vaak/app/deployment"
	"vaak/store/storetest/pgtest"
)

// visitor is somebody with a browser at the console of a server.
type visitor struct {
	t      *testing.T
	at     string
	client *http.Client
}

func visit(t *testing.T, s *server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, s.console, &http.Client{Jar: jar}}
}

// page follows redirects to a page and returns where it is, its status and its text.
func (v *visitor) page(req *http.Request, err error) (path string, status int, body string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	resp, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp.Request.URL.Path, resp.StatusCode, string(text)
}

func (v *visitor) get(path string) (string, int, string) {
	v.t.Helper()
	return v.page(http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.at+path, nil))
}

// post sends a form; fields are names and values in turn.
func (v *visitor) post(path string, fields ...string) (string, int, string) {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.at+path, strings.NewReader(form.Encode()))
	if err == nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", v.at)
	}
	return v.page(req, err)
}

const (
	consolePassword = "nine purple lighthouses hum"
	consoleEmail    = "olga@example.org"
)

// setUp makes the visitor the first operator.
func (v *visitor) setUp(s *server) {
	v.t.Helper()
	token, err := os.ReadFile(filepath.Join(s.dir, deployment.Setup))
	if err != nil {
		v.t.Fatal(err)
	}
	path, status, body := v.post("/setup", "token", strings.TrimSpace(string(token)), "name", "Olga", "email", consoleEmail, "password", consolePassword)
	if path != "/organisations" || status != http.StatusOK {
		v.t.Fatalf("after the setup at %s, status %d: %.2000s", path, status, body)
	}
}

// TestConsole sets a server up in a browser, makes a key, speaks with it, revokes it,
// and is still signed in when the server has started again.
func TestConsole(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); consoleLife(t, "") })
	t.Run("PostgreSQL", func(t *testing.T) { t.Parallel(); consoleLife(t, pgtest.DSN(t)) })
}

func consoleLife(t *testing.T, database string) {
	s := startOn(t, database, "--console-listen", "127.0.0.1:0")
	file := filepath.Join(s.dir, deployment.Setup)
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the setup token is kept with %v, %v; want 0600", info.Mode(), err)
	}
	told := fmt.Sprintf(`"page":"%s/setup","token":"%s"`, s.console, strings.TrimSpace(string(token)))
	if !eventually(func() bool { return strings.Contains(s.log.String(), told) }) {
		t.Errorf("standard error lacks %q:\n%s", told, s.log)
	}
	v := visit(t, s)
	v.setUp(s)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the setup token is still there: %v", err)
	}
	if path, status, _ := visit(t, s).post("/setup", "token", strings.TrimSpace(string(token)), "name", "Eve", "email", "eve@example.org", "password", consolePassword); status != http.StatusConflict {
		t.Errorf("the setup token a second time: status %d at %s, want 409", status, path)
	}

	path, status, body := v.post("/organisations", "name", "Acme", "plan", "unlimited")
	org := regexp.MustCompile(`org_[a-z2-7]{16}`).FindString(path)
	if status != http.StatusOK || org == "" {
		t.Fatalf("a new organisation: %d at %s: %.1000s", status, path, body)
	}
	_, status, body = v.post("/o/"+org+"/keys", "label", "web")
	key := regexp.MustCompile(`sk_live_[0-9A-Za-z]{49}`).FindString(body)
	id := regexp.MustCompile(`key_[a-z2-7]{16}`).FindString(body)
	if status != http.StatusOK || key == "" || id == "" {
		t.Fatalf("a new key: %d: %.1000s", status, body)
	}
	s.key = key
	if status := s.speakStatus(t); status != http.StatusOK {
		t.Errorf("with the new key: %d", status)
	}
	if _, _, body := v.get("/o/" + org + "/keys"); strings.Contains(body, key) {
		t.Error("the key is shown again")
	}
	v.post("/o/" + org + "/keys/" + id + "/revoke")
	if status := s.speakStatus(t); status != http.StatusUnauthorized {
		t.Errorf("with the revoked key: %d, want 401", status)
	}

	v.speaks(s, org)

	s.stop()
	for _, secret := range []string{strings.TrimSpace(string(token)), consoleEmail, consolePassword, key} {
		log := strings.Replace(s.log.String(), told, "", 1)
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	s.serve("--console-listen", strings.TrimPrefix(s.console, "http://"))
	if path, status, body := v.get("/organisations"); path != "/organisations" || status != http.StatusOK {
		t.Errorf("after a restart at %s: %d: %.500s", path, status, body)
	}
	if strings.Contains(s.log.String(), "not set up") {
		t.Error("a server that is set up tells a setup token")
	}
}

// speaks has the playground speak, and finds that charged under the key id console, by
// the API that other keys of the organisation have.
func (v *visitor) speaks(s *server, org string) {
	v.t.Helper()
	const text = "Spoken in the playground."
	_, status, body := v.post("/o/"+org+"/playground/speak", "input", text, "response_format", "wav")
	if status != http.StatusOK || !strings.HasPrefix(body, "RIFF") {
		v.t.Fatalf("the playground: %d, %.300q", status, body)
	}
	s.key = s.vaak("key", "create", "--org", org, "--name", "reader")
	want := fmt.Sprintf(`"characters":%d`, len(text))
	var got []byte
	if !eventually(func() bool {
		req, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, s.public+"/v1/usage/daily", nil)
		if err != nil {
			v.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			v.t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err = io.ReadAll(resp.Body); err != nil {
			v.t.Fatal(err)
		}
		return strings.Contains(string(got), `"console"`) && strings.Contains(string(got), want)
	}) {
		v.t.Errorf("daily usage after the playground lacks console with %s: %s", want, got)
	}
	if strings.Contains(string(got), "key_console") {
		v.t.Errorf("daily usage tells an id of ours: %s", got)
	}
}

// speakStatus is what becomes of a request with the server's key.
func (s *server) speakStatus(t *testing.T) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.public+"/v1/audio/speech", strings.NewReader(`{"input":"Hello."}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // only the status matters
	return resp.StatusCode
}

// TestConsoleAddress starts servers with and without a console.
func TestConsoleAddress(t *testing.T) {
	t.Parallel()
	first := start(t, "--console-listen", "127.0.0.1:0")
	taken := strings.TrimPrefix(first.console, "http://")
	refused := func(args ...string) (status int, stderr string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "vaak", append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data-dir", t.TempDir()}, args...)...)
		cmd.Env = first.env
		var text bytes.Buffer
		cmd.Stderr = &text
		_ = cmd.Run() // the status tells
		return cmd.ProcessState.ExitCode(), text.String()
	}
	if status, stderr := refused("--console-listen", taken); status != 1 || !strings.Contains(stderr, "--console-listen: ") {
		t.Errorf("with an address that is taken: %d, %s", status, stderr)
	}
	for _, args := range [][]string{
		{"--console-url", "console.example.org"}, {"--console-url", "https://example.org/console"},
		{"--oidc-issuer", "https://id.example.org"}, {"--oidc-client-id", "vaak"}, {"--oidc-secret-file", "/dev/null"},
		{"--oidc-issuer", "ftp://id.example.org", "--oidc-client-id", "vaak"},
		{"--oidc-issuer", "https://id.example.org", "--oidc-client-id", "vaak", "--oidc-secret-file", "/nowhere"},
	} {
		if status, stderr := refused(append([]string{"--console-listen", "127.0.0.1:0"}, args...)...); status != 2 {
			t.Errorf("vaak serve %q: %d, %s; want 2", args, status, stderr)
		}
	}
	off := start(t)
	if off.console != "" || strings.Contains(off.log.String(), "not set up") {
		t.Errorf("without a console there is %q: %s", off.console, off.log)
	}
	// Nobody named an address: each has a console, wherever there is room.
	address := regexp.MustCompile(`"page":"(http://127\.0\.0\.1:\d+)/setup"`)
	seen := map[string]bool{}
	for range 2 {
		s := &server{t: t, dir: t.TempDir(), env: append(first.env, "VAAK_CONSOLE_LISTEN=")}
		s.env = append(s.env, "VAAK_DATA_DIR="+s.dir)
		s.serve()
		var m []string
		eventually(func() bool { // standard error comes by another way than the ready line
			m = address.FindStringSubmatch(s.log.String())
			return m != nil
		})
		if s.console != "" || m == nil || seen[m[1]] {
			t.Fatalf("ready line with %q, standard error: %s", s.console, s.log)
		}
		seen[m[1]] = true
		s.console = m[1]
		if path, status, _ := visit(t, s).get("/"); path != "/setup" || status != http.StatusOK {
			t.Errorf("the console at %s: %d at %s", m[1], status, path)
		}
	}
}
