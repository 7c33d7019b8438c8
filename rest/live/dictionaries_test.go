package live

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"vaak/account"
	"vaak/text/respell"
)

const asked = "pronunciation_dictionary_id=" + acronyms

// used checks which dictionaries the newest sessions were opened with.
func (p *fakeSpeaker) used(t testing.TB, what string, wants ...respell.Dictionaries) {
	t.Helper()
	got := p.requests()
	if len(got) < 1+len(wants) { // the first is that of the handshake
		t.Fatalf("%s: %d sessions were opened, want %d", what, len(got)-1, len(wants))
	}
	for i, r := range got[len(got)-len(wants):] {
		if !slices.Equal(r.Dictionaries, wants[i]) {
			t.Errorf("%s: session %d uses %v, want %v", what, i, r.Dictionaries, wants[i])
		}
	}
}

// TestDictionaryOfAddress: the dictionary of the address is looked up once, at the
// handshake, and its version holds for everything on the connection.
func TestDictionaryOfAddress(t *testing.T) {
	t.Parallel()
	for _, path := range paths {
		synctest.Test(t, func(t *testing.T) {
			fake, shelf := &fakeSpeaker{}, newLibrary(t)
			s := newSite(t, Config{Speech: fake, Dictionaries: shelf})
			t.Cleanup(pipe(s))
			old := shelf.ready(t, acronyms)
			c := s.client(t, path+map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]+asked)
			if _, err := shelf.Set(t.Context(), account.Local.OrgID, acronyms, []respell.Rule{{Term: "XXZ", Respelling: "ex"}}); err != nil {
				t.Fatal(err)
			}
			if now := shelf.ready(t, acronyms); slices.Equal(now, old) {
				t.Fatal("the edit made no version")
			}
			c.send(`{"text":"Hi.","context_id":"a"}`)
			if got := string(c.hear()); !strings.Contains(got, "7200 samples") {
				t.Errorf("%s heard %s", path, got)
			}
			fake.used(t, path, old)
			if path == multiPath+pcm {
				c.send(`{"text":"Hi.","context_id":"b"}`)
				c.send(`{"text":"Hi.","context_id":"c",` + locators(acronyms, names) + `}`)
				c.send(`{"text":"Hi.","context_id":"d",` + locators(acronyms+"@"+acronymsFirst) + `}`)
				c.send(`{"text":"Hi.","context_id":"e"}`)
				_ = c.hear()
				fake.used(t, path, old, old, slices.Concat(old, shelf.ready(t, names)), shelf.ready(t, acronyms+"@"+acronymsFirst), old)
			}
			if n, want := shelf.looked.Load(), map[bool]int64{true: 3, false: 1}[path == multiPath+pcm]; n != want {
				t.Errorf("%s: dictionaries were looked up %d times, want %d", path, n, want)
			}
			fake.mu.Lock()
			first := fake.opened[0]
			fake.mu.Unlock()
			if !slices.Equal(first.Dictionaries, old) {
				t.Errorf("%s: the handshake was checked with %v, want %v", path, first.Dictionaries, old)
			}
		})
	}
}

// TestLocators: which dictionaries the first messages choose, and in which order.
func TestLocators(t *testing.T) {
	t.Parallel()
	const text = `{"text":"Hi.","context_id":"a"}`
	with := func(text, locators string) string {
		return `{"text":"` + text + `","context_id":"a",` + locators + `}`
	}
	for _, tt := range []struct {
		name, query, client string
		want                string // ids, and versions behind an @
		looked              int64
		single              bool // on that socket alone
	}{
		{"none", "", text, "", 0, false},
		{"null", "", with("Hi.", `"pronunciation_dictionary_locators":null`), "", 0, false},
		{"an empty object", "", with("Hi.", `"pronunciation_dictionary_locators":{ }`), "", 0, false},
		{"an empty list", asked, with("Hi.", `"pronunciation_dictionary_locators":[]`), acronyms, 1, false},
		{"an empty parameter", "pronunciation_dictionary_id=", text, "", 0, false},
		{"with the text", "", with("Hi.", locators(names)), names, 1, false},
		{"before the text", "", with(" ", locators(names)) + "\n" + text, names, 1, false},
		{"three in order", "", with("Hi.", locators(places, acronyms, names)), places + " " + acronyms + " " + names, 3, false},
		{"a version", "", with("Hi.", locators(names, acronyms+"@"+acronymsFirst)), names + " " + acronyms + "@" + acronymsFirst, 2, false},
		{"the latest version", "", with("Hi.", locators(acronyms+"@"+acronymsSecond)), acronyms, 1, false},
		{"no version", "", with("Hi.", `"pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":"`+acronyms+`","version_id":null,"x":1}]`), acronyms, 1, false},
		{"an empty version", "", with("Hi.", `"pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":"`+acronyms+`","version_id":""}]`), acronyms, 1, false},
		{"behind the address", asked, with("Hi.", locators(names, places)), acronyms + " " + names + " " + places, 3, false},
		{"the same as the address", asked, with("Hi.", locators(names, acronyms)), acronyms + " " + names, 2, false},
		{"nothing but the address", asked, with("Hi.", locators(acronyms)), acronyms, 1, false},
		{"a version of that of the address", asked, with("Hi.", locators(names, acronyms+"@"+acronymsFirst)), acronyms + "@" + acronymsFirst + " " + names, 3, false},
		{"the same twice", "", with("Hi.", locators(names, acronyms, names)), names + " " + acronyms, 2, false},
		{"two versions", "", with("Hi.", locators(acronyms+"@"+acronymsFirst, acronyms+"@"+acronymsSecond)), acronyms + "@" + acronymsFirst, 1, false},
		{"three with that of the address again", asked, with("Hi.", locators(names, acronyms, places)), acronyms + " " + names + " " + places, 3, false},
		{"again before the text", "", with(" ", locators(names)) + "\n" + with(" ", locators(names)) + "\n" + text, names, 1, true},
		{"others before the text", asked, with(" ", locators(names)) + "\n" + with("Hi.", locators(places)), acronyms + " " + places, 2, true},
		{"unknown ones, and then others", "", with(" ", locators(foreign)) + "\n" + with(" ", locators(names)) + "\n" + text, names, 1, true},
		{"too many, and then others", asked, with(" ", locators(names, places, brands)) + "\n" + with("Hi.", locators(places)), acronyms + " " + places, 2, true},
		{"others once it is open", "", with(" ", locators(names)) + "\n" + with(" ", `"flush":false`) + "\n" + text + "\n" + with(" you.", locators(places)), names, 1, false},
		{"unknown ones once there is text", "", with("Hi.", locators(names)) + "\n" + with(" you.", locators(foreign, "x@y")), names, 1, false},
		{"with a flush alone", "", text + "\n" + `{"flush":true,"context_id":"a",` + locators("nothing") + `}`, "", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{singlePath + pcm, multiPath + pcm} {
				if tt.single && path != singlePath+pcm {
					continue
				}
				synctest.Test(t, func(t *testing.T) {
					fake, shelf := &fakeSpeaker{}, newLibrary(t)
					s := newSite(t, Config{Speech: fake, Dictionaries: shelf})
					t.Cleanup(pipe(s))
					c := s.client(t, path+"&"+tt.query)
					for line := range strings.Lines(tt.client) {
						c.perform(strings.TrimSpace(line))
						synctest.Wait()
					}
					if got := string(c.hear()); !strings.HasPrefix(got, `audio 7200 samples, "Hi.`) || strings.Contains(got, "error") {
						t.Errorf("%s heard %s", path, got)
					}
					fake.used(t, path, shelf.ready(t, strings.Fields(tt.want)...))
					if n := len(fake.requests()); n != 2 {
						t.Errorf("%s: %d sessions were opened, want 1", path, n-1)
					}
					if n := shelf.looked.Load(); n != tt.looked {
						t.Errorf("%s: dictionaries were looked up %d times, want %d", path, n, tt.looked)
					}
				})
			}
		})
	}
}

// TestDictionariesSpoken: the real service takes what was looked up.
func TestDictionariesSpoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{Speech: humming(t), Dictionaries: newLibrary(t)})
		t.Cleanup(pipe(s))
		c := s.client(t, voicePath+pcm+"&"+asked)
		c.send(`{"text":"Hello there. ",`+locators(names)+`}`, `{"text":""}`)
		if h := c.listen(); h.end != "close 1000" || h.text != "Hello there. " || len(h.bytes) == 0 {
			t.Errorf("heard %q in %d bytes, then %s", h.text, len(h.bytes), h.end)
		}
	})
}
