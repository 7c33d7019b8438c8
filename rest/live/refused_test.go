package live

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vaak/rest/live/message"
)

// TestAskedForAgain: a context that was refused can be asked for with other
// dictionaries, be it because of those or because there were too many contexts.
func TestAskedForAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake, shelf := &fakeSpeaker{}, newLibrary(t)
		s := newSite(t, Config{Speech: fake, Dictionaries: shelf})
		t.Cleanup(pipe(s))
		c := s.client(t, multiPath+pcm)
		c.send(`{"text":" ","context_id":"a",`+locators(foreign)+`}`, `{"text":"Hi.","context_id":"a"}`, `{"text":"You.","context_id":"a",`+locators(names)+`}`)
		if got := string(c.hear()); strings.Count(got, "\n") != 2 || strings.Count(got, "not_found") != 1 || !strings.Contains(got, `"You." 0-400 ms of a`) {
			t.Errorf("heard %s, want a refusal and what was asked for in another way", got)
		}
		fake.used(t, "asked again", shelf.ready(t, names))
		c.send(`{"context_id":"a","close_context":true}`)
		if got, want := string(c.hear()), final("a")+"\n"; got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
		for i := range message.MaxOpen {
			c.send(fmt.Sprintf(`{"text":"a","context_id":"%d"}`, i))
		}
		c.send(`{"text":" ","context_id":"b",`+locators(names)+`}`, `{"context_id":"0","close_context":true}`, `{"text":"Hi.","context_id":"b"}`)
		if got := string(c.hear()); strings.Count(got, "max_active_contexts") != 1 || strings.Contains(got, "audio 7200") {
			t.Errorf("heard %s, want b not to speak without its dictionary", got)
		}
		c.send(`{"text":"Hi.","context_id":"b",` + locators(names) + `}`)
		if got := string(c.hear()); !strings.Contains(got, "of b") {
			t.Errorf("heard %s, want b to speak", got)
		}
		fake.used(t, "one of too many", shelf.ready(t, names))
	})
}

// TestRefusedAreBounded: so many refused contexts are remembered, and the oldest are
// forgotten first.
func TestRefusedAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{Dictionaries: newLibrary(t)})
		t.Cleanup(pipe(s))
		c := s.client(t, multiPath+pcm)
		for i := range message.MaxOpen {
			c.send(fmt.Sprintf(`{"text":" ","context_id":"open%d"}`, i))
		}
		for i := range message.MaxUnfinished + 1 { // too many contexts, not a fault of the dictionaries
			for range 2 { // which counts once
				c.send(fmt.Sprintf(`{"text":" ","context_id":"c%d",%s}`, i, locators(names)))
			}
		}
		if got := string(c.hear()); strings.Count(got, "max_active_contexts") != 2*(message.MaxUnfinished+1) {
			t.Errorf("heard %s, want a refusal each time", got)
		}
		for i := range message.MaxOpen {
			c.send(fmt.Sprintf(`{"context_id":"open%d","close_context":true}`, i))
		}
		_ = c.hear()
		for i := range message.MaxUnfinished + 1 {
			c.send(fmt.Sprintf(`{"text":"Hi.","context_id":"c%d"}`, i))
		}
		if got, want := string(c.hear()), "audio 7200 samples, \"Hi.\" 0-300 ms of c0\n"; got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
	})
}

// TestRefusedOverAnother: what is sent to a context that was refused is not taken for one
// of the same id that is still spoken.
func TestRefusedOverAnother(t *testing.T) {
	t.Parallel()
	slow := &fakeSpeaker{before: func(context.Context, string) error {
		time.Sleep(100 * time.Millisecond)
		return nil
	}}
	talk(t, Config{Speech: slow, Dictionaries: away{errAway}}, multiPath+pcm,
		`{"text":"Hi you.","context_id":"a","flush":true,"close_context":true}
		{"text":"More.","context_id":"a","close_context":true,`+locators(names)+`}
		{"text":"More.","context_id":"b",`+locators(names)+`}
		{"context_id":"b","close_context":true}`,
		`{"message":"the store is away","error":"store_unavailable","code":1011,"contextId":"a"}
		{"message":"the store is away","error":"store_unavailable","code":1011,"contextId":"b"}
		audio 7200 samples, "Hi " 0-300 ms of a
		audio 9600 samples, "you." 0-400 ms of a
		`+final("a")+"\n")
}
