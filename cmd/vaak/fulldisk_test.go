package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"vaak/store"
	"vaak/voice"
)

// diskEnv names the directory that the test mounts a small disk on, in a process
// of its own.
const diskEnv = "VAAK_TEST_DISK"

// cannotMount is how the output of such a process says that it may not mount.
const cannotMount = "cannot mount: "

// TestLengthyFullDisk fills the disk under SQLite: what is not counted is not spoken,
// voices are still served, and all goes on when there is room again.
func TestLengthyFullDisk(t *testing.T) { onSmallDisk(t, fillDisk) }

// onSmallDisk runs a test in a process of its own that has mounted a small disk.
// What it calls is all that the test does.
func onSmallDisk(t *testing.T, test func(t *testing.T, dir string)) {
	slow(t)
	if dir := os.Getenv(diskEnv); dir != "" {
		mount(t, dir)
		test(t, dir)
		return
	}
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var denied string
	for _, attr := range []*syscall.SysProcAttr{
		{Cloneflags: syscall.CLONE_NEWNS}, // as root
		{
			Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		},
	} {
		cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=10m")
		cmd.Env = append(os.Environ(), diskEnv+"="+t.TempDir())
		cmd.SysProcAttr = attr
		out, err := cmd.CombinedOutput()
		_, exited := errors.AsType[*exec.ExitError](err)
		switch _, why, may := strings.Cut(string(out), cannotMount); {
		case err == nil && strings.Contains(string(out), "--- PASS"):
			t.Logf("%s", out)
			return
		case exited && !may:
			t.Fatalf("%v: %s", err, out)
		case may:
			denied, _, _ = strings.Cut(why, "\n")
		default:
			denied = err.Error()
		}
	}
	t.Skipf("no file system can be mounted here: %s", denied)
}

// mount mounts a disk on dir that is seen by this process and its children alone.
// It has more room than a server wants to be ready.
func mount(t *testing.T, dir string) {
	err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	if err == nil {
		err = syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=80m")
	}
	if err != nil {
		t.Fatalf("%s%v", cannotMount, err)
	}
	t.Setenv("TMPDIR", dir) // the server's data goes there
}

// disk is a server on a small disk.
type disk struct {
	*server
	filler       string
	acknowledged int64 // characters
}

func fillDisk(t *testing.T, dir string) {
	d := &disk{server: start(t), filler: filepath.Join(dir, "filler")}
	d.vaak("plan", "set", "large", "--characters", "1000000000", "--rpm", "1000000", "--streams", "100")
	_, d.key = d.customer("Large", "large")
	if a := d.count(d.say(d.key, whisper)); a.status != http.StatusOK {
		t.Fatalf("%s = %d %s", a.what, a.status, a.body)
	}
	body := long(story)
	whole := len(d.mustSpeak(body))
	d.acknowledged += 2 * int64(utf8.RuneCountInString(body["input"].(string)))
	stream, err := http.DefaultClient.Do(d.request(t.Context(), body))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	idle := d.sockets()

	d.fill()
	d.full()
	d.refusesSockets()
	n, err := io.Copy(io.Discard, stream.Body)
	if err != nil || int(n) != whole {
		t.Errorf("the running stream ended with %v after %d of %d bytes", err, n, whole)
	}
	if err := os.Remove(d.filler); err != nil {
		t.Fatal(err)
	}
	d.recovers(func() { d.speaksOn(idle) })
	d.stop()
	quiet(t, d.server)
}

// count adds what an answer spoke of [whisper].
func (d *disk) count(a answered) answered {
	if a.status == http.StatusOK {
		d.acknowledged += int64(len(whisper))
	}
	return a
}

// fill leaves no byte of the disk, and speaks until that shows: the database has
// some room of its own.
func (d *disk) fill() {
	d.t.Helper()
	fillWith(d.t, d.filler, 0)
	asked := 0
	for ; asked < 2000; asked++ {
		if a := d.count(d.say(d.key, whisper)); a.status != http.StatusOK {
			a.expect(d.t, http.StatusServiceUnavailable, "store_unavailable")
			break
		}
	}
	d.t.Logf("%d requests were spoken after the disk was full", asked)
}

// full asks what can be asked while the disk is full.
func (d *disk) full() {
	d.t.Helper()
	for range 5 {
		a := d.say(d.key, whisper)
		a.expect(d.t, http.StatusServiceUnavailable, "store_unavailable")
		if a.header.Get("Retry-After") != "1" || a.took > time.Second {
			d.t.Errorf("%s: Retry-After %q after %v, want 1 within 1 s", a.what, a.header.Get("Retry-After"), a.took)
		}
	}
	for _, path := range []string{
		"/v1/voices", "/v1/languages", "/v1/models", "/health", "/",
		"/v1/voices/" + string(voice.DefaultVoice().ID) + "/preview",
	} {
		d.ask(http.MethodGet, path, "", nil).expect(d.t, http.StatusOK, "")
	}
	// Reading needs no room.
	if u := d.usage(d.key); u.Month.Used > d.acknowledged {
		d.t.Errorf("%d characters are charged, more than the %d that were spoken", u.Month.Used, d.acknowledged)
	}
	if status, body := d.get("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, `"disk","ok":false`) {
		d.t.Errorf("/readyz = %d %s, want 503 and the disk", status, body)
	}
	if status, _ := d.get("/livez"); status != http.StatusOK {
		d.t.Errorf("/livez = %d, want 200", status)
	}
}

// recovers checks that the server goes on by itself, and the sums after more was
// spoken.
func (d *disk) recovers(speak func()) {
	d.t.Helper()
	room := ran()
	works := func() bool {
		status, _ := d.get("/readyz")
		return d.count(d.say(d.key, whisper)).status == http.StatusOK && status == http.StatusOK
	}
	if !eventually(works) || ran()-room > 5*time.Second {
		d.t.Errorf("the server does not work %v after there is room", ran()-room)
	}
	d.t.Logf("works %v after there is room", (ran() - room).Round(time.Millisecond))
	speak()
	db, err := store.Open(d.t.Context(), store.Config{DSN: "sqlite:" + filepath.Join(d.dir, "vaak.db")})
	if err != nil {
		d.t.Fatal(err)
	}
	defer db.Close()
	(&fleet{t: d.t.(*testing.T)}).free("holds", 5*time.Second, func() int {
		a, err := db.Audit(d.t.Context())
		if err != nil || !a.Sound() {
			d.t.Fatalf("audit: %v, %q", err, a.Faults)
		}
		return int(a.OpenHolds)
	})
	if u := d.usage(d.key); u.Month.Used != d.acknowledged || u.Balance.Remaining != u.Balance.Granted-d.acknowledged {
		d.t.Errorf("%d characters were spoken: %+v", d.acknowledged, u)
	}
}

// fillWith leaves so many bytes of the disk of a file that it makes.
func fillWith(t testing.TB, name string, leave int64) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	written := int64(0)
	for size := 1 << 20; size > 0; {
		n, err := f.Write(make([]byte, size))
		written += int64(n)
		if errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(max(0, written-leave)); err != nil {
		t.Fatal(err)
	}
}
