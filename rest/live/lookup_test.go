package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/text/respell"
)

// away is dictionaries that cannot be had.
type away struct{ err error } // nil: they never answer

func (a away) Use(ctx context.Context, _ string, locators ...dictionary.Locator) (respell.Dictionaries, error) {
	if len(locators) == 0 {
		return nil, nil
	}
	if a.err == nil {
		<-ctx.Done()
		return nil, fmt.Errorf("read a dictionary: %w", ctx.Err())
	}
	return nil, a.err
}

var errAway = fault.Down(fault.CodeStoreUnavailable, time.Second, nil, "the store is away")

// TestDictionaryRefusals: what the address asks for is refused before anything is taken.
func TestDictionaryRefusals(t *testing.T) {
	t.Parallel()
	full := fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "all taken")
	for _, tt := range []struct {
		name, id string
		from     Dictionaries // nil: the library
		none     bool         // none are configured
		status   int
	}{
		{"unknown", "9c9a5863-bf7a-4b3d-88a6-63d4af5b97cb", nil, false, 404},
		{"no UUID", "%22x%00", nil, false, 404},
		{"of another organisation", foreign, nil, false, 404},
		{"none configured", acronyms, nil, true, 404},
		{"store down", acronyms, away{errAway}, false, 503},
		{"store broken", acronyms, away{errors.New("broken")}, false, 500},
		{"store silent", acronyms, away{}, false, 503},
		{"there", acronyms, nil, false, 429}, // as the streams are taken
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range paths {
				synctest.Test(t, func(t *testing.T) {
					cfg := Config{Dictionaries: tt.from, Accounts: &accounts{admit: full}}
					if cfg.Dictionaries == nil && !tt.none {
						cfg.Dictionaries = newLibrary(t)
					}
					s := newSite(t, cfg)
					t.Cleanup(pipe(s))
					began := time.Now()
					conn, resp, err := s.connect(t.Context(), path+map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]+
						"pronunciation_dictionary_id="+tt.id)
					if err == nil {
						_ = conn.Close()
					}
					if resp == nil || resp.StatusCode != tt.status {
						t.Errorf("%s: dial = %v, %v, want %d", path, resp, err, tt.status)
					}
					if took := time.Since(began); took > lookUpTime {
						t.Errorf("%s: the refusal took %v", path, took)
					}
				})
			}
		})
	}
}

// TestLocatorsRefused: dictionaries that a message cannot have end the session of one
// utterance, and of contexts the one; a message that is malformed ends the connection.
func TestLocatorsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, locators, error string
		code                  int
		from                  Dictionaries // nil: the library
		malformed             bool
	}{
		{"unknown", locators("9c9a5863-bf7a-4b3d-88a6-63d4af5b97cb"), "pronunciation_dictionary_not_found", 1008, nil, false},
		{"no UUID", locators(names, "x"), "pronunciation_dictionary_not_found", 1008, nil, false},
		{"of another organisation", locators(foreign), "pronunciation_dictionary_not_found", 1008, nil, false},
		{"unknown version", locators(names + "@" + acronymsFirst), "pronunciation_dictionary_not_found", 1008, nil, false},
		{"a very long id", locators(strings.Repeat("é", 30_000)), "pronunciation_dictionary_not_found", 1008, nil, false},
		{"four with that of the address", locators(names, places, brands), "invalid_parameter", 1008, nil, false},
		{"store down", locators(names), "store_unavailable", 1011, away{errAway}, false},
		{"store broken", locators(names), "internal_error", 1011, away{errors.New("broken")}, false},
		{"store silent", locators(names), "store_unavailable", 1011, away{}, false},
		{"four", locators(names, names, names, names), "invalid_message", 1008, nil, true},
		{"no list", `"pronunciation_dictionary_locators":"` + names + `"`, "invalid_message", 1008, nil, true},
		{"one object", `"pronunciation_dictionary_locators":{"pronunciation_dictionary_id":"` + names + `"}`, "invalid_message", 1008, nil, true},
		{"a string", `"pronunciation_dictionary_locators":["` + names + `"]`, "invalid_message", 1008, nil, true},
		{"null in the list", `"pronunciation_dictionary_locators":[null]`, "invalid_message", 1008, nil, true},
		{"no id", `"pronunciation_dictionary_locators":[{"version_id":"a"}]`, "invalid_message", 1008, nil, true},
		{"an empty id", locators(names, ""), "pronunciation_dictionary_not_found", 1008, nil, false},
		{"an id of null", `"pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":null}]`, "invalid_message", 1008, nil, true},
		{"id of a number", `"pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":1}]`, "invalid_message", 1008, nil, true},
		{"version of a number", `"pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":"a","version_id":1}]`, "invalid_message", 1008, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const first = `{"text":" ","context_id":"a",`
			frame := fmt.Sprintf(`"error":%q,"code":%d`, tt.error, tt.code)
			synctest.Test(t, func(t *testing.T) {
				shelf := &fallible{library: newLibrary(t)}
				s := newSite(t, Config{Dictionaries: shelf})
				t.Cleanup(pipe(s))
				single, multi := s.client(t, singlePath+pcm+"&"+asked), s.client(t, multiPath+pcm+"&"+asked)
				shelf.instead = tt.from
				for _, c := range []*client{single, multi} {
					c.perform(first + tt.locators + "}")
					c.perform(`{"text":"Hi.","context_id":"a","flush":true}`)
					c.perform(`{"text":"You.","context_id":"b"}`)
				}
				time.Sleep(lookUpTime)
				closing := fmt.Sprintf("close %d ", tt.code)
				if got := strings.Split(string(single.hear()), "\n"); len(got) != 3 || !strings.Contains(got[0], frame+"}") || !strings.HasPrefix(got[1], closing) {
					t.Errorf("one utterance heard %q, want %s and %s", got, frame, closing)
				}
				got := strings.Split(string(multi.hear()), "\n")
				want, end := frame+`,"contextId":"a"}`, `audio 9600 samples, "You." 0-400 ms of b`
				if tt.malformed {
					want, end = frame+"}", closing
				}
				if len(got) != 3 || !strings.Contains(got[0], want) || !strings.HasPrefix(got[1], end) {
					t.Errorf("contexts heard %q, want %s and %s", got, want, end)
				}
				if tt.malformed {
					return
				}
				shelf.instead = nil
				multi.send(`{"text":"Hi you.","context_id":"a","flush":true}`, `{"context_id":"a","close_context":true}`,
					`{"text":"Hi.","context_id":"a","flush":true,"close_context":true}`)
				if got, want := string(multi.hear()), "audio 7200 samples, \"Hi.\" 0-300 ms of a\n"+final("a")+"\n"; got != want {
					t.Errorf("after it was refused a context heard %s, want %s", got, want)
				}
			})
		})
	}
}

// fallible is the library, or what it is replaced with.
type fallible struct {
	*library
	instead Dictionaries
}

func (f *fallible) Use(ctx context.Context, org string, locators ...dictionary.Locator) (respell.Dictionaries, error) {
	if f.instead != nil {
		return f.instead.Use(ctx, org, locators...)
	}
	return f.library.Use(ctx, org, locators...)
}

// TestLookUpIsCut: who waits for dictionaries hears at once that the key was revoked or
// that the server stops.
func TestLookUpIsCut(t *testing.T) {
	t.Parallel()
	for _, path := range []string{singlePath + pcm, multiPath + pcm} {
		for _, stop := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, Config{Dictionaries: away{}})
				t.Cleanup(pipe(s))
				c := s.client(t, path)
				c.send(`{"text":"Hi.","context_id":"a",` + locators(names) + `}`)
				synctest.Wait()
				began, want := time.Now(), "close 1008 the API key was revoked or has expired\n"
				if stop {
					want = "close 1001 the server is stopping; connect again\n"
					ctx, cancel := context.WithCancel(t.Context())
					cancel()
					go func() { _ = s.Drain(ctx) }()
				} else {
					s.accounts.revoke()
				}
				got := string(c.hear())
				if !strings.HasSuffix(got, want) || strings.Contains(got, "contextId") {
					t.Errorf("%s heard %s, want %s", path, got, want)
				}
				if took := time.Since(began); took >= time.Second {
					t.Errorf("%s: it took %v", path, took)
				}
			})
		}
	}
}

// TestPlaceOfLocator: an error says which entry of a list names what is not there.
func TestPlaceOfLocator(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		locators(foreign, names):                    `pronunciation_dictionary_locators.0: there is no pronunciation dictionary \"` + foreign + `\"`,
		locators(names, acronyms, ""):               `pronunciation_dictionary_locators.2: there is no pronunciation dictionary \"\"`,
		locators(names, names+"@"+acronymsFirst):    `pronunciation_dictionary_locators.1: the pronunciation dictionary ` + names + ` has no version`,
		locators(acronyms, acronyms+"@"+foreign):    `pronunciation_dictionary_locators.1: the pronunciation dictionary ` + acronyms + ` has no version`,
		locators(names, acronyms+"@"+names, places): `pronunciation_dictionary_locators.1: the pronunciation dictionary ` + acronyms + ` has no version`,
	} {
		for _, path := range []string{singlePath + pcm, multiPath + pcm} {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, Config{Dictionaries: newLibrary(t)})
				t.Cleanup(pipe(s))
				c := s.client(t, path+"&"+asked)
				c.send(`{"text":"Hi.",` + list + `}`)
				if got := string(c.hear()); !strings.HasPrefix(got, `{"message":"`+want) {
					t.Errorf("%s heard %s, want %s", path, got, want)
				}
			})
		}
	}
}
