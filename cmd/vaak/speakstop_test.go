package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// unfinished says that a directory has files that are not whole yet.
func unfinished(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, ".vaak-*.part"))
	return len(names) > 0
}

// stops interrupts a command, which must end soon, with status 1 and one line, and
// leave so many files in a directory.
func stops(t *testing.T, cmd *exec.Cmd, stderr interface{ String() string }, dir string, files int) {
	t.Helper()
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || stderr.String() != "vaak: interrupted\n" {
		t.Errorf("speak = %v, %q, want 1 and one line", err, stderr)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != files {
		t.Errorf("%v is left, %v; want %d files", left, err, files)
	}
}

// TestCommandSpeakStopsWhenNobodyReads: Ctrl-C ends what waits for a reader.
func TestCommandSpeakStopsWhenNobodyReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, stderr := vaakSpeak(t, "--lang", "en", "--vtt", filepath.Join(dir, "a.vtt"), "-")
	cmd.Stdin = strings.NewReader(longText(20_000))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	soon(t, "a pipe that is full", func() bool {
		n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		return err == nil && n > 60_000 && unfinished(dir)
	})
	stops(t, cmd, stderr, dir, 0)
}

// TestCommandSpeakToNamedPipe waits for its reader, and no longer than it is let.
func TestCommandSpeakToNamedPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-o", filepath.Join(dir, "a.wav"), "--vtt", pipe, "It is late."}
	cmd, stderr := vaakSpeak(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	soon(t, "a file that is begun", func() bool { return unfinished(dir) })
	stops(t, cmd, stderr, dir, 1)

	cmd, stderr = vaakSpeak(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	soon(t, "a file that is begun", func() bool { return unfinished(dir) })
	got, err := os.ReadFile(pipe)
	if werr := cmd.Wait(); err != nil || werr != nil || !strings.HasSuffix(string(got), "\nIt is late.\n") {
		t.Errorf("the pipe brought %q, %v, %v, %s", got, err, werr, stderr)
	}
}

// TestCommandSpeakGoesOnUnderNohup: who has it ignore the end of the terminal gets it all.
func TestCommandSpeakGoesOnUnderNohup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, stderr := vaakSpeak(t, "-o", filepath.Join(dir, "a.wav"), "-")
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`}, append([]string{cmd.Path}, cmd.Args[1:]...)...)
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = shell
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	soon(t, "a file that is begun", func() bool { return unfinished(dir) })
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "It is late."); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	wav, err := os.ReadFile(filepath.Join(dir, "a.wav"))
	if err != nil {
		t.Fatal(err)
	}
	if seconds(t, wav) < 0.3 {
		t.Errorf("%d bytes of audio, want those of a sentence", len(wav))
	}
}

// TestCommandSpeakOneFileByTwoNames is refused, also where a link makes them differ.
func TestCommandSpeakOneFileByTwoNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(".", filepath.Join(dir, "ln")); err != nil {
		t.Fatal(err)
	}
	cmd, stderr := vaakSpeak(t, "-o", filepath.Join(dir, "s.wav"), "--vtt", filepath.Join(dir, "ln", "s.wav"), "hello")
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(stderr.String(), "same file") {
		t.Errorf("speak = %v, %q", err, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "s.wav")); err == nil {
		t.Error("the file is there")
	}
}

// TestCommandSpeakToEmptyName is as if no name were given.
func TestCommandSpeakToEmptyName(t *testing.T) {
	t.Parallel()
	cmd, stderr := vaakSpeak(t, "-o", "", "--vtt", "", "It is late.")
	got, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(got), "RIFF") {
		t.Errorf("speak = %v, %d bytes, %q", err, len(got), stderr)
	}
}
