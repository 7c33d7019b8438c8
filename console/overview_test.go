package console

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/voice"
)

func TestOverviewOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := shown(t, w.as(t, w.member).get("/o/"+w.acme.ID), http.StatusOK)
	has(t, body, "Say something", "/o/"+w.acme.ID+"/keys\"", "/o/"+w.acme.ID+"/playground", api+"/v1/audio/speech", "Plan and limits")
	lacks(t, body, "<svg class", "What failed", "Recent requests")

	w.key(t, w.acme.ID, "first")
	body = shown(t, w.as(t, w.member).get("/o/"+w.acme.ID), http.StatusOK)
	has(t, body, "<svg class", "Nothing was spoken in these days", "There was none in the last 24 hours", "No characters by day")
	lacks(t, body, "Say something")
}

func TestOverview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	live, odd, theirs := w.key(t, w.acme.ID, "production"), w.key(t, w.acme.ID, "<b>odd</b>"), w.key(t, w.other.ID, "theirs")
	v := string(voice.DefaultVoice().ID)
	w.used(t, w.acme.ID,
		account.Use{KeyID: live.ID, Day: dayAgo(0), Voice: v, Language: "en", Requests: 3, Characters: 120_000, Audio: 90 * time.Second},
		account.Use{KeyID: live.ID, Day: dayAgo(40), Voice: v, Language: "hi", Requests: 1, Characters: 7_000_001},
		account.Use{KeyID: odd.ID, Day: dayAgo(3), Voice: "sv_unheardof", Language: "hi", Requests: 1, Characters: 40_000},
	)
	w.used(t, w.other.ID, account.Use{KeyID: theirs.ID, Day: dayAgo(0), Voice: v, Language: "en", Requests: 1, Characters: 555_555})
	at := "/o/" + w.acme.ID
	b := w.as(t, w.member)

	body := shown(t, b.get(at), http.StatusOK)
	has(t, body, "160,000 characters by day from", "production 75%, &lt;b&gt;odd&lt;/b&gt; 25%", `class="s1"`, `class="s2"`,
		"<bdi>production</bdi>", "160,000 characters in 4 requests, 1:30 of audio", `aria-current="true">30 days`, `<th scope="row">`+dayAgo(3)+"</th>")
	lacks(t, body, "<b>odd", "theirs", "555,555", "7,000,001", "style=")
	wellFormed(t, body)

	body = shown(t, b.get(at+"?days=90&by=voice"), http.StatusOK)
	has(t, body, voice.DefaultVoice().Name+" 99%", "sv_unheardof 1%", "7,120,001", `aria-current="true">By voice`)
	body = shown(t, b.get(at+"?days=7&by=language"), http.StatusOK)
	has(t, body, "English 75%", "Hindi 25%", `days=30&amp;by=language`)
	shown(t, w.as(t, w.operator).get(at), http.StatusOK)
	shown(t, w.as(t, w.another).get(at), http.StatusNotFound)
	for _, q := range []string{"?days=31", "?days=-7", "?days=x", "?by=text", "?days=99999999999999999999"} {
		has(t, shown(t, b.get(at+q), http.StatusBadRequest), "is not one of")
	}
}

// wellFormed checks that the drawing of a page can be read as XML.
func wellFormed(t *testing.T, body string) {
	t.Helper()
	_, rest, found := strings.Cut(body, `<svg class="chart"`)
	drawing, _, ended := strings.Cut(rest, "</svg>")
	if !found || !ended {
		t.Fatal("there is no drawing")
	}
	dec := xml.NewDecoder(strings.NewReader("<svg " + drawing + "</svg>"))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestOverviewOfManyKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var uses []account.Use
	for i := range 20 {
		k := w.key(t, w.acme.ID, []string{"same", "other"}[i%2])
		uses = append(uses, account.Use{KeyID: k.ID, Day: dayAgo(i), Voice: "v", Language: "en", Requests: 1, Characters: int64(1000 * (i + 1))})
	}
	w.used(t, w.acme.ID, uses...)
	body := shown(t, w.as(t, w.member).get("/o/"+w.acme.ID), http.StatusOK)
	has(t, body, "13 others", "210,000 characters by day")
	if got := strings.Count(body, `<span class="dot s`); got != 8 {
		t.Errorf("%d series are shown, want 8", got)
	}
	keys, _ := w.accounts.Keys(t.Context(), w.acme.ID)
	has(t, body, "<bdi>other …"+keys[19].LastFour+"</bdi>")
}

func TestOverviewOfRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.key(t, w.acme.ID, "k")
	var records []account.RequestRecord
	for i := range 200 {
		r := account.RequestRecord{ID: fmt.Sprint(i), At: time.Now().Add(-time.Minute), OrgID: w.acme.ID, KeyID: k.ID, Status: 200, FirstAudio: time.Duration(i+1) * time.Millisecond}
		if i == 7 {
			r.Status, r.Code, r.FirstAudio = 402, "insufficient_quota", 0
		}
		records = append(records, r)
	}
	w.recorded(t, records...)
	w.recorded(t, account.RequestRecord{ID: "x", At: time.Now(), OrgID: w.other.ID, Status: 500, Code: "internal_error"})
	body := shown(t, w.as(t, w.member).get("/o/"+w.acme.ID), http.StatusOK)
	has(t, body, "99.5% of the last 200 requests", "101.0 ms", "181.0 ms", "are spent. Ask the operator", "requests?outcome=insufficient_quota")
	lacks(t, body, "internal_error")
}

func TestOverviewOfStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.accounts.SetCeilings(t.Context(), w.acme.ID, account.Ceilings{RequestsPerMinute: -1, MaxStreams: 3}); err != nil {
		t.Fatal(err)
	}
	secret, _, err := w.accounts.CreateKey(t.Context(), w.acme.ID, account.KeyRequest{Label: "live"})
	if err != nil {
		t.Fatal(err)
	}
	caller, err := w.accounts.Authenticate(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	slot, err := w.accounts.Admit(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	at := "/o/" + w.acme.ID
	b := w.as(t, w.member)
	for _, body := range []string{shown(t, b.get(at), http.StatusOK), shown(t, b.get(at+"/streams", "HX-Request", "true"), http.StatusOK)} {
		has(t, body, `<progress max="3" value="1"`, "<bdi>live</bdi>: 1", "<strong>1</strong> stream runs now, of 3 over all keys.")
	}
	if body := shown(t, b.get(at+"/streams", "HX-Request", "true"), http.StatusOK); strings.Contains(body, "<html") {
		t.Error("a part is a whole page")
	}
	moved(t, b.get(at+"/streams"), at)
	shown(t, w.as(t, w.another).get(at+"/streams", "HX-Request", "true"), http.StatusNotFound)
}

func TestOverviewOfBalance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, b := t.Context(), w.as(t, w.operator)
	has(t, shown(t, b.get("/o/"+w.acme.ID), http.StatusOK), "Characters are counted, and never refused")
	org, err := w.accounts.CreateOrganisation(ctx, "Paying", "starter")
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now().AddDate(0, 0, 2).UTC().Truncate(time.Second)
	if _, err := w.accounts.Grant(ctx, org.ID, account.GrantRequest{Kind: ledger.Purchase, Source: "order-1", Characters: 5000, Expires: end}); err != nil {
		t.Fatal(err)
	}
	body := shown(t, b.get("/o/"+org.ID), http.StatusOK)
	has(t, body, `<th scope="row">Bought</th>`, "5,000 of them are good until", end.Format("2 Jan 2006, 15:04:05"), ">Starter<", "100,000", "60 of each key")
}

// TestOverviewWithoutStore: what cannot be read is said, and is no empty page.
func TestOverviewWithoutStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	w.books.Fail(errors.New("the disk is gone"), accounttest.Reads)
	rec := b.get("/o/" + w.acme.ID)
	if rec.Code < 500 || strings.Contains(rec.Body.String(), "disk is gone") {
		t.Errorf("status %d, want a failure without its cause:\n%.500s", rec.Code, rec.Body)
	}
}
