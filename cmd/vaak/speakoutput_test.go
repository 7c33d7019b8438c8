package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"vaak/engine/enginetest"
)

// TestCommandSpeakInterrupted: Ctrl-C leaves what was there, and nothing else; so does the
// end of the terminal.
func TestCommandSpeakInterrupted(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(sig) {
				t.Skip("it is ignored here, and so by what is started")
			}
			interrupted(t, sig)
		})
	}
}

func interrupted(t *testing.T, sig syscall.Signal) {
	dir := t.TempDir()
	audio := filepath.Join(dir, "a.wav")
	if err := os.WriteFile(audio, []byte("older"), 0o640); err != nil {
		t.Fatal(err)
	}
	cmd, stderr := vaakSpeak(t, "-o", audio, "--vtt", filepath.Join(dir, "a.vtt"), "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "It is late this evening. We are going home now. And"); err != nil {
		t.Fatal(err)
	}
	soon(t, "audio in a part of a file", func() bool {
		parts, _ := filepath.Glob(filepath.Join(dir, ".vaak-*.part"))
		for _, p := range parts {
			if info, err := os.Stat(p); err == nil && info.Size() > 1000 {
				return true
			}
		}
		return false
	})
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || stderr.String() != "vaak: interrupted\n" {
		t.Errorf("speak = %v, %q, want 1 and one line", err, stderr)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".vaak*"))
	if got, _ := os.ReadFile(audio); err != nil || len(names) != 1 || len(hidden) != 0 || string(got) != "older" {
		t.Errorf("there are %q and %q, %v; the older file has %q", names, hidden, err, got)
	}
}

// TestCommandSpeakToFiles writes to what a shell may redirect to.
func TestCommandSpeakToFiles(t *testing.T) {
	t.Parallel()
	speak := func(flags int, name, before string) []byte {
		t.Helper()
		f, err := os.OpenFile(name, flags|os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(before); err != nil {
			t.Fatal(err)
		}
		cmd, stderr := vaakSpeak(t, "It is late.")
		cmd.Stdout = f
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.TrimPrefix(got, []byte(before))
	}
	dir := t.TempDir()
	seconds(t, speak(0, filepath.Join(dir, "a"), ""))
	seconds(t, speak(0, filepath.Join(dir, "b"), "head"))
	if got := speak(os.O_APPEND, filepath.Join(dir, "c"), "head"); binary.LittleEndian.Uint32(got[40:]) != 1<<32-1 || string(got[:4]) != "RIFF" {
		t.Errorf("what is appended has a head of % x, want that of a stream", got[:44])
	}
	real, link := filepath.Join(dir, "real.wav"), filepath.Join(dir, "link.wav")
	if err := os.WriteFile(real, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.wav", link); err != nil {
		t.Fatal(err)
	}
	cmd, stderr := vaakSpeak(t, "-o", link, "It is late.")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	got, err := os.ReadFile(real)
	if err != nil {
		t.Fatal(err)
	}
	seconds(t, got)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v now", info, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file is %v, %v now, want its mode kept", info, err)
	}
}

func TestCommandSpeakRefuses(t *testing.T) {
	t.Parallel()
	worker, dir := enginetest.Worker(t), t.TempDir()
	for _, tt := range []struct {
		name, args, in string
		status         int
		says           string
	}{
		{"a language", "-o DIR/x.wav --lang klingon hello", "", 2, `--lang: "klingon" is not`},
		{"a voice", "-o DIR/x.wav --voice hanna hello", "", 2, `--voice: "hanna" does not exist; near it are Hannah; voices of English are sv_\w+ \(\w+\), .* docs/voices.md has all`},
		{"a voice of a language", "-o DIR/x.wav --lang hindi --voice nope hello", "", 2, `voices of Hindi are sv_`},
		{"a format", "-o DIR/x.wav --format flax hello", "", 2, `--format: "flax" is not one of`},
		{"a rate", "-o DIR/x.wav --sample-rate 1 hello", "", 2, `--sample-rate: 1 is not one of`},
		{"a bit rate", "-o DIR/x.mp3 --bitrate-kbps 1000 hello", "", 2, `--bitrate-kbps: 1000 is`},
		{"a speed", "-o DIR/x.wav --speed 9 hello", "", 2, `--speed: 9 is outside 0.7 to 1.5`},
		{"no text", "-o DIR/x.wav", "", 2, `text`},
		{"an empty text", "-o DIR/x.wav -", " \n", 1, `input is empty`},
		{"no UTF-8", "-o DIR/x.wav -", "It is late. \xff", 1, `byte 12 is 0xff`},
		{"two on standard output", "--vtt - hello", "", 2, `--vtt - and the audio`},
		{"one file for two", "-o DIR/x --vtt DIR/x hello", "", 2, `same file`},
		{"a name of no format", "-o DIR/x.xyz hello", "", 2, `"\.xyz" is no audio format .* --format`},
		{"a name in capitals", "-o DIR/x.MP3 --bitrate-kbps 1000 hello", "", 2, `which is what mp3 can be asked for`},
		{"no folder", "-o DIR/none/x.wav hello", "", 1, `none/x.wav: no such file`},
		{"no folder for captions", "-o DIR/x.wav --vtt DIR/none/x.vtt hello", "", 1, `none/x.vtt: no such file`},
		{"a folder", "-o DIR hello", "", 1, `is a directory`},
		{"a full disk", "-o /dev/full hello", "", 1, `no space left`},
		{"a full disk for captions", "-o DIR/x.wav --vtt /dev/full hello", "", 1, `no space left`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, stderr bytes.Buffer
			args := strings.Fields("speak --espeak-worker " + worker + " " + strings.ReplaceAll(tt.args, "DIR", dir))
			status := run(t.Context(), args, strings.NewReader(tt.in), &out, &stderr)
			if status != tt.status || out.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !regexp.MustCompile(tt.says).Match(stderr.Bytes()) {
				t.Errorf("speak %s = %d, %d bytes, %q; want %d and one line that matches %s", tt.args, status, out.Len(), &stderr, tt.status, tt.says)
			}
		})
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	})
}

// TestCommandSpeakNotes asks for a bit rate that the format does not have at the sample rate.
func TestCommandSpeakNotes(t *testing.T) {
	t.Parallel()
	worker, file := enginetest.Worker(t), filepath.Join(t.TempDir(), "x.aac")
	for kbps, want := range map[string]string{
		"64": "note: aac has no bit rate of 64 kbps at 24000 Hz: the nearest that it has, 72 kbps, is used.\n",
		"96": "",
	} {
		var out, stderr bytes.Buffer
		args := []string{"speak", "--espeak-worker", worker, "-o", file, "--bitrate-kbps", kbps, "hello"}
		if status := run(t.Context(), args, strings.NewReader(""), &out, &stderr); status != 0 || stderr.String() != want {
			t.Errorf("%s kbps: status %d, %q; want 0 and %q", kbps, status, &stderr, want)
		}
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s kbps: %v, %v", kbps, info, err)
		}
	}
}

// terminal returns both ends of a terminal.
func terminal(t testing.TB) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { _ = user.Close() })
	number, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	unlock := int32(0)
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, user.Fd(), unix.TIOCSPTLCK, uintptr(unsafe.Pointer(&unlock))); e != 0 {
		t.Fatal(e)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return user, program
}

// TestCommandSpeakShowsProgress on a terminal, when it takes long.
func TestCommandSpeakShowsProgress(t *testing.T) {
	t.Parallel()
	user, program := terminal(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	from, to := io.Pipe()
	done := make(chan int)
	worker := enginetest.Worker(t)
	go func() {
		defer program.Close()
		done <- run(ctx, []string{"speak", "--espeak-worker", worker, "-o", filepath.Join(t.TempDir(), "a.wav"), "-"}, from, io.Discard, program)
	}()
	go func() { // a text that does not end
		for {
			if _, err := io.WriteString(to, "It is late this evening, and we are going home now. "); err != nil {
				return
			}
		}
	}()
	_ = user.SetReadDeadline(time.Now().Add(time.Minute)) // where it cannot be set, the test's own ends it
	shown := make([]byte, 0, 1<<10)
	progress := regexp.MustCompile(`\d+ characters spoken, [\dhms]+ of audio, \d+ times as fast as it plays`)
	for !progress.Match(shown) {
		n, err := user.Read(shown[len(shown):cap(shown)])
		if err != nil {
			t.Fatalf("the terminal shows %q, then %v", shown, err)
		}
		shown = shown[:len(shown)+n]
	}
	stop()
	if status := <-done; status != 1 {
		t.Errorf("speak = %d, want 1", status)
	}
	_ = from.Close()
}
