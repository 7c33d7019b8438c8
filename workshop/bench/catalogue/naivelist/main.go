// Command naivelist is the shortest catalogue server that filters and searches:
// it goes through all lines and writes those of the page as JSON. At /static it
// answers with so many bytes, which is the least that an answer can cost. The
// benchmark compares with both.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

type line struct {
	ID           string   `json:"id"`
	Slug         string   `json:"slug"`
	Title        string   `json:"title"`
	Language     string   `json:"language"`
	BCP47        string   `json:"bcp47"`
	Hours        float64  `json:"hours"`
	Channels     *string  `json:"channels"`
	Collection   *string  `json:"collection,omitempty"`
	Domain       *string  `json:"domain,omitempty"`
	Transcribed  bool     `json:"transcribed"`
	HasSample    bool     `json:"hasSample"`
	EnglishShare *float64 `json:"englishShare"`
	URL          string   `json:"url"`
	Record       string   `json:"record"`
	Croissant    string   `json:"croissant"`
}

func main() {
	var all []line // in the order of the list
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	http.HandleFunc("GET /static", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.FormValue("bytes"))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(n))
		_, _ = w.Write(text[:n])
	})
	http.HandleFunc("GET /api/catalogue/datasets", func(w http.ResponseWriter, r *http.Request) {
		limit, _ := strconv.Atoi(r.FormValue("limit"))
		least, _ := strconv.ParseFloat(r.FormValue("min_hours"), 64)
		terms := strings.Fields(strings.ToLower(r.FormValue("q")))
		var page struct {
			Count      int     `json:"count"`
			TotalHours float64 `json:"totalHours"`
			Datasets   []line  `json:"datasets"`
		}
		for _, l := range all {
			if !matches(l, terms, r.FormValue("language"), r.FormValue("channels"), least) {
				continue
			}
			page.Count++
			page.TotalHours += l.Hours
			if len(page.Datasets) < limit {
				page.Datasets = append(page.Datasets, l)
			}
		}
		body, _ := json.Marshal(page)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
	fmt.Printf("ready public=http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

// matches reports whether a line is on the list.
func matches(l line, terms []string, language, channels string, least float64) bool {
	if language != "" && l.BCP47 != language || channels != "" && (l.Channels == nil || *l.Channels != channels) || l.Hours < least {
		return false
	}
	domain := ""
	if l.Domain != nil {
		domain = *l.Domain
	}
	text := strings.ToLower(l.Title + " " + l.Language + " " + domain + " " + l.ID)
	for _, t := range terms {
		if !strings.Contains(text, t) {
			return false
		}
	}
	return true
}
