package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vaak/voice"
)

// memoryGroup puts a process and those that it starts into a group with so much memory.
// It reports whether the system has such groups.
func memoryGroup(t *testing.T, pid int, bytes int64) bool {
	t.Helper()
	for _, group := range []struct{ parent, limit string }{
		{"/sys/fs/cgroup", "memory.max"}, {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	} {
		dir := filepath.Join(group.parent, fmt.Sprintf("vaak-test-%d", pid))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) })
		if set(filepath.Join(dir, group.limit), strconv.FormatInt(bytes, 10)) && set(filepath.Join(dir, "cgroup.procs"), strconv.Itoa(pid)) {
			return true
		}
	}
	return false
}

// set writes to a file that there is.
func set(path, text string) bool {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close()) == nil
}

// most returns the most memory that a process has had, in bytes.
func most(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// TestSoakWholeAnswers has one key ask for 40 whole answers at once, 8 without VAAK_SOAK,
// each of a text that takes 20 minutes to say. The server stays small, in a group of
// 1 GiB where the system has such; others are served meanwhile, and what is charged is
// what was answered.
func TestSoakWholeAnswers(t *testing.T) {
	slow(t)
	n, digits := 8, 1000
	if os.Getenv("VAAK_SOAK") != "" {
		n, digits = 40, 4990
	}
	s := start(t)
	s.vaak("plan", "set", "many", "--characters", "2000000", "--rpm", "1000", "--streams", "100")
	_, key := s.customer("Greedy", "many")
	if !memoryGroup(t, s.cmd.Process.Pid, 1<<30) {
		t.Log("no memory group could be made: the server's own size is looked at")
	}
	var charged, refused int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			path, body := "/v1/audio/speech", map[string]any{"input": strings.Repeat("1", digits), "lang": "en"}
			if i%4 == 3 { // with timestamps
				path, body = "/v1/text-to-speech/"+string(voice.DefaultVoice().ID)+"/with-timestamps?output_format=wav_24000", map[string]any{"text": body["input"], "language_code": "en"}
			}
			status, bytes := s.drainWhole(key, path, body)
			mu.Lock()
			defer mu.Unlock()
			switch status {
			case http.StatusOK:
				charged += digits
				if least := int64(digits * 24000 * 2 / 10); bytes < least { // a tenth of a second for each
					t.Errorf("%s has %d bytes, want %d at least", path, bytes, least)
				}
			case http.StatusTooManyRequests, http.StatusServiceUnavailable:
				refused++
			default:
				t.Errorf("%s is answered with %d", path, status)
			}
		})
	}
	for range 10 { // others meanwhile
		s.say(s.key, "Good morning.").expect(t, http.StatusOK, "")
	}
	wg.Wait()
	if got := s.usage(key).Month.Used; got != int64(charged) {
		t.Errorf("%d characters are charged, %d were answered; %d requests were refused", got, charged, refused)
	}
	if charged == 0 {
		t.Error("nobody was answered")
	}
	if got := most(t, s.cmd.Process.Pid); got > 500<<20 {
		t.Errorf("the server took %d MiB of memory", got>>20)
	}
	if !eventually(func() bool {
		return s.figure(`vaak_answers_bytes{where="memory"}`)+s.figure(`vaak_answers_bytes{where="disk"}`) == 0
	}) {
		t.Errorf("%v bytes of memory and %v of the disk are left", s.figure(`vaak_answers_bytes{where="memory"}`), s.figure(`vaak_answers_bytes{where="disk"}`))
	}
	t.Logf("%d answered, %d refused, %d MiB", charged/digits, refused, most(t, s.cmd.Process.Pid)>>20)
}

// drainWhole asks and reads the answer to its end without keeping it. What a WAV file says
// of its own length must be true.
func (s *server) drainWhole(key, path string, body map[string]any) (status int, bytes int64) {
	s.t.Helper()
	r := s.requestTo(s.t.Context(), path, key, body)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Error(err)
		return 0, 0
	}
	defer resp.Body.Close()
	var head [44]byte
	n, _ := io.ReadFull(resp.Body, head[:])
	rest, err := io.Copy(io.Discard, resp.Body)
	bytes = int64(n) + rest
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode, bytes
	}
	if err != nil || bytes != resp.ContentLength {
		s.t.Errorf("%s: %d bytes of %d, %v", path, bytes, resp.ContentLength, err)
	}
	if string(head[:4]) == "RIFF" && int64(binary.LittleEndian.Uint32(head[4:]))+8 != bytes {
		s.t.Errorf("a file of %d bytes says that it has %d", bytes, binary.LittleEndian.Uint32(head[4:])+8)
	}
	return resp.StatusCode, bytes
}
