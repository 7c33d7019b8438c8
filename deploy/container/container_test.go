package container

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/engine/onnx/tiny"
)

const (
	megabyte = 1_000_000
	limit    = 120 * megabyte // of the image without ONNX Runtime
)

var readyLine = regexp.MustCompile(`^ready public=(\S+) admin=(\S+) console=(\S+)\n$`)

// confined returns a command in the root of the image: the root read-only, a volume for data, a
// user that is not root, and no capability.
func confined(t *testing.T, root, volume string, args ...string) *exec.Cmd {
	t.Helper()
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("there is no bwrap: `apt-get install bubblewrap` brings it")
	}
	cmd := exec.Command(bwrap, append([]string{"--unshare-user", "--uid", "10001", "--gid", "10001", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
		"--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv", "--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev",
		"--bind", volume, "/var/lib/vaak", "--setenv", "PATH", "/usr/bin", "--setenv", "TMPDIR", "/var/lib/vaak", "--setenv", "VAAK_DATA_DIR", "/var/lib/vaak"}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", cmd.Args, err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// TestLengthyImage speaks from the root of an image that `deploy/container/build --root DIR` made.
func TestLengthyImage(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the root of an image")
	}
	root := os.Getenv("VAAK_IMAGE_ROOT")
	if root == "" {
		t.Skip("VAAK_IMAGE_ROOT names no root: `deploy/container/build --root DIR` makes one")
	}
	_, err := os.Stat(filepath.Join(root, "usr/bin/libonnxruntime.so"))
	neural := err == nil
	if size := sizeOf(t, root); size > limit && !neural {
		t.Errorf("the root has %d MB, want at most %d", size/megabyte, limit/megabyte)
	} else {
		t.Logf("the root has %.1f MB", float64(size)/megabyte)
	}
	// What reads and writes formats, under the names that the program loads.
	for _, library := range []string{"libmp3lame.so.0", "libmpg123.so.0", "libopus.so.0", "libvo-aacenc.so.0"} {
		if found, err := filepath.Glob(filepath.Join(root, "usr/lib/*", library)); err != nil || len(found) != 1 {
			t.Errorf("%s is at %q, %v; want one place", library, found, err)
		}
	}
	volume := t.TempDir()
	org := output(t, confined(t, root, volume, "vaak", "org", "create", "Test"))
	key := output(t, confined(t, root, volume, "vaak", "key", "create", "--org", org, "--name", "test"))
	if neural { // a voice is added after it has loaded and spoken
		model, config := tiny.Piper(tiny.PiperOptions{})
		for name, b := range map[string][]byte{"en_US-tiny-medium.onnx": model, "en_US-tiny-medium.onnx.json": config} {
			if err := os.WriteFile(filepath.Join(volume, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Log(output(t, confined(t, root, volume, "vaak", "voice", "add", "/var/lib/vaak/en_US-tiny-medium.onnx")))
	}
	if err := confined(t, root, volume, "busybox", "touch", "/etc/x").Run(); err == nil {
		t.Error("the root can be written to")
	}

	serves(t, key, func(args ...string) *exec.Cmd { return confined(t, root, volume, args...) })
	for _, pid := range processes(t, root) {
		status, err := os.ReadFile("/proc/" + pid + "/status")
		if err == nil && !regexp.MustCompile(`(?m)^CapEff:\t0+$`).Match(status) {
			t.Errorf("process %s has capabilities: %s", pid, status)
		}
	}
}

// serves starts a server with a command in an image, and uses it: speech in every format, pages, both
// services for agents, the console, the health check.
func serves(t *testing.T, key string, command func(args ...string) *exec.Cmd) {
	t.Helper()
	cmd := command("vaak", "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--console-listen", "127.0.0.1:0")
	var log bytes.Buffer
	cmd.Stderr = &log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(&log)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	m := readyLine.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("the server says %q, %v: %s", line, err, &log)
	}
	public, admin, console := m[1], m[2], m[3]
	t.Logf("ready after %v", time.Since(start))
	output(t, command("busybox", "wget", "-q", "-O", "/dev/null", admin+"/readyz")) // the health check

	for _, format := range []string{"mp3", "opus", "aac", "flac", "wav"} {
		body := fmt.Sprintf(`{"input": "Good morning.", "lang": "en", "response_format": %q}`, format)
		if b := ask(t, "POST", public+"/v1/audio/speech", key, body); len(b) < 2000 {
			t.Errorf("%s has %d bytes: %.200s", format, len(b), b)
		}
	}
	for _, page := range []struct{ method, url, body, want string }{
		{"GET", public + "/", "", "<html"},
		{"GET", public + "/v1/languages", "", "Hindi"},
		{"POST", public + "/v1/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}`, `"serverInfo"`},
		{"POST", public + "/api/catalogue/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}`, `"serverInfo"`},
		{"GET", console + "/", "", "<html"},
	} {
		if b := ask(t, page.method, page.url, key, page.body); !strings.Contains(string(b), page.want) {
			t.Errorf("%s %s: %.300s; want %s", page.method, page.url, b, page.want)
		}
	}
}

// podman returns a command that runs podman as VAAK_PODMAN says, such as "podman --runtime=runc".
func podman(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	words := append(strings.Fields(os.Getenv("VAAK_PODMAN")), args...)
	if len(words) == len(args) {
		words = append([]string{"podman"}, args...)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// TestLengthyPodman runs an image with podman as docs/deploy.md says: the root read-only, a volume,
// no capability, not root.
func TestLengthyPodman(t *testing.T) {
	if testing.Short() {
		t.Skip("runs an image")
	}
	image := os.Getenv("VAAK_IMAGE")
	if image == "" {
		t.Skip("VAAK_IMAGE names no image: `deploy/container/build` makes one")
	}
	volume, ids := t.TempDir(), t.TempDir()
	if err := os.Chown(volume, 10001, 10001); err != nil {
		t.Skip("only root may give a volume to another user")
	}
	n := 0
	in := func(args ...string) *exec.Cmd {
		n++
		id := filepath.Join(ids, fmt.Sprint(n))
		t.Cleanup(func() {
			if b, err := os.ReadFile(id); err == nil {
				_ = podman(t, "rm", "--force", "--time=0", string(b)).Run()
			}
		})
		return podman(t, append([]string{
			// Limits that a machine without CAP_SYS_RESOURCE grants; the health check is run by serves.
			"run", "--rm", "--pull=never", "--cidfile", id, "--network=host", "--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096", "--no-healthcheck", "--read-only", "--read-only-tmpfs=false", "--cap-drop=all",
			"--security-opt=no-new-privileges", "-v", volume + ":/var/lib/vaak", "--entrypoint", args[0], image,
		}, args[1:]...)...)
	}
	org := output(t, in("vaak", "org", "create", "Test"))
	key := output(t, in("vaak", "key", "create", "--org", org, "--name", "test"))
	if err := in("busybox", "touch", "/etc/x").Run(); err == nil {
		t.Error("the root can be written to")
	}
	server := n + 1
	serves(t, key, in)
	id, err := os.ReadFile(filepath.Join(ids, fmt.Sprint(server)))
	if err != nil {
		t.Fatal(err)
	}
	pid := output(t, podman(t, "inspect", "--format", "{{.State.Pid}}", string(id)))
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`CapEff:\t0+`, `CapBnd:\t0+`, `NoNewPrivs:\t1`, `Uid:\t10001\t10001\t10001\t10001`} {
		if !regexp.MustCompile(`(?m)^` + want + `$`).Match(status) {
			t.Errorf("the server has not %s: %s", want, status)
		}
	}
	began := time.Now()
	output(t, podman(t, "stop", "--time=30", string(id)))
	t.Logf("stopped after %v", time.Since(began))
	if left, err := filepath.Glob(filepath.Join(volume, "vaak.db-wal")); err != nil || len(left) > 0 {
		t.Errorf("the server has not closed its database: %q, %v", left, err)
	}
}

// processes returns the processes that run a program of the image.
func processes(t *testing.T, root string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(filepath.Join(root, "usr/bin/vaak"))
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, exe := range all {
		if got, err := os.Stat(exe); err == nil && os.SameFile(got, want) {
			pids = append(pids, filepath.Base(filepath.Dir(exe)))
		}
	}
	if len(pids) == 0 {
		t.Error("no process runs the server of the image")
	}
	return pids
}

func ask(t *testing.T, method, url, key, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream, text/html")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Errorf("%s %s: status %d, %v", method, url, res.StatusCode, err)
	}
	return b
}

// sizeOf returns the bytes of all files of a root.
func sizeOf(t *testing.T, root string) int64 {
	t.Helper()
	var size int64
	err := filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}
