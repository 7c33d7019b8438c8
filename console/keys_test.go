package console

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/console/page"
)

var secretShape = regexp.MustCompile(`sk_live_[0-9A-Za-z]{49}`)

func TestKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	at := "/o/" + w.acme.ID + "/keys"
	has(t, shown(t, b.get(at), http.StatusOK), "There is no key yet", "unlimited requests a minute")

	made := shown(t, b.post(at, "label", "production", "cap", "12,000", "expires", "2999-12-31"), http.StatusOK)
	secret := secretShape.FindString(made)
	has(t, made, "production", "12,000 characters a month", "until the end of 31 December 2999", ">export VAAK_API_KEY="+secretShape.FindString(made)+"<", "/v1/audio/speech", "-o hello.wav")
	caller, err := w.accounts.Authenticate(t.Context(), secret)
	if err != nil || caller.OrgID != w.acme.ID {
		t.Fatalf("Authenticate(the key on the page) = %+v, %v", caller, err)
	}
	again := shown(t, b.get(at), http.StatusOK)
	lacks(t, again, secret)
	has(t, again, "…"+secret[len(secret)-4:])

	moved(t, b.post(at+"/"+caller.KeyID+"/revoke"), at)
	if _, err := w.accounts.Authenticate(t.Context(), secret); err == nil {
		t.Error("the key is good after it was revoked")
	}
	has(t, shown(t, b.get(at), http.StatusOK), "The key production is revoked", "Ended (1)", "There is no key that is active.")
	lacks(t, shown(t, b.get(at), http.StatusOK), "is revoked: the next request")
}

func TestKeyRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := "/o/" + w.acme.ID + "/keys"
	for _, tt := range []struct{ name, field, value, want string }{
		{"a cap in words", "cap", "many", "Characters a month &#34;many&#34; is not a whole number."},
		{"a cap of nothing", "cap", "0", "Characters a month: type at least 1, or leave it empty for no limit."},
		{"a cap with a decimal comma", "cap", "1,5", "Characters a month &#34;1,5&#34; is not a whole number."},
		{"a cap above", "cap", "1000000000001", "is outside 1 to 1000000000000 characters a month."},
		{"no label", "label", " ", "Label is empty; 1 to 200 characters are needed."},
		{"a cap below", "cap", "-5", "type at least 1"},
		{"no day", "expires", "tomorrow", "not a day of the form YYYY-MM-DD"},
		{"a day that was", "expires", "2001-01-01", "The day 2001-01-01 is over. Today is "},
		{"a secret for a label", "label", "sk_live_abc", "holds an API key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fields := []string{"label", "kept label", tt.field, tt.value}
			if tt.field == "label" {
				fields = fields[2:]
			}
			body := shown(t, w.as(t, w.member).post(at, fields...), http.StatusBadRequest)
			has(t, body, tt.want, `role="alert"`)
			if tt.field != "label" {
				has(t, body, `value="kept label"`)
			}
		})
	}
	keys, err := w.accounts.Keys(t.Context(), w.acme.ID)
	if err != nil || len(keys) != 0 {
		t.Errorf("what was refused made %d keys, %v", len(keys), err)
	}
}

func TestKeysOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, theirs, err := w.accounts.CreateKey(t.Context(), w.other.ID, account.KeyRequest{Label: "theirs"})
	if err != nil {
		t.Fatal(err)
	}
	b := w.as(t, w.member)
	shown(t, b.post("/o/"+w.acme.ID+"/keys/"+theirs.ID+"/revoke"), http.StatusNotFound)
	shown(t, b.post("/o/"+w.other.ID+"/keys/"+theirs.ID+"/revoke"), http.StatusNotFound)
	shown(t, b.get("/o/"+w.other.ID+"/keys"), http.StatusNotFound)
	k, err := w.accounts.KeyOf(t.Context(), w.other.ID, theirs.ID)
	if err != nil || !k.Revoked.IsZero() {
		t.Errorf("another's key was revoked: %+v, %v", k, err)
	}
}

// formOnce is what makes a form good once.
var formOnce = regexp.MustCompile(`name="once" value="([A-Z0-9]+)"`)

func TestKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	at := "/o/" + w.acme.ID + "/keys"
	form := formOnce.FindStringSubmatch(shown(t, b.get(at), http.StatusOK))
	if form == nil {
		t.Fatal("the form can be sent twice")
	}
	shown(t, b.post(at, "label", "one", "once", form[1]), http.StatusOK)
	again := shown(t, b.post(at, "label", "one", "once", form[1]), http.StatusConflict)
	has(t, again, "nothing was done a second time", `value="one"`)
	lacks(t, again, "Your new key")
	if keys, err := w.accounts.Keys(t.Context(), w.acme.ID); err != nil || len(keys) != 1 {
		t.Errorf("there are %d keys, %v, want 1", len(keys), err)
	}
}

// TestKeysOfThePlayground shows what was spoken there where there is no key.
func TestKeysOfThePlayground(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	at := "/o/" + w.acme.ID + "/keys"
	lacks(t, shown(t, b.get(at), http.StatusOK), "requests?key=console")
	caller, err := w.accounts.Console(t.Context(), w.acme.ID)
	if err != nil {
		t.Fatal(err)
	}
	hold, err := w.accounts.Reserve(t.Context(), caller, 4321)
	if err != nil {
		t.Fatal(err)
	}
	if err := hold.Commit(t.Context(), account.Receipt{Characters: 4321, Audio: time.Minute}); err != nil {
		t.Fatal(err)
	}
	has(t, shown(t, b.get(at), http.StatusOK), "requests?key=console", ">4,321<", ">1:00<", "There is no key yet.")
}

func TestManyKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	at := "/o/" + w.acme.ID + "/keys"
	for i := range 2*page.Lines + 5 {
		k := w.key(t, w.acme.ID, fmt.Sprintf("key %03d", i))
		if i < page.Lines+3 {
			if i == 7 {
				w.used(t, w.acme.ID, account.Use{KeyID: k.ID, Day: dayAgo(0), Requests: 3, Characters: 77, Audio: 61 * time.Second})
			}
			if err := w.accounts.RevokeKey(t.Context(), k.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	first := shown(t, b.get(at), http.StatusOK)
	has(t, first, "key 104", "Active (52)", "Ended (53)", `href="`+at+`?page=2" rel="next"`, `href="`+at+`?show=ended"`)
	lacks(t, first, "key 054", "key 052", `rel="prev"`)
	has(t, shown(t, b.get(at+"?page=2"), http.StatusOK), "key 054", "key 053", `rel="prev"`)
	ended := shown(t, b.get(at+"?show=ended"), http.StatusOK)
	has(t, ended, "key 052", "key 007", "revoked on ", ">77<", ">1:01<", `href="`+at+`?page=2&amp;show=ended" rel="next"`)
	lacks(t, ended, "key 002", "key 060", "Create a key")
	has(t, shown(t, b.get(at+"?show=ended&page=2"), http.StatusOK), "key 002", "key 000")
	has(t, shown(t, b.get(at+"?page=9"), http.StatusOK), "key 053", "Page 2 of 2")
	if n := strings.Count(first, "<tr>"); n != page.Lines+1 {
		t.Errorf("the page has %d rows, want %d", n, page.Lines+1)
	}
}
