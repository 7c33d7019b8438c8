package usage

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vaak/account"
	"vaak/console/page"
	"vaak/internal/fault"
)

// onlyFailed is the value of the filter for all requests that failed. It is the name of no
// code.
const onlyFailed = "failed"

// requestPage is what the page of requests shows.
type requestPage struct {
	Lines        []requestLine
	Keys, Codes  []option // of the filters
	Kept         string   // how long records are kept, in words; "" where that is not known
	ID           string   // the id that is looked for; "" is any
	Filtered     bool
	Bound        int // how many failures the search looked through at most; 0: all requests
	Pages        page.Paging
	PlayedVoices bool // whether there are pages of voices
}

// option is one of a list to choose from.
type option struct {
	Value, Text string
	Chosen      bool
}

// requestLine is a request.
type requestLine struct {
	account.RequestRecord
	Key, VoiceName, LanguageName string
	Where                        string // its route; "" for the playground
	Means                        string // what the code means; "" for success
	Badge                        string // class of the element
}

// requestQuery is what an address of the page asks for.
type requestQuery struct {
	id, key, outcome string
	before           account.RequestMark
}

// readRequestQuery reads the parameters of the page. Ids, keys and codes that do not exist
// are no error: they have no requests.
func readRequestQuery(q url.Values) (requestQuery, error) {
	out := requestQuery{id: strings.TrimSpace(q.Get("id")), key: q.Get("key"), outcome: q.Get("outcome")}
	if s := q.Get("before"); s != "" {
		var ok bool
		if out.before, ok = parseMark(s); !ok {
			return out, fault.BadParameter("before", "before %.64q is no place in the list; begin with the newest", s)
		}
	}
	return out, nil
}

// address returns the address of the page that begins after a mark.
func (q requestQuery) address(at string, before account.RequestMark) string {
	return page.Address(at, url.Values{"id": {q.id}, "key": {q.key}, "outcome": {q.outcome}, "before": {markText(before)}})
}

// markText writes a mark for an address: its time in microseconds, and its number.
func markText(m account.RequestMark) string {
	if m == (account.RequestMark{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d", m.At.UnixMicro(), m.Seq)
}

// maxMark bounds the time of a mark, to the year 9999.
const maxMark = 253402300800_000000

// parseMark reads what markText writes.
func parseMark(s string) (account.RequestMark, bool) {
	at, seq, _ := strings.Cut(s, ".")
	micros, err := strconv.ParseInt(at, 10, 64)
	number, serr := strconv.ParseInt(seq, 10, 64)
	if err != nil || serr != nil || micros < 1 || micros >= maxMark || number < 0 {
		return account.RequestMark{}, false
	}
	return account.RequestMark{At: time.UnixMicro(micros).UTC(), Seq: number}, true
}

func (ps *pages) requests(v *page.Visit) error {
	ctx := v.R.Context()
	asked, err := readRequestQuery(v.R.URL.Query())
	if err != nil {
		return err
	}
	keys, err := ps.keyNames(v, ctx)
	if err != nil {
		return err
	}
	// One more than the page shows, which tells whether there are older ones.
	q := account.RequestQuery{Before: asked.before, ID: asked.id, Key: asked.key, Limit: page.Lines + 1, Failed: asked.outcome == onlyFailed}
	if !q.Failed {
		q.Code = asked.outcome
	}
	found, err := ps.Accounts.Requests(ctx, v.Org.ID, q)
	if err != nil {
		return err
	}
	at := v.At("requests")
	p := requestPage{
		Keys: keyOptions(keys, asked.key), Codes: codeOptions(asked.outcome), Kept: kept(ps.KeepRequests),
		ID: asked.id, Filtered: asked.id != "" || asked.key != "" || asked.outcome != "", PlayedVoices: ps.Speaks,
	}
	if q.Bounded() {
		p.Bound = account.RequestScan
	}
	if asked.before != (account.RequestMark{}) {
		p.Pages.First = asked.address(at, account.RequestMark{})
	}
	if len(found) > page.Lines {
		found = found[:page.Lines]
		p.Pages.Older = asked.address(at, found[page.Lines-1].Mark())
	}
	for _, r := range found {
		p.Lines = append(p.Lines, ps.lineOf(r, keys))
	}
	return v.Show("requests", "Requests", p)
}

func (ps *pages) lineOf(r account.RequestRecord, keys keyNames) requestLine {
	line := requestLine{RequestRecord: r, Key: keys.Of(r.KeyID), VoiceName: page.VoiceNames(ps.Voices)(r.Voice), LanguageName: page.LanguageName(r.Language)}
	switch {
	case r.Code == "":
		line.Badge = "good"
	case r.Status == page.StatusClientGone:
		line.Badge = "quiet"
	case r.Status >= http.StatusInternalServerError:
		line.Badge = "bad"
	default:
		line.Badge = "warn"
	}
	if r.KeyID != account.ConsoleKey {
		line.Where = r.Route
	}
	if r.Code != "" {
		line.Means = meaningOf(r.Code).Means
	}
	return line
}

// keyOptions lists the keys, the newest first, and the playground.
func keyOptions(keys keyNames, chosen string) []option {
	out := []option{{"", "All keys", chosen == ""}}
	for _, k := range slices.Backward(keys.Keys) {
		text := keys.Of(k.ID)
		if !k.Valid(time.Now()) {
			text += " (ended)"
		}
		out = append(out, option{k.ID, text, k.ID == chosen})
	}
	return withChosen(append(out, option{account.ConsoleKey, playgroundName, chosen == account.ConsoleKey}), chosen)
}

// codeOptions lists the outcomes.
func codeOptions(chosen string) []option {
	out := []option{{"", "All", chosen == ""}, {onlyFailed, "All that failed", chosen == onlyFailed}}
	for _, m := range meanings {
		out = append(out, option{m.Code, m.Code, m.Code == chosen})
	}
	return withChosen(out, chosen)
}

// withChosen adds the chosen value where the list lacks it, so that the form says what the
// page shows.
func withChosen(all []option, chosen string) []option {
	if slices.ContainsFunc(all, func(o option) bool { return o.Chosen }) {
		return all
	}
	shown := []rune(chosen)
	return append(all, option{chosen, string(shown[:min(len(shown), 64)]), true})
}

// kept says how long records are kept.
func kept(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return page.Roughly(d)
}
