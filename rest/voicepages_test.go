package rest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vaak/voice"
)

// pageRead is a page as the strictest client parses it: without one of the
// pointers, or with a label that is no string, it throws.
type pageRead struct {
	Voices []struct {
		VoiceID  *string           `json:"voice_id"`
		Name     *string           `json:"name"`
		Category *string           `json:"category"`
		Labels   map[string]string `json:"labels"`
	} `json:"voices"`
	HasMore    *bool           `json:"has_more"`
	TotalCount *int            `json:"total_count"`
	Next       json.RawMessage `json:"next_page_token"`
}

func (p pageRead) ids() (ids []voice.ID) {
	for _, v := range p.Voices {
		ids = append(ids, voice.ID(*v.VoiceID))
	}
	return ids
}

// token returns the token of the next page, or "".
func (p pageRead) token(t *testing.T) string {
	t.Helper()
	var token *string
	if err := json.Unmarshal(p.Next, &token); err != nil {
		t.Fatal(err)
	}
	if *p.HasMore != (token != nil) {
		t.Errorf("has_more %v beside the token %s", *p.HasMore, p.Next)
	}
	if token == nil {
		return ""
	}
	return *token
}

// findVoices asks for a page with a key.
func findVoices(t *testing.T, h http.Handler, query string) pageRead {
	t.Helper()
	w := do(h, request("GET", "/v2/voices?"+query, "", "xi-api-key", testKey))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("GET /v2/voices?%s = %d %s", query, w.Code, w.Body)
	}
	var page pageRead
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	if page.Voices == nil || page.HasMore == nil || page.TotalCount == nil || page.Next == nil {
		t.Fatalf("the page lacks a required key: %.300s", w.Body)
	}
	for _, v := range page.Voices {
		if v.VoiceID == nil || v.Name == nil || v.Category == nil || len(v.Labels) != 7 {
			t.Errorf("voice %+v", v)
		}
	}
	return page
}

func TestVoicePages(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, query := range []string{"", "search=male", "language=hi&gender=female", "sort=name&sort_direction=desc", "search=nothing+is+called+so"} {
		for _, size := range []int{3, 100} {
			var all []voice.ID
			token := ""
			for {
				page := findVoices(t, h, fmt.Sprintf("%s&page_size=%d&next_page_token=%s", query, size, url.QueryEscape(token)))
				all = append(all, page.ids()...)
				token = page.token(t)
				if len(page.Voices) > size || token != "" && len(page.Voices) != size {
					t.Errorf("%s: a page of %d voices, want %d", query, len(page.Voices), size)
				}
				if token == "" {
					if len(all) != *page.TotalCount {
						t.Errorf("%s: %d voices on pages of %d, total_count %d", query, len(all), size, *page.TotalCount)
					}
					break
				}
			}
			slices.Sort(all)
			if n := len(all); len(slices.Compact(all)) != n {
				t.Errorf("%s: a voice stands on two pages of %d", query, size)
			}
		}
	}
	if page := findVoices(t, h, ""); len(page.Voices) != 10 || *page.TotalCount != 320 || page.ids()[0] != voice.All()[0].ID {
		t.Errorf("%d of %d voices", len(page.Voices), *page.TotalCount)
	}
	// The size of pages may change under way.
	first := findVoices(t, h, "page_size=3")
	if next := findVoices(t, h, "page_size=50&next_page_token="+first.token(t)); next.ids()[0] != voice.All()[3].ID || len(next.Voices) != 50 {
		t.Errorf("the page after 3 voices begins with %s", next.ids()[0])
	}
}

func TestVoiceFilters(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	all := voice.All()
	some := "voice_ids=" + string(all[5].ID) + "&voice_ids=" + string(all[2].ID) + "&voice_ids=sv_nobody"
	for query, want := range map[string]int{
		"":                                   320,
		"search=tamil":                       8,
		"search=Tamil+FEMALE":                4,
		"search=" + string(all[9].ID):        1,
		"search=rocio":                       1,
		"category=premade":                   320,
		"category=cloned":                    0,
		"voice_type=default":                 320,
		"voice_type=personal":                0,
		"voice_type=community":               0,
		"voice_type=workspace":               0,
		"language=hi":                        12,
		"language=Hindi&language=tam":        20,
		"language=en-IN":                     14,
		"language=":                          320,
		"language=auto":                      320,
		"accent=norwegian+bokm%C3%A5l":       3,
		"accent=NORWEGIAN":                   3,
		"gender=female":                      160,
		"gender=Male&language=ta":            4,
		"gender=neutral":                     0,
		some:                                 2,
		some + "&gender=none":                0,
		"page_size=1&language=ta&sort=name":  8,
		"age=old&use_cases=a&use_cases=b":    320,
		"include_total_count=false&x=%zz;y":  320,
		"fine_tuning_state=x&collection_id=": 320,
	} {
		if page := findVoices(t, h, query); *page.TotalCount != want {
			t.Errorf("GET /v2/voices?%s finds %d voices, want %d", query, *page.TotalCount, want)
		}
	}
	got := findVoices(t, h, some)
	if want := []voice.ID{all[2].ID, all[5].ID}; !slices.Equal(got.ids(), want) {
		t.Errorf("voice_ids find %v, want %v", got.ids(), want)
	}
	down := findVoices(t, h, "sort=created_at_unix&sort_direction=desc")
	if down.ids()[0] != all[319].ID {
		t.Errorf("descending begins with %s, want %s", down.ids()[0], all[319].ID)
	}
	names := findVoices(t, h, "sort=name&page_size=100")
	if *names.Voices[0].Name > *names.Voices[99].Name {
		t.Errorf("%s stands before %s", *names.Voices[0].Name, *names.Voices[99].Name)
	}
}

func TestVoicePagesRefuse(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	token := findVoices(t, h, "search=male").token(t)
	far := []byte{0, 0, 3, 0xff}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	forged := base64.RawURLEncoding.EncodeToString(append(far, raw[4:]...))
	zero := base64.RawURLEncoding.EncodeToString(append([]byte{0, 0, 0, 0}, raw[4:]...))
	for _, tt := range []struct{ query, param, says string }{
		{"page_size=0", "page_size", `"0" is not a whole number from 1 to 100`},
		{"page_size=101", "page_size", "101"},
		{"page_size=-1", "page_size", "-1"},
		{"page_size=ten", "page_size", "ten"},
		{"page_size=1e1", "page_size", "1e1"},
		{"page_size=99999999999999999999", "page_size", "9999"},
		{"sort=age", "sort", "name, created_at_unix"},
		{"sort_direction=up", "sort_direction", "asc, desc"},
		{"voice_type=other", "voice_type", "personal"},
		{"language=klingonese", "language", `language "klingonese"`},
		{"language=hi&language=xx", "language", "xx"},
		{strings.Repeat("voice_ids=a&", 101), "voice_ids", "101 values; at most 100"},
		{"search=" + strings.Repeat("a+", 501), "search", "1002 bytes; at most 1000"},
		{"accent=" + strings.Repeat("a", 1001), "accent", "1001 bytes"},
		{"next_page_token=x", "next_page_token", `"x"`},
		{"next_page_token=" + token, "next_page_token", "these parameters"},
		{"search=female&next_page_token=" + token, "next_page_token", "these parameters"},
		{"search=male&sort=name&next_page_token=" + token, "next_page_token", "these parameters"},
		{"search=male&voice_type=personal&next_page_token=" + token, "next_page_token", "these parameters"},
		{"search=male&next_page_token=" + token + "A", "next_page_token", "these parameters"},
		{"search=male&next_page_token=" + forged, "next_page_token", "these parameters"},
		{"search=male&next_page_token=" + zero, "next_page_token", "these parameters"},
		{"next_page_token=%00%ff", "next_page_token", "these parameters"},
	} {
		w := do(h, request("GET", "/v2/voices?"+tt.query, "", "xi-api-key", testKey))
		if msg := wantInvalid(t, w, "query", tt.param); !strings.Contains(msg, tt.says) {
			t.Errorf("GET /v2/voices?%s: message %q does not say %q", tt.query, msg, tt.says)
		}
	}
	wantError(t, do(h, request("GET", "/v2/voices", "")), 401, "missing_api_key", "")
	wantError(t, do(h, request("POST", "/v2/voices", "")), 405, "method_not_allowed", "")
	for _, header := range [][]string{{"xi-api-key", testKey}, {"Authorization", "Bearer " + testKey}} {
		for _, path := range []string{"/v2/voices", "/v1/v2/voices"} {
			if w := do(h, request("GET", path, "", header...)); w.Code != 200 || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("GET %s with %v = %d %v", path, header, w.Code, w.Header())
			}
		}
	}
}

// FuzzVoicePages asks for any page: it is a good one, or one is told why not.
func FuzzVoicePages(f *testing.F) {
	for _, seed := range []string{"", "search=a&page_size=3", "next_page_token=AAAACg", "language=hi&language=%ff", "voice_ids=&sort=name", "accent=\x00"} {
		f.Add(seed)
	}
	h := newHandler(f, Config{})
	f.Fuzz(func(t *testing.T, query string) {
		r := request("GET", "/v2/voices", "", "xi-api-key", testKey)
		r.URL.RawQuery = query
		w := do(h, r)
		if w.Code == 422 {
			return
		}
		var page pageRead
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != 200 || page.HasMore == nil {
			t.Errorf("%q is answered with %d %.200s", query, w.Code, w.Body)
			return
		}
		page.token(t)
	})
}
