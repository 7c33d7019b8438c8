package check_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/croissant/check"
)

func TestReading(t *testing.T) {
	t.Parallel()
	good := string(encode(newDocument("1.0")))
	for _, tt := range []struct{ name, document, want string }{
		{"nothing", "", "E000"},
		{"space", " \n", "E000"},
		{"words", "hello", "E000"},
		{"half", good[:len(good)/2], "E000"},
		{"two", good + good, "E000"},
		{"trailing comma", strings.Replace(good, `"hi-IN"]`, `"hi-IN",]`, 1), "E000"},
		{"byte order mark", "\ufeff" + good, "E000"},
		{"not UTF-8", strings.Replace(good, "A few calls", "A f\xe9w calls", 1), "E000"},
		{"half a pair", strings.Replace(good, "A few calls", `\ud83d`, 1), "E000 /description"},
		{"a pair", strings.Replace(good, "A few calls", `\ud83d\ude00`, 1), ""},
		{"a name twice", strings.Replace(good, `"license":`, `"license":1,"license":`, 1), "E000 /license,E012b /license"},
		{"deep", strings.Replace(good, `"A few calls."`, strings.Repeat("[", 70)+strings.Repeat("]", 70), 1), "E000 /description" + strings.Repeat("/0", 63) + ",E011 /description"},
		{"array", "[" + good + "]", "E001"},
		{"null", "null", "E001"},
		{"too large", good + strings.Repeat(" ", check.MaxDocument), "E000"},
		{"largest", good + strings.Repeat(" ", check.MaxDocument-len(good)), ""},
		{"too many values", `{"a":[` + strings.Repeat("1,", 200_000) + `1]}`, "E000"},
		{"long names", `{"` + strings.Repeat("a", 2000) + `":1}`, "E000,E001 /@type,E002 /@context"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := check.Validate([]byte(tt.document))
			got := codes(r)
			if tt.name == "long names" { // an empty dataset lacks all
				got = strings.Join(slices.DeleteFunc(strings.Split(got, ","), func(s string) bool {
					return strings.HasPrefix(s, "E01") || strings.HasPrefix(s, "E003") || strings.HasPrefix(s, "W")
				}), ",")
			}
			if got != tt.want {
				t.Errorf("Validate(%s) = %q, want %q\n%+v", tt.name, got, tt.want, r.Errors)
			}
		})
	}
}

// TestFlat checks a document whose objects stand beside each other.
func TestFlat(t *testing.T) {
	t.Parallel()
	d := newDocument("1.0")
	terms := d["@context"]
	delete(d, "@context")
	nodes := []any{d}
	for _, list := range []string{"distribution", "recordSet"} {
		var references []any
		for _, e := range d[list].([]any) {
			nodes = append(nodes, e)
			references = append(references, map[string]any{"@id": e.(map[string]any)["@id"]})
		}
		d[list] = references
	}
	flat := map[string]any{"@context": terms, "@graph": nodes}
	if got := codes(check.Validate(encode(flat))); got != "" {
		t.Errorf("Validate(flat) = %q, want nothing", got)
	}
	edit(t, flat, "/@graph/1/sha256", "")
	edit(t, flat, "/@graph/0/name", "")
	if got, want := codes(check.Validate(encode(flat))), "E010 /@graph/0/name,E024 /@graph/1/sha256"; got != want {
		t.Errorf("Validate(flat) = %q, want %q", got, want)
	}
}

// TestReport checks what a report says besides its findings' codes.
func TestReport(t *testing.T) {
	t.Parallel()
	d := newDocument("1.1")
	edit(t, d, "/distribution/0/contentUrl", "")
	edit(t, d, "/distribution/1/@id", `"the audio"`)
	got := check.Validate(encode(d))
	want := check.Report{
		ConformsTo: "http://mlcommons.org/croissant/1.1",
		Errors: []check.Finding{
			{Code: "E023", Severity: check.Error, Path: "/distribution/0/contentUrl", Node: "calls.csv", Message: `FileObject "calls.csv" has no contentUrl; give the address where it can be fetched, or containedIn when it is inside another file`},
			{Code: "E020", Severity: check.Error, Path: "/distribution/1/@id", Message: `the @id "the audio" holds white space, which no address does; write - or _ in its place, here and where it is named`},
		},
		Warnings: []check.Finding{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Validate: (-want +got)\n%s", diff)
	}
}

func TestMessagesQuoteLittle(t *testing.T) {
	t.Parallel()
	d := newDocument("1.0")
	d["datePublished"] = "\u202e\x00" + strings.Repeat("x", 10_000)
	edit(t, d, "/distribution/1/@type", `"`+strings.Repeat("y", 10_000)+`"`)
	for _, f := range check.Validate(encode(d)).Errors {
		if len(f.Message) > 600 || strings.ContainsAny(f.Message, "\u202e\x00\n") {
			t.Errorf("Validate: message of %s has %d bytes: %.300q", f.Code, len(f.Message), f.Message)
		}
	}
}

func TestManyFindings(t *testing.T) {
	t.Parallel()
	d := newDocument("1.0")
	files := d["distribution"].([]any)
	for i := range 3000 {
		files = append(files, map[string]any{"@type": "cr:FileSet", "@id": fmt.Sprint("f", i), "name": "f"})
	}
	d["distribution"] = files
	r := check.Validate(encode(d))
	if r.Valid || len(r.Errors) != check.MaxFindings || r.Omitted != 5000 {
		t.Errorf("Validate: valid %v, %d errors, %d omitted; want false, %d, 5000", r.Valid, len(r.Errors), r.Omitted, check.MaxFindings)
	}
}

// TestNothingIsFetched gives contexts that a reader might open, and watches both
// the network and a file that answers in their place.
func TestNothingIsFetched(t *testing.T) {
	good := newDocument("1.0")
	terms := map[string]any{"@context": good["@context"]}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("local.json", encode(terms), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			_ = c.Close() // nothing is ever said to it
		}
	}()
	address := "http://" + l.Addr().String() + "/context.json"
	for _, place := range []string{"local.json", "./local.json", "file:local.json", address} {
		for _, c := range []change{
			{"/@context", `"` + place + `"`},
			{"/@context", `["` + place + `"]`},
			{"/@context/@import", `"` + place + `"`},
			{"/@context/sc", `{"@id": "https://schema.org/", "@context": "` + place + `"}`},
			{"/@context/@base", `"` + place + `"`},
			{"/creator/@context", `"` + place + `"`},
			{"/creator/@context", `["` + place + `", {"@import": "` + place + `"}]`},
		} {
			d := newDocument("1.0")
			edit(t, d, c.pointer, c.json)
			r := check.Validate(encode(d))
			if got := codes(r); !strings.Contains(got, "E002") && c.pointer != "/@context/@base" {
				t.Errorf("Validate(%s = %s) = %q, want E002", c.pointer, c.json, got)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the listener does not end")
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("Validate connected %d times, want never", n)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	document := large()
	bad := bytes.ReplaceAll(document, []byte("sc:Integer"), []byte("sc:Number"))
	want := check.Validate(bad)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 3 {
				if r := check.Validate(document); !r.Valid {
					t.Errorf("Validate(large) = %+v", r.Errors)
				}
				if diff := cmp.Diff(want, check.Validate(bad)); diff != "" {
					t.Errorf("Validate: (-alone +together)\n%s", diff)
				}
			}
		})
	}
	wg.Wait()
}

func TestRulesTable(t *testing.T) {
	t.Parallel()
	rules := check.Rules()
	if !slices.IsSortedFunc(rules, func(a, b check.Rule) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("Rules() is not in the order of the codes")
	}
	for i, r := range rules {
		if r.Title == "" || r.Mend == "" || r.Origin == "" || i > 0 && r.Code == rules[i-1].Code {
			t.Errorf("Rules()[%d] = %+v, want a code of its own and all texts", i, r)
		}
	}
}
