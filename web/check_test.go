package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"vaak/croissant/check"
	"vaak/croissant/publish"
	"vaak/internal/seal"
	"vaak/web"
)

// withReports returns the pages with reports and badges.
func withReports(t testing.TB) *web.Handler {
	t.Helper()
	cfg, l := config(), shelves()
	cfg.Catalogue, cfg.Croissant = l, publish.New(l, origin)
	cfg.Reports = seal.New(bytes.Repeat([]byte{7}, 32)).For("test")
	h, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// send sends a form with two fields, as a browser does.
func send(t testing.TB, h http.Handler, document, file string) *httptest.ResponseRecorder {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "croissant.json")
	if err == nil {
		_, err = part.Write([]byte(file))
	}
	if err == nil {
		err = form.WriteField("document", document)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/croissant", &b)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var (
	reportLink = regexp.MustCompile(`/croissant/reports/([A-Za-z0-9_.-]+)`)
	ruleLink   = regexp.MustCompile(`/croissant/rules/([A-Z0-9a-z]+)`)
)

// TestCheckPage checks a document by the form, and follows the links of the report: to the page of
// each rule, to the report for others and to its badge.
func TestCheckPage(t *testing.T) {
	t.Parallel()
	h := withReports(t)
	good, err := os.ReadFile("../croissant/check/testdata/good/nothing-missing-1.1.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ document, file, verdict, rule string }{
		"valid, a file":   {"ignored", string(good), "Croissant 1.1: valid", ""},
		"invalid, a text": {`{"@id": "</code><script>alert(1)</script>"}`, "", "error", "E001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := send(t, h, tt.document, tt.file)
			body := w.Body.String()
			if w.Code != 200 || !strings.Contains(body, tt.verdict) || w.Header().Get("Cache-Control") != "no-store" {
				t.Fatalf("%d %v\n%s", w.Code, w.Header(), body)
			}
			checkMarkup(t, body)
			for _, m := range ruleLink.FindAllStringSubmatch(body, -1) {
				if page := get(t, h, m[0]); page.Code != 200 || !strings.Contains(page.Body.String(), "Rule "+m[1]) {
					t.Errorf("%s is %d", m[0], page.Code)
				}
			}
			if tt.rule != "" && !strings.Contains(body, "/croissant/rules/"+tt.rule) {
				t.Errorf("the report does not lead to rule %s", tt.rule)
			}
			token := reportLink.FindStringSubmatch(body)
			if token == nil {
				t.Fatal("the report has no link for others")
			}
			shown := get(t, h, token[0])
			if shown.Code != 200 || !strings.Contains(shown.Body.String(), tt.verdict) || shown.Header().Get("X-Robots-Tag") != "noindex" {
				t.Errorf("the report for others is %d: %s", shown.Code, shown.Body)
			}
			checkMarkup(t, shown.Body.String())
			picture := get(t, h, "/croissant/badges/"+token[1]+".svg")
			if picture.Code != 200 || picture.Header().Get("Content-Type") != "image/svg+xml" || !strings.Contains(picture.Body.String(), tt.verdict) {
				t.Errorf("the badge is %d %v: %s", picture.Code, picture.Header(), picture.Body)
			}
			for _, path := range []string{"/croissant/reports/" + token[1] + "x", "/croissant/badges/" + token[1], "/croissant/badges/x.svg", "/croissant/rules/E999"} {
				if w := get(t, h, path); w.Code != 404 {
					t.Errorf("%s is %d, want 404", path, w.Code)
				}
			}
		})
	}
}

// TestPastedText: browsers end the lines of a text with CR LF. The digest is that of a file with LF,
// and both reports say that it is of pasted text.
func TestPastedText(t *testing.T) {
	t.Parallel()
	h := withReports(t)
	const file = "{\n \"@id\": 1\n}\n"
	sum := sha256.Sum256([]byte(file))
	digest := hex.EncodeToString(sum[:])
	for name, tt := range map[string]struct {
		w      *httptest.ResponseRecorder
		pasted bool
	}{
		"pasted": {send(t, h, strings.ReplaceAll(file, "\n", "\r\n"), ""), true},
		"chosen": {send(t, h, "", file), false},
	} {
		body := tt.w.Body.String()
		for _, page := range []string{body, get(t, h, reportLink.FindString(body)).Body.String()} {
			if !strings.Contains(page, digest) || strings.Contains(page, "SHA-256 of the pasted text") != tt.pasted {
				t.Errorf("%s: the report lacks the digest %s, or does not say of what it is:\n%s", name, digest, page)
			}
		}
	}
}

// TestManyFindings: the page says how many findings it does not show.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	h := withReports(t)
	document := `{"@type":"sc:Dataset","distribution":[` + strings.Repeat(`{"@type":"cr:FileObject"},`, 80) + `{}]}`
	report := check.Validate([]byte(document))
	if len(report.Errors) <= 200 || report.Omitted > 0 {
		t.Fatalf("the document has %d errors and %d omitted, want more than the page has, and none omitted", len(report.Errors), report.Omitted)
	}
	body := send(t, h, "", document).Body.String()
	shown := strings.Count(body, `<tr><th scope="row">`)
	if all := len(report.Errors) + len(report.Warnings); !strings.Contains(body, fmt.Sprintf("And %d more findings", all-shown)) || shown < 200 {
		t.Errorf("of %d findings the page has %d and does not say so", all, shown)
	}
}

// TestCheckFormIsBounded sends forms that are empty, too large, cut off and no forms.
func TestCheckFormIsBounded(t *testing.T) {
	t.Parallel()
	h := withReports(t)
	post := func(kind, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/croissant", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for name, tt := range map[string]struct {
		w    *httptest.ResponseRecorder
		want int
	}{
		"empty":     {send(t, h, " \n", ""), 400},
		"too large": {send(t, h, "", strings.Repeat("a", check.MaxDocument+200<<10)), 200}, // read up to what the report refuses
		"two large": {send(t, h, strings.Repeat("a", 2*check.MaxDocument), ""), 413},
		"cut off":   {post("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"document\"\r\n\r\n{"), 400},
		"no form":   {post("application/json", "{}"), 400},
		"fields":    {post("multipart/form-data; boundary=x", strings.Repeat("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n", 1000)+"--x--"), 400},
	} {
		if tt.w.Code != tt.want {
			t.Errorf("%s: %d, want %d: %.300s", name, tt.w.Code, tt.want, tt.w.Body)
		}
		checkMarkup(t, tt.w.Body.String())
	}
}

// TestRulePages: each rule has a page, which the list leads to.
func TestRulePages(t *testing.T) {
	t.Parallel()
	h := withReports(t)
	list := get(t, h, "/croissant/rules").Body.String()
	checkMarkup(t, list)
	for _, rule := range check.Rules() {
		if !strings.Contains(list, `href="/croissant/rules/`+rule.Code+`"`) {
			t.Errorf("the list lacks %s", rule.Code)
		}
		page := get(t, h, "/croissant/rules/"+rule.Code)
		checkMarkup(t, page.Body.String())
		if page.Code != 200 || len(texts(elements(t, page.Body.String()), "h2")) == 0 {
			t.Errorf("the page of %s is %d", rule.Code, page.Code)
		}
	}
	without := withCatalogue(t, shelves())
	body := send(t, without, "{}", "").Body.String()
	if strings.Contains(body, "/croissant/badges/") || get(t, without, "/croissant/badges/a.svg").Code != 404 {
		t.Error("without a signer there are badges")
	}
}
