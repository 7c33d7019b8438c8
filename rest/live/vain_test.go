package live

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vaak/dictionary"
	"vaak/rest/live/message"
	"vaak/text/respell"
)

// TestNotedOnly: messages before there is text cost no look-up, however many there are
// and whatever they name; the first text costs one.
func TestNotedOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake, shelf := &fakeSpeaker{}, newLibrary(t)
		s := newSite(t, Config{Speech: fake, Dictionaries: shelf})
		t.Cleanup(pipe(s))
		c := s.client(t, singlePath+pcm)
		ids := []string{acronyms, acronyms + "@" + acronymsFirst, foreign, "x", places, names}
		for i := range 10_000 {
			c.send(`{"text":" ",` + locators(ids[i%len(ids)]) + `}`)
		}
		c.send(`{"text":" ",` + locators(names) + `}`)
		synctest.Wait()
		if n := shelf.looked.Load(); n != 0 {
			t.Errorf("%d dictionaries were looked up for nothing", n)
		}
		c.send(`{"text":"Hi."}`, `{"text":" you.",`+locators(places)+`}`)
		if got := string(c.hear()); !strings.Contains(got, `"Hi.`) || strings.Contains(got, "error") {
			t.Errorf("heard %s", got)
		}
		if n := shelf.looked.Load(); n != 1 {
			t.Errorf("%d dictionaries were looked up, want 1", n)
		}
		fake.used(t, "the last", shelf.ready(t, names))
	})
}

// silent is dictionaries that never answer, and how often they were asked for.
type silent struct{ asked atomic.Int64 }

func (s *silent) Use(ctx context.Context, org string, locators ...dictionary.Locator) (respell.Dictionaries, error) {
	s.asked.Add(1)
	return away{}.Use(ctx, org, locators...)
}

// TestLeftBehind: when a client leaves, nothing of what it has asked for is done any more.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	ends := map[string]func(*testing.T, *site, *client){
		"close": func(_ *testing.T, _ *site, c *client) { c.perform("close") },
		"break": func(_ *testing.T, _ *site, c *client) { _ = c.ws.Close() },
		"revoke": func(_ *testing.T, s *site, _ *client) {
			synctest.Wait()
			s.accounts.revoke()
		},
	}
	for _, path := range []string{singlePath + pcm, multiPath + pcm} {
		for name, end := range ends {
			synctest.Test(t, func(t *testing.T) {
				shelf := &silent{}
				s := newSite(t, Config{Dictionaries: shelf})
				t.Cleanup(pipe(s))
				c, began := s.client(t, path), time.Now()
				for i := range readAhead {
					c.send(fmt.Sprintf(`{"text":"Hi.","context_id":"c%d",%s}`, i, locators(names)))
				}
				end(t, s, c)
				synctest.Wait()
				if name == "revoke" {
					_ = c.hear()
				}
				if n := s.accounts.held.Load(); n != 0 {
					t.Errorf("%s, %s: %d sockets are open", path, name, n)
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("%s, %s: it took %v", path, name, took)
				}
				if n := shelf.asked.Load(); n > 1 {
					t.Errorf("%s, %s: dictionaries were asked for %d times, want none behind the one that was going on", path, name, n)
				}
			})
		}
	}
}

// TestRefusedInVain: so many contexts may be refused because of their dictionaries, be it
// one again and again, and one more ends the connection.
func TestRefusedInVain(t *testing.T) {
	t.Parallel()
	for _, ids := range []int{1, message.MaxUnfinished + 1} {
		synctest.Test(t, func(t *testing.T) {
			shelf := newLibrary(t)
			s := newSite(t, Config{Dictionaries: shelf})
			t.Cleanup(pipe(s))
			c := s.client(t, multiPath+pcm)
			for i := range message.MaxUnfinished {
				c.send(fmt.Sprintf(`{"text":"Hi.","context_id":"c%d",%s}`, i%ids, locators("x")))
			}
			if got := string(c.hear()); strings.Count(got, `not_found","code":1008,"contextId":"c`) != message.MaxUnfinished || strings.Contains(got, "close") {
				t.Errorf("heard %s, want %d refusals", got, message.MaxUnfinished)
			}
			c.send(`{"text":"Hi.","context_id":"good",` + locators(names) + `}`)
			if got := string(c.hear()); !strings.Contains(got, "of good") {
				t.Errorf("heard %s, want a context to be opened", got)
			}
			c.send(fmt.Sprintf(`{"text":"Hi.","context_id":"c%d",%s}`, ids-1, locators("x")))
			const why = "more than 100 contexts with pronunciation dictionaries were refused or said nothing"
			want := `{"message":"` + why + `","error":"rate_limit_exceeded","code":1008}` + "\nclose 1008 " + why + "\n"
			if got := string(c.hear()); got != want {
				t.Errorf("heard %s, want %s", got, want)
			}
			if n := shelf.looked.Load(); n != message.MaxUnfinished+2 {
				t.Errorf("%d dictionaries were looked up, want %d", n, message.MaxUnfinished+2)
			}
		})
	}
}

// TestSaidNothing opens contexts with dictionaries and closes them before they say
// anything, which nobody pays for.
func TestSaidNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shelf := newLibrary(t)
		s := newSite(t, Config{Dictionaries: shelf})
		t.Cleanup(pipe(s))
		c := s.client(t, multiPath+pcm)
		heard := ""
		for i := range 3 * message.MaxUnfinished {
			c.send(fmt.Sprintf(`{"text":" ","context_id":"c%d","close_context":true,%s}`, i, locators(names)))
			if heard += string(c.hear()); strings.Contains(heard, "close 1008") {
				break
			}
		}
		if !strings.Contains(heard, "rate_limit_exceeded") || strings.Count(heard, `"isFinal":true`) < message.MaxUnfinished {
			t.Errorf("heard %.300s … %s", heard, heard[max(0, len(heard)-300):])
		}
	})
}
