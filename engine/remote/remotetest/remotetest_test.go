package remotetest_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"vaak/engine/remote/remotetest"
)

func TestMain(m *testing.M) {
	remotetest.Register("line", line)
	remotetest.Main()
	goleak.VerifyTestMain(m)
}

// line is a protocol of one line that is answered with samples.
func line(l net.Listener, v *remotetest.Voice) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			text, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil {
				return
			}
			speech := v.Begin(remotetest.Request{Text: text}, 0)
			defer speech.End("cancelled")
			for {
				pcm, err := speech.Next(context.Background())
				if errors.Is(err, io.EOF) {
					speech.End("done")
					return
				}
				if err != nil {
					speech.End("fault")
					return
				}
				if _, err := conn.Write(pcm); err != nil {
					return
				}
			}
		}()
	}
}

func TestRegistered(t *testing.T) {
	t.Parallel()
	s := remotetest.Start(t, remotetest.Options{Kind: "line", Rate: 16000})
	want := remotetest.Split(sentence)
	for _, fault := range []remotetest.Trouble{remotetest.None, remotetest.Short} {
		s.Break(t, remotetest.Fault{Trouble: fault})
		conn, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, sentence+"\n"); err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		if fault == remotetest.Short {
			want = want[:len(want)/2+len(want)%2]
		}
		if diff := cmp.Diff(want, remotetest.Words(samples(b), 16000, want)); diff != "" {
			t.Errorf("words with fault %q (-want +got):\n%s", fault, diff)
		}
	}
	if all := s.Settled(t); len(all) != 2 || all[0].End != "done" || all[1].End != "fault" {
		t.Errorf("the record is %+v", all)
	}
}

func TestAuthorityStays(t *testing.T) {
	t.Parallel()
	s := remotetest.Start(t, remotetest.Options{Kind: "fish", TLS: true})
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.CA()}, DisableKeepAlives: true}}
	for range 2 {
		resp, err := client.Get(s.URL + "/v1/health")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMostStreams(t *testing.T) {
	t.Parallel()
	s := remotetest.Start(t, remotetest.Options{Kind: "kokoro-fastapi", Streams: 1, Speed: 1})
	body := []byte(`{"input":"a long enough text to be spoken for a while","voice":"v","response_format":"pcm"}`)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var got []int
	for range 2 {
		resp, err := client.Post(s.URL+"/v1/audio/speech", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		got = append(got, resp.StatusCode)
	}
	if diff := cmp.Diff([]int{200, 503}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func speak(t *testing.T, s *remotetest.Server, path string, fields map[string]any) (*http.Response, []byte) {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(s.URL+path, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, b
}

func samples(b []byte) []int16 {
	pcm := make([]int16, len(b)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return pcm
}

const sentence = "The quick brown fox jumps over the lazy dog. नमस्ते दुनिया, a final word!"

func TestWords(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{8000, 16000, 24000, 44100, 48000} {
		s := remotetest.Start(t, remotetest.Options{Kind: "kokoro-fastapi", Rate: rate})
		_, b := speak(t, s, "/v1/audio/speech", map[string]any{"input": sentence, "voice": "x", "response_format": "pcm"})
		want := remotetest.Split(sentence)
		if diff := cmp.Diff(want, remotetest.Words(samples(b), rate, want)); diff != "" {
			t.Errorf("words at %d Hz (-want +got):\n%s", rate, diff)
		}
		if got, want := len(b)/2, int(remotetest.Duration(sentence).Seconds()*float64(rate)+0.5); got < want-20 || got > want+20 {
			t.Errorf("%d samples at %d Hz, want about %d", got, rate, want)
		}
	}
}

func TestWordsCutAndUnknown(t *testing.T) {
	t.Parallel()
	s := remotetest.Start(t, remotetest.Options{Kind: "kokoro-fastapi"})
	_, b := speak(t, s, "/v1/audio/speech", map[string]any{"input": "seven elephants wander", "voice": "x", "response_format": "pcm"})
	pcm := samples(b)
	cut := pcm[:24000*550/1000] // in the second word
	if diff := cmp.Diff([]string{"seven", "elephants~"}, remotetest.Words(cut, 24000, []string{"seven", "elephants", "wander"})); diff != "" {
		t.Errorf("a cut word (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"seven", "?", "wander"}, remotetest.Words(pcm, 24000, []string{"seven", "wander"})); diff != "" {
		t.Errorf("an unknown word (-want +got):\n%s", diff)
	}
}

func TestFaultForSomeRequests(t *testing.T) {
	t.Parallel()
	s := remotetest.Start(t, remotetest.Options{Kind: "vllm-omni"})
	s.Break(t, remotetest.Fault{Trouble: remotetest.Busy, Count: 2, RetryAfter: "7"})
	var got []int
	for range 3 {
		resp, _ := speak(t, s, "/v1/audio/speech", map[string]any{"input": "hello", "response_format": "pcm", "stream": true})
		got = append(got, resp.StatusCode)
	}
	if diff := cmp.Diff([]int{429, 429, 200}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	all := s.Settled(t)
	if len(all) != 3 || all[0].Fault != remotetest.Busy || all[2].End != "done" || all[2].Text != "hello" {
		t.Errorf("the record is %+v", all)
	}
	s.Break(t, remotetest.Fault{Trouble: remotetest.Short})
	_, b := speak(t, s, "/v1/audio/speech", map[string]any{"input": sentence, "response_format": "pcm", "stream": true})
	if bytes.Contains(b, []byte("speech.audio.done")) || !bytes.Contains(b, []byte("speech.audio.delta")) {
		t.Errorf("a short answer is %.200q", b)
	}
}

func TestRestartAtTheSameAddress(t *testing.T) {
	t.Parallel()
	s := remotetest.Start(t, remotetest.Options{Kind: "speaches"})
	url, pid := s.URL, s.PID()
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	if s.URL != url || s.PID() == pid || s.PID() == 0 {
		t.Errorf("after the restart %s with process %d, before %s with %d", s.URL, s.PID(), url, pid)
	}
	if resp, _ := speak(t, s, "/v1/audio/speech", map[string]any{"input": "x", "model": "m", "voice": "v", "response_format": "pcm"}); resp.StatusCode != 200 {
		t.Errorf("status %d after the restart", resp.StatusCode)
	}
	s.Kill()
	s.Kill()
	if s.PID() != 0 {
		t.Error("a killed server has a process")
	}
}

func TestUnknownKind(t *testing.T) {
	t.Parallel()
	if s, err := remotetest.Run(remotetest.Options{Kind: "nonsense"}); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("Run of an unknown kind: %v, %v", s, err)
	}
}
