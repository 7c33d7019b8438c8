package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/audio"
	"vaak/telephony/line"
)

// asteriskConfig is all that Asterisk needs for a call from itself into AudioSocket, which it
// records. DIR is a directory within its root, MODULES where its modules are.
var asteriskConfig = map[string]string{
	"asterisk.conf": `[directories]
astetcdir => DIR
astmoddir => MODULES
astvarlibdir => /var/lib/asterisk
astdbdir => DIR
astkeydir => DIR
astdatadir => /usr/share/asterisk
astagidir => DIR
astspooldir => DIR
astrundir => DIR
astlogdir => DIR
`,
	"modules.conf": `[modules]
autoload=no
load=res_audiosocket.so
load=app_audiosocket.so
load=app_record.so
load=func_uuid.so
load=format_sln.so
load=res_timing_timerfd.so
load=res_clioriginate.so
load=pbx_config.so
`,
	"extensions.conf": `[vaak]
exten => s,1,Answer()
 same => n,AudioSocket(${UUID()},ADDRESS)
 same => n,Hangup()
`,
}

// TestAsterisk: a real Asterisk calls the bridge, and what it records of the prompt is what the
// server says, sample for sample. `make asterisk` brings it and runs this; VAAK_ASTERISK is its
// root directory.
func TestAsterisk(t *testing.T) {
	root := os.Getenv("VAAK_ASTERISK")
	if root == "" {
		t.Skip("VAAK_ASTERISK names no root with Asterisk: make asterisk makes one")
	}
	modules, err := filepath.Glob(root + "/usr/lib/*/asterisk/modules/app_audiosocket.so")
	if err != nil || len(modules) == 0 {
		t.Fatalf("%s has no Asterisk with AudioSocket: %v", root, err)
	}
	const prompt = "Welcome to the station. The next train to Pune leaves at nine, from platform two."
	s := start(t)
	b := s.bridge("--prompt", prompt)
	dir, err := os.MkdirTemp(root+"/tmp", "vaak-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	inside := strings.TrimPrefix(dir, root)
	names := strings.NewReplacer("DIR", inside, "MODULES", strings.TrimPrefix(filepath.Dir(modules[0]), root), "ADDRESS", b.asterisk)
	for name, text := range asteriskConfig {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(names.Replace(text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	asterisk := func(args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "chroot", append([]string{root, "asterisk", "-C", inside + "/asterisk.conf"}, args...)...)
	}
	var log lockedBuffer
	server := asterisk("-f")
	server.Stdout, server.Stderr = &log, &log
	server.Cancel = func() error { return server.Process.Kill() }
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	ask := func(command, want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		var out []byte
		for ok := false; !ok; time.Sleep(50 * time.Millisecond) {
			if ctx.Err() != nil {
				t.Fatalf("%s = %s, want %s; log: %s", command, out, want, &log)
			}
			out, _ = asterisk("-rx", command).CombinedOutput() // fails until it listens
			ok = bytes.Contains(out, []byte(want))
		}
	}
	ask("core waitfullybooted", "fully booted")
	if out, err := asterisk("-rx", "channel originate Local/s@vaak application Record "+inside+"/heard.sln,0,60,kq").CombinedOutput(); err != nil {
		t.Fatalf("originate: %v: %s", err, out)
	}
	for ended := false; !ended; time.Sleep(50 * time.Millisecond) {
		if t.Context().Err() != nil {
			t.Fatal("the call does not end")
		}
		ended = strings.Contains(b.log.String(), `"msg":"a call ended"`)
	}
	ask("core show channels count", "0 active channels")
	heard, err := os.ReadFile(filepath.Join(dir, "heard.sln"))
	if err != nil {
		t.Fatalf("%v; log: %s", err, &log)
	}
	want := s.said(line.Format{Codec: audio.PCM, Rate: 8000}, prompt)
	at := bytes.Index(heard, want)
	if at < 0 {
		t.Fatalf("the %d samples that Asterisk has recorded do not have the %d of the prompt; log: %s", len(heard)/2, len(want)/2, &log)
	}
	t.Logf("Asterisk has recorded %d samples; from %d on, %d equal those of the server", len(heard)/2, at/2, len(want)/2)
}
