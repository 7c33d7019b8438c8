package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
)

// TestExports asks for a dataset in the formats of others: as one that is kept, compressed, by its
// id, and where there is none.
func TestExports(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c})
	for name, media := range map[string]string{
		"dcat.jsonld": "application/ld+json", "ro-crate-metadata.json": `application/ld+json; profile="https://w3id.org/ro/crate/1.2"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const at = "/catalogue/datasets/s-03/"
			w := get(t, h, at+name)
			for key, want := range map[string]string{
				"Content-Type": media, "Cache-Control": "public, max-age=60", "Vary": "Accept-Encoding", "Access-Control-Allow-Origin": "*",
				"Link": `<https://x.test/catalogue/datasets/s-03>; rel="describes"; type="text/html"`,
			} {
				if got := w.Header().Get(key); got != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			if w.Code != 200 || !json.Valid(w.Body.Bytes()) || w.Header().Get("Last-Modified") == "" {
				t.Fatalf("%d %v %.200s", w.Code, w.Header(), w.Body)
			}
			r := request("GET", at+name, "")
			r.Header.Set("Accept-Encoding", "gzip")
			zipped := do(h, r)
			z, err := gzip.NewReader(zipped.Body)
			if err != nil {
				t.Fatal(err)
			}
			if plain, _ := io.ReadAll(z); !bytes.Equal(plain, w.Body.Bytes()) || zipped.Header().Get("ETag") == w.Header().Get("ETag") {
				t.Errorf("the compressed document has another content, or the same tag")
			}
			r = request("GET", at+name, "")
			r.Header.Set("If-None-Match", w.Header().Get("ETag"))
			if again := do(h, r); again.Code != 304 {
				t.Errorf("with its tag: %d, want 304", again.Code)
			}
			byID := get(t, h, "/catalogue/datasets/"+third(t, c).ID+"/"+name)
			if got := byID.Header().Get("Location"); byID.Code != 308 || got != at+name {
				t.Errorf("by id: %d to %q", byID.Code, got)
			}
			catalogueFailure(t, get(t, h, "/catalogue/datasets/s-29/"+name), 404) // a draft
			if e := catalogueFailure(t, get(t, h, "/catalogue/datasets/s-3/"+name), 404); len(e.DidYouMean) == 0 {
				t.Errorf("of an unknown slug: %+v", e)
			}
		})
	}
}

// TestCatalogueDCATPages follows the header Link to the next page, which is the last.
func TestCatalogueDCATPages(t *testing.T) {
	t.Parallel()
	m := &cataloguetest.Memory{}
	for i := range 101 { // into the store at once: the catalogue looks at all of it after each change
		d := cataloguetest.Dataset(fmt.Sprintf("set-%03d", i))
		d.ID, d.Status = fmt.Sprint("ds_", i), catalogue.Published
		if _, err := m.PutDataset(t.Context(), catalogue.Stored{Dataset: d}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: "https://x.test"})
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(t, Config{Catalogue: c})
	first := get(t, h, "/catalogue/dcat.jsonld")
	if got := first.Header().Get("Link"); got != `<https://x.test/catalogue/dcat.jsonld?after=set-099>; rel="next"` {
		t.Fatalf("Link of the first page is %q", got)
	}
	last := get(t, h, "/catalogue/dcat.jsonld?after=set-099")
	if body := last.Body.String(); last.Code != 200 || last.Header().Get("Link") != "" || !strings.Contains(body, "set-100#dataset") || strings.Contains(body, "set-099#dataset") {
		t.Errorf("the last page is %d with Link %q: %.300s", last.Code, last.Header().Get("Link"), body)
	}
}

// linked is a catalogue whose files are elsewhere.
type linked struct{ *catalogue.Service }

func (linked) Link(context.Context, string, string) (string, error) {
	return "https://storage.test/file", nil
}

// TestFileElsewhereLeadsBack: a file that is in object storage leads to its dataset, as another does.
func TestFileElsewhereLeadsBack(t *testing.T) {
	t.Parallel()
	const link = `<https://x.test/catalogue/datasets/s-03>; rel="collection"; type="text/html"`
	c := newCatalogue(t)
	for code, h := range map[int]http.Handler{
		200: newHandler(t, Config{Catalogue: c}),
		302: newHandler(t, Config{Catalogue: linked{c}}),
	} {
		if w := get(t, h, "/catalogue/datasets/s-03/recordings.csv"); w.Code != code || w.Header().Get("Link") != link {
			t.Errorf("%d with Link %q, want %d and %s", w.Code, w.Header().Get("Link"), code, link)
		}
	}
}

// TestCatalogueDCAT reads the whole catalogue: it has the datasets of the list.
func TestCatalogueDCAT(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Catalogue: newCatalogue(t)})
	var doc struct {
		Graph []struct {
			Datasets []struct {
				ID string `json:"@id"`
			} `json:"dcat:dataset"`
			Total int `json:"hydra:totalItems"`
		} `json:"@graph"`
	}
	w := get(t, h, "/catalogue/dcat.jsonld")
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != 200 {
		t.Fatalf("%d, %v: %.200s", w.Code, err, w.Body)
	}
	var list struct {
		Datasets []struct{ URL string }
		Count    int
	}
	if err := json.Unmarshal(get(t, h, "/api/catalogue/datasets").Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	want, got := map[string]bool{}, map[string]bool{}
	for _, d := range list.Datasets {
		want[d.URL+"#dataset"] = true
	}
	for _, d := range doc.Graph[0].Datasets {
		got[d.ID] = true
	}
	if diff := cmp.Diff(want, got); diff != "" || doc.Graph[1].Total != list.Count {
		t.Errorf("datasets (-list +DCAT), %d of %d:\n%s", doc.Graph[1].Total, list.Count, diff)
	}
	catalogueFailure(t, get(t, h, "/catalogue/dcat.jsonld?after=%2F"), 400)
	if got := get(t, h, "/catalogue/dcat.jsonld?x=1").Header().Get("X-Ignored-Parameters"); got != "x" {
		t.Errorf("x is ignored, and the header says %q", got)
	}
}
