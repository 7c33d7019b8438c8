package voices

import (
	"crypto/sha256"
	"encoding/base64"
	bits "encoding/binary" // its own name is taken here
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"vaak/lang"
	"vaak/rest/elevenlabs"
	"vaak/rest/frame"
	"vaak/voice"
)

// VoicePage is the answer of GET /v2/voices.
type VoicePage struct {
	Voices        []VoiceRecord `json:"voices" nullable:"false"`
	HasMore       bool          `json:"has_more" doc:"Whether there is another page."`
	TotalCount    int           `json:"total_count" doc:"Of the voices that match, on all pages."`
	NextPageToken *string       `json:"next_page_token" nullable:"true" doc:"Asks for the page that follows; null on the last."`
}

// Sizes of pages and lists.
const (
	usualPage   = 10
	largestPage = 100
	maxVoiceIDs = 100
	maxWords    = 1000 // bytes of search, and of accent
)

// voiceTypes holds the values of voice_type, and whether they select voices. Callers have no
// voices of their own here, so some values select nothing.
var voiceTypes = map[string]bool{
	"": true, "default": true, "non-community": true,
	"personal": false, "community": false, "workspace": false, "non-default": false, "saved": false,
}

func (a *api) registerVoicePages(desc huma.API) {
	op := huma.Operation{
		OperationID: "searchVoices", Method: http.MethodGet, Path: "/v2/voices", Tags: []string{frame.TagVoices},
		Summary:     "Search the voices",
		Description: "Voices match every parameter that is sent; those that are not listed here are ignored. Empty values are as if they were not sent.",
		Security:    frame.WithKey,
		Metadata:    frame.InElevenLabs(),
		Parameters:  voiceParameters(),
		Responses:   frame.Responses(frame.JsonOf[VoicePage](desc, "A page of voices."), 401, 422, 429, 503),
	}
	frame.DescribeDialect(op.Responses["200"].Headers)
	frame.Operate(desc, op, a.searchVoices)
}

// voiceParameters describes the query.
func voiceParameters() []*huma.Param {
	query := func(name, doc string, schema *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: doc, Schema: schema}
	}
	text := func() *huma.Schema { return &huma.Schema{Type: "string"} }
	words := func(of ...any) *huma.Schema { return &huma.Schema{Type: "string", Enum: of} }
	list := func() *huma.Schema { return &huma.Schema{Type: "array", Items: text()} }
	least, most, ids := 1.0, float64(largestPage), maxVoiceIDs
	several := list()
	several.MaxItems = &ids
	return []*huma.Param{
		query("search", "Words that must all begin a word of the voice's id, name, accent, gender, description or labels. One that is the code of a native language, such as hi, is a whole word of them: it does not find what is high-pitched.", text()),
		query("page_size", "How many voices a page has at most.", &huma.Schema{Type: "integer", Minimum: &least, Maximum: &most, Default: usualPage}),
		query("next_page_token", "As the page before had it, with the same parameters; page_size may change.", text()),
		query("sort", "created_at_unix, the usual order, is that of GET /v1/voices.", words("created_at_unix", "name")),
		query("sort_direction", "", words("asc", "desc")),
		query("category", "premade, or custom for the voices that the operator of the server has added.", text()),
		query("voice_type", "There are voices of default and non-community only.",
			words("default", "non-community", "personal", "community", "workspace", "non-default", "saved")),
		query("language", "Native languages in any form, one of which must be the voice's. May be repeated.", list()),
		query("accent", "Words that must all begin a word of the voice's accent.", text()),
		query("gender", "The voice's.", words("female", "male", "neutral")),
		query("voice_ids", "Only these voices, by id or alias, at most 100. May be repeated.", several),
	}
}

// searchVoices serves GET /v2/voices.
func (a *api) searchVoices(w http.ResponseWriter, r *http.Request, _ *frame.NoInput) error {
	sent := r.URL.Query()
	q, err := a.voiceQuery(sent)
	if err != nil {
		return err
	}
	size, err := pageSize(sent.Get("page_size"))
	if err != nil {
		return err
	}
	var found []voice.Voice
	if voiceTypes[sent.Get("voice_type")] {
		found = a.Voices.Select(q)
	}
	offset, err := pageOffset(sent.Get("next_page_token"), q, len(found))
	if err != nil {
		return err
	}
	page := VoicePage{Voices: []VoiceRecord{}, TotalCount: len(found)}
	end := min(offset+size, len(found))
	for _, v := range found[offset:end] {
		page.Voices = append(page.Voices, a.recordOf(v))
	}
	if end < len(found) {
		token := pageToken(end, q)
		page.HasMore, page.NextPageToken = true, &token
	}
	return frame.AnswerJSON(w, r, page)
}

// voiceQuery reads the query of a search.
func (a *api) voiceQuery(sent url.Values) (q voice.Query, err error) {
	q = voice.Query{
		Search: sent.Get("search"), Category: sent.Get("category"),
		Accent: sent.Get("accent"), Gender: sent.Get("gender"),
	}
	for _, name := range []string{"search", "accent"} {
		if n := len(sent.Get(name)); n > maxWords {
			return q, frame.ErrParameter(name, "%s has %d bytes; at most %d are allowed", name, n, maxWords)
		}
	}
	if q.Languages, err = languagesOf(sent["language"]); err != nil {
		return q, err
	}
	for _, id := range sent["voice_ids"] { // an unknown id stays, and finds nothing
		if v, ok := a.Voices.Lookup(id); ok {
			id = string(v.ID)
		}
		if id != "" {
			q.IDs = append(q.IDs, voice.ID(id))
		}
	}
	if len(q.IDs) > maxVoiceIDs {
		return q, frame.ErrParameter("voice_ids", "voice_ids has %d values; at most %d are allowed", len(q.IDs), maxVoiceIDs)
	}
	if kind := sent.Get("voice_type"); !isKey(voiceTypes, kind) {
		return q, frame.ErrParameter("voice_type", "voice_type %.64q is not one of default, non-community, personal, community, workspace, non-default, saved", kind)
	}
	return q, setOrder(&q, sent)
}

func isKey[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

func setOrder(q *voice.Query, sent url.Values) error {
	switch sort := sent.Get("sort"); sort {
	case "", "created_at_unix":
		q.Order = voice.ByRoster
	case "name":
		q.Order = voice.ByName
	default:
		return frame.ErrParameter("sort", "sort %.64q is not one of name, created_at_unix", sort)
	}
	switch direction := sent.Get("sort_direction"); direction {
	case "", "asc":
	case "desc":
		q.Descending = true
	default:
		return frame.ErrParameter("sort_direction", "sort_direction %.64q is not one of asc, desc", direction)
	}
	return nil
}

// languagesOf resolves languages that are written in any form.
func languagesOf(hints []string) ([]lang.Code, error) {
	var codes []lang.Code
	for _, hint := range hints {
		tag, err := lang.Resolve(hint)
		if err != nil {
			return nil, frame.InQuery(elevenlabs.RenameField(err, "language"))
		}
		if tag.Code != "" && !slices.Contains(codes, tag.Code) {
			codes = append(codes, tag.Code)
		}
	}
	return codes, nil
}

func pageSize(sent string) (int, error) {
	if sent == "" {
		return usualPage, nil
	}
	n, err := strconv.Atoi(sent)
	if err != nil || n < 1 || n > largestPage {
		return 0, frame.ErrParameter("page_size", "page_size %.32q is not a whole number from 1 to %d", sent, largestPage)
	}
	return n, nil
}

// A page token holds where its page begins, and a part of the digest of the query, so that a
// token of one search is refused in another.
const tokenDigest = 8

func pageToken(offset int, q voice.Query) string {
	b := bits.BigEndian.AppendUint32(nil, uint32(offset))
	return base64.RawURLEncoding.EncodeToString(append(b, digestOf(q)...))
}

func digestOf(q voice.Query) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%#v", q)) // with every string quoted
	return sum[:tokenDigest]
}

// pageOffset returns where the page of a token begins, among total voices.
func pageOffset(token string, q voice.Query, total int) (int, error) {
	if token == "" {
		return 0, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	// The digest is no signature: a token that is made by hand shows only voices that are public.
	if err != nil || len(b) != 4+tokenDigest || string(b[4:]) != string(digestOf(q)) {
		return 0, errToken(token)
	}
	offset := bits.BigEndian.Uint32(b)
	if offset == 0 || uint64(offset) >= uint64(total) { // no page but the first begins at 0, and it has no token
		return 0, errToken(token)
	}
	return int(offset), nil
}

func errToken(sent string) error {
	return frame.ErrParameter("next_page_token", "next_page_token %.64q is not one of a page with these parameters; leave it out to begin with the first", sent)
}
