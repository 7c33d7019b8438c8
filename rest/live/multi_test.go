package live

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vaak/rest/live/message"
)

func final(context string) string {
	return `{"audio":null,"isFinal":true,"alignment":null,"normalizedAlignment":null,"contextId":"` + context + `"}`
}

func TestContexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, client, want string }{
		{"close after flush", `{"text":" ","voice_settings":{"speed":1},"context_id":"a"}
			{"text":"Hi you","context_id":"a"}
			{"text":"","context_id":"a","flush":true}
			{"context_id":"a","close_context":true}`, `audio 7200 samples, "Hi " 0-300 ms of a
			audio 7200 samples, "you" 0-300 ms of a
			` + final("a") + "\n"},
		{"flush without text", `{"text":"Hi","context_id":"a"}
			{"context_id":"a","flush":true}
			wait 1s
			{"context_id":"a","close_context":true}`, `audio 4800 samples, "Hi" 0-200 ms of a
			` + final("a") + "\n"},
		{"close without flush", `{"text":"Hi you","context_id":"a"}
			{"context_id":"a","close_context":true}`, final("a") + "\n"},
		{"flush is not an end", `{"text":"Hi.","flush":true,"context_id":"a"}`, "audio 7200 samples, \"Hi.\" 0-300 ms of a\n"},
		{"opened and closed at once", `{"text":" ","context_id":"a"}
			{"context_id":"a","close_context":true}`, final("a") + "\n"},
		{"text and close in one", `{"text":"Hi.","flush":true,"context_id":"a","close_context":true}`, `audio 7200 samples, "Hi." 0-300 ms of a
			` + final("a") + "\n"},
		{"keepalives and unknown contexts make none", `{"text":""}
			{"text":"","context_id":"a"}
			{"text":"","context_id":"a","flush":true}
			{"context_id":"a","flush":true}
			{"context_id":"a","close_context":true}
			{"context_id":null}
			{}`, ""},
		{"default context", `{"text":"Hi.","context_id":null}
			wait 1s
			{"close_context":true}`, `audio 7200 samples, "Hi." 0-300 ms of default
			` + final("default") + "\n"},
		{"a closed id is a new context", `{"text":"Hi","context_id":"a","flush":true,"close_context":true}
			{"text":"you","context_id":"a","flush":true,"close_context":true}`, `audio 4800 samples, "Hi" 0-200 ms of a
			` + final("a") + `
			audio 7200 samples, "you" 0-300 ms of a
			` + final("a") + "\n"},
		{"close socket", `{"text":"Hi","context_id":"a","flush":true}
			{"text":"you","context_id":"b"}
			wait 1s
			{"close_socket":true}`, `audio 4800 samples, "Hi" 0-200 ms of a
			` + final("?") + "\n" + final("?") + `
			close 1000
			`},
		{"close an empty socket", `{"close_socket":true}`, "close 1000\n"},
		{"spoken position", `{"text":"Hi you","context_id":"a","flush":true}
			wait 1s
			{"context_id":"a","close_context":true,"played_ms":420}`, `audio 7200 samples, "Hi " 0-300 ms of a
			audio 7200 samples, "you" 0-300 ms of a
			{"audio":null,"isFinal":true,"alignment":null,"normalizedAlignment":null,"spoken":{"text":"Hi y","remaining":"ou","char_offset":4,"audio_ms":400},"contextId":"a"}
			`},
		{"a lone space", `{"text":"Hi","context_id":"a"}
			{"text":" ","context_id":"a"}
			{"text":"you","context_id":"a","flush":true}`, `audio 7200 samples, "Hi " 0-300 ms of a
			audio 7200 samples, "you" 0-300 ms of a
			`},
		{"an id that is too long", `{"text":"Hi","context_id":"` + strings.Repeat("a", 129) + `"}`,
			`{"message":"context_id has 129 bytes; at most 128 are allowed","error":"invalid_message","code":1008}
			close 1008 context_id has 129 bytes; at most 128 are allowed
			`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, Config{})
				t.Cleanup(pipe(s))
				c := s.client(t, multiPath+pcm)
				for line := range strings.Lines(tt.client) {
					c.perform(strings.TrimSpace(line))
				}
				got, want := string(c.hear()), strings.ReplaceAll(tt.want, "\t", "")
				if strings.Contains(want, `"?"`) { // in any order
					got = strings.NewReplacer(`"contextId":"a"`, `"contextId":"?"`, `"contextId":"b"`, `"contextId":"?"`).Replace(got)
				}
				if got != want {
					t.Errorf("heard\n%s, want\n%s", got, want)
				}
			})
		})
	}
}

// TestInactivity: a context closes first, and the socket when none is left.
func TestInactivity(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{})
		t.Cleanup(pipe(s))
		c := s.client(t, multiPath+pcm+"&inactivity_timeout=5")
		c.send(`{"text":"Hi","context_id":"a"}`, `{"text":"you","context_id":"b"}`)
		for range 3 {
			time.Sleep(3 * time.Second)
			c.send(`{"text":"","context_id":"b"}`)
		}
		if got, want := string(c.hear()), final("a")+"\n"; got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
		time.Sleep(5 * time.Second)
		if got, want := string(c.hear()), final("b")+"\n"; got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
		time.Sleep(2 * time.Second)
		c.send(`{"text":""}`)
		time.Sleep(4 * time.Second)
		if got := string(c.hear()); got != "" {
			t.Errorf("heard %s though a keepalive came", got)
		}
		time.Sleep(5 * time.Second)
		want := `{"message":"nothing came for 5 s","error":"input_timeout_exceeded","code":1008}` + "\nclose 1008 nothing came for 5 s\n"
		if got := string(c.hear()); got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
	})
}

// TestSection9Row5: contexts come and go as fast as a caller interrupts, and too
// many of them are refused without an end of the socket.
func TestSection9Row5(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{})
		t.Cleanup(pipe(s))
		c := s.client(t, multiPath+pcm)
		for i := range 12 {
			c.send(fmt.Sprintf(`{"text":"Tell me more. And then","context_id":"c%d"}`, i))
			time.Sleep(80 * time.Millisecond)
			c.send(fmt.Sprintf(`{"context_id":"c%d","close_context":true}`, i))
		}
		heard := string(c.hear())
		for i := range 12 {
			if n := strings.Count(heard, final(fmt.Sprintf("c%d", i))); n != 1 {
				t.Errorf("context %d has %d final frames, want 1", i, n)
			}
		}
		for i := range message.MaxOpen + 1 {
			c.send(fmt.Sprintf(`{"text":"a","context_id":"d%d"}`, i))
		}
		want := `"error":"max_active_contexts","code":1008,"contextId":"d20"}` + "\n"
		if got := string(c.hear()); !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 1 {
			t.Errorf("heard %s, want %s", got, want)
		}
		c.send(`{"context_id":"d0","close_context":true}`, `{"text":"a.","context_id":"d20"}`)
		if got := string(c.hear()); !strings.Contains(got, final("d0")) || !strings.Contains(got, "of d20") {
			t.Errorf("heard %s, want the end of d0 and d20 spoken", got)
		}
	})
}

// TestUnfinished: contexts that were closed and are not spoken yet are bounded
// too.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{Speech: &fakeSpeaker{before: stuck}})
		t.Cleanup(pipe(s))
		c := s.client(t, multiPath+pcm)
		for range message.MaxUnfinished + 1 {
			c.send(`{"text":"a","context_id":"a","flush":true,"close_context":true}`)
		}
		if got := string(c.hear()); strings.Count(got, "max_active_contexts") != 1 {
			t.Errorf("heard %s, want one context to be refused", got)
		}
		c.perform("close")
		if got := string(c.hear()); !strings.HasPrefix(got, "close") {
			t.Errorf("heard %s, want the end", got)
		}
	})
}

// TestFramesAreWhatClientsParse: what clients read is named as they do.
func TestFramesAreWhatClientsParse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{})
		t.Cleanup(pipe(s))
		c := s.client(t, multiPath+pcm)
		c.send(`{"text":"é\"\n.","context_id":"ü\""}`)
		synctest.Wait()
		var f map[string]any
		if err := json.Unmarshal((<-c.frames).data, &f); err != nil {
			t.Fatal(err)
		}
		a, _ := f["alignment"].(map[string]any)
		if got := fmt.Sprint(f["contextId"].(string)+" ", f["isFinal"], a["chars"], a["charStartTimesMs"], a["charDurationsMs"]); got != "ü\" <nil> [é \" \n .] [0 100 200 300] [100 100 100 100]" {
			t.Errorf("frame says %s", got)
		}
	})
}
