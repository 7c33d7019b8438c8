package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/voice"
)

const dictionaries = "/v1/pronunciation-dictionaries"

// created is what is read of a dictionary that was made or changed.
type created struct {
	ID      string
	Version string `json:"version_id"`
}

// dictionary makes a dictionary with a key, from pairs of a term and its alias.
func (s *server) dictionary(key, name string, pairs ...string) created {
	s.t.Helper()
	return s.put(key, "/add-from-rules", object{"name": name, "description": name, "rules": rulesOf(pairs)})
}

// put changes a dictionary.
func (s *server) put(key, path string, body any) (c created) {
	s.t.Helper()
	a := s.ask(http.MethodPost, dictionaries+path, key, body)
	a.expect(s.t, http.StatusOK, "")
	if err := json.Unmarshal([]byte(a.body), &c); err != nil || c.ID == "" || c.Version == "" {
		s.t.Fatalf("%s = %s, %v", a.what, a.body, err)
	}
	return c
}

func rulesOf(pairs []string) (rules []object) {
	for pair := range slices.Chunk(pairs, 2) {
		rules = append(rules, object{"string_to_replace": pair[0], "alias": pair[1]})
	}
	return rules
}

// TestDictionaryIsHeard has one on every path that speaks: what is heard is what the
// text sounds like as it is respelled.
func TestDictionaryIsHeard(t *testing.T) {
	t.Parallel()
	s := start(t)
	d := s.dictionary(s.key, "names", "nginx", "engine x", "kubectl", "cube control")
	const written, respelled = "We run nginx and kubectl here.", "We run engine x and cube control here."
	who := string(voice.DefaultVoice().ID)
	native := func(text string, more object) []byte {
		body := object{"input": text, "lang": "en", "response_format": "pcm", "voice": who}
		for k, v := range more {
			body[k] = v
		}
		return s.mustSpeak(body)
	}
	want, plain := native(respelled, nil), native(written, nil)
	if bytes.Equal(want, plain) {
		t.Fatal("the two texts sound alike, so nothing can be told")
	}
	got := map[string][]byte{"audio/speech": native(written, object{"pronunciation_dictionary_id": d.ID})}
	for _, stream := range []string{"", "/stream"} {
		at := "/v1/text-to-speech/" + who + stream + "?output_format=pcm_24000"
		body := object{"text": written, "language_code": "en", "pronunciation_dictionary_locators": []object{{"pronunciation_dictionary_id": d.ID, "version_id": d.Version}}}
		a := s.ask(http.MethodPost, at, s.key, body)
		a.expect(t, http.StatusOK, "")
		got["text-to-speech"+stream] = []byte(a.body)
		at = strings.Replace(at, "?", "/with-timestamps?", 1)
		a = s.ask(http.MethodPost, at+"&pronunciation_dictionary_id="+d.ID, s.key, object{"text": written, "language_code": "en"})
		a.expect(t, http.StatusOK, "")
		var said, read times
		for line := range strings.Lines(a.body) {
			var l timed
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			sound, err := base64.StdEncoding.DecodeString(l.Audio)
			if err != nil {
				t.Fatal(err)
			}
			got[stream+"/with-timestamps"] = append(got[stream+"/with-timestamps"], sound...)
			said.add(l.Alignment)
			read.add(l.Normalized)
		}
		if c := strings.Join(said.Characters, ""); c != written {
			t.Errorf("%s: the alignment tells %q", at, c)
		}
		if c := strings.Join(read.Characters, ""); c != respelled {
			t.Errorf("%s: the normalized alignment tells %q", at, c)
		}
	}
	for what, sound := range got {
		if !bytes.Equal(sound, want) {
			t.Errorf("%s: %d bytes, which are not the %d of the respelled text", what, len(sound), len(want))
		}
	}
	for _, kind := range kinds {
		c, a := s.dial(s.key, kind, "&pronunciation_dictionary_id="+d.ID)
		if c == nil {
			t.Fatalf("%s = %d %s", a.what, a.status, a.body)
		}
		// Those who have opened a socket keep what was there.
		s.put(s.key, "/"+d.ID+"/set-rules", object{"rules": rulesOf([]string{"nginx", "wrong"})})
		c.say(written)
		c.end()
		if h := c.listen(); !h.whole() || !sameButForPause(h.audio, want) {
			t.Errorf("%s: %s, want the %d bytes of the respelled text", kind, h, len(want))
		}
		s.put(s.key, "/"+d.ID+"/set-rules", object{"rules": rulesOf([]string{"nginx", "engine x", "kubectl", "cube control"})})
	}
	if log := s.log.String(); strings.Contains(log, "kubectl") || strings.Contains(log, "cube control") {
		t.Error("the log has rules or text in it")
	}
}

// TestUnknownDictionary names one of another organisation wherever one can be named.
func TestUnknownDictionary(t *testing.T) {
	t.Parallel()
	s := start(t)
	d := s.dictionary(s.key, "names", "a", "b")
	_, other := s.customer("Other", "unlimited")
	const code = "pronunciation_dictionary_not_found"
	for _, id := range []string{d.ID, "00000000-0000-4000-8000-000000000000", "x"} {
		s.ask(http.MethodGet, dictionaries+"/"+id, other, nil).expect(t, http.StatusNotFound, code)
		s.ask(http.MethodGet, dictionaries+"/"+id+"/versions", other, nil).expect(t, http.StatusNotFound, code)
		for _, edit := range []string{"set", "add", "remove"} {
			body := object{"rules": rulesOf([]string{"a", "c"}), "rule_strings": []string{"a"}}
			s.ask(http.MethodPost, dictionaries+"/"+id+"/"+edit+"-rules", other, body).expect(t, http.StatusNotFound, code)
		}
		for _, path := range []string{"/v1/audio/speech", "/v1/audio/speech/preview-text"} {
			s.ask(http.MethodPost, path, other, object{"input": "a", "pronunciation_dictionary_id": id}).expect(t, http.StatusNotFound, code)
		}
		for _, path := range []string{"", "/stream", "/with-timestamps", "/stream/with-timestamps"} {
			body := object{"text": "a", "pronunciation_dictionary_locators": []object{{"pronunciation_dictionary_id": id}}}
			s.ask(http.MethodPost, "/v1/text-to-speech/"+string(voice.DefaultVoice().ID)+path, other, body).expect(t, http.StatusNotFound, code)
		}
		for _, kind := range kinds {
			c, a := s.dial(other, kind, "&pronunciation_dictionary_id="+id)
			if c != nil || a.status != http.StatusNotFound {
				t.Errorf("%s with another's dictionary = %d %s", a.what, a.status, a.body)
			}
		}
	}
	s.ask(http.MethodDelete, dictionaries+"/"+d.ID, s.key, nil).expect(t, http.StatusMethodNotAllowed, "method_not_allowed")
	s.vaak("dictionary", "delete", d.ID)
	gone := func() bool {
		a := s.ask(http.MethodPost, "/v1/audio/speech/preview-text", s.key, object{"input": "a", "pronunciation_dictionary_id": d.ID})
		return a.status == http.StatusNotFound
	}
	if !eventually(gone) {
		t.Error("a dictionary that was deleted is used still")
	}
}

// spoken is what a server would say for a text with a dictionary.
func (s *server) spoken(text, id string) string {
	s.t.Helper()
	return s.previewText(object{"input": text, "lang": "en", "pronunciation_dictionary_id": id}).SpokenText
}

// TestLengthyReplicasUseEdits edits a dictionary at one of two servers, and looks how long the
// other one uses what was there before.
func TestLengthyReplicasUseEdits(t *testing.T) {
	slow(t)
	beside := func(t *testing.T) []*server {
		s := start(t)
		other := &server{t: t, dir: s.dir, env: s.env, key: s.key}
		other.serve()
		return []*server{s, other}
	}
	for name, open := range map[string]func(*testing.T) []*server{
		"SQLite":     beside,
		"PostgreSQL": func(t *testing.T) []*server { return startFleet(t, 2, 10).servers },
	} {
		t.Run(name, func(t *testing.T) {
			servers := open(t)
			d := servers[0].dictionary(servers[0].key, "names", "name", "nobody")
			var waits []time.Duration
			for i := range 60 {
				at, other := servers[i%2], servers[(i+1)%2]
				other.spoken("a name", d.ID) // knows what is there
				alias := fmt.Sprintf("edit %c%c", 'a'+i/10, 'k'+i%10)
				began := ran()
				at.put(at.key, "/"+d.ID+"/set-rules", object{"rules": rulesOf([]string{"name", alias})})
				if got := at.spoken("a name", d.ID); got != "a "+alias {
					t.Fatalf("the server that was told the edit says %q, want %q", got, alias)
				}
				if !eventually(func() bool { return other.spoken("a name", d.ID) == "a "+alias }) {
					t.Fatalf("edit %d is not used elsewhere", i)
				}
				waits = append(waits, ran()-began)
			}
			slices.Sort(waits)
			t.Logf("from the request of an edit until it is used elsewhere: %v (median), %v (p99), %v (longest)", waits[len(waits)/2], waits[len(waits)*99/100], waits[len(waits)-1])
			if longest := waits[len(waits)-1]; longest > 5*time.Second {
				t.Errorf("an edit was used elsewhere after %v, more than 5 s", longest)
			}
		})
	}
}
