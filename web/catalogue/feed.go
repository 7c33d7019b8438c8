package catalogue

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/export/feed"
	"vaak/internal/fault"
	"vaak/web/site"
)

// FeedPath is where the Atom feed of new and changed datasets is.
const FeedPath = "/catalogue/feed.atom"

// feedEntries is how many datasets a page of the feed has.
const feedEntries = 50

// serveFeed answers with a page of the feed: the first one, or that after the dataset which
// the parameter "before" names.
func (s *pages) serveFeed(w http.ResponseWriter, r *http.Request) {
	before := site.Value(r.URL.Query(), "before")
	after, ok := readFeedCursor(before)
	if !ok {
		s.SendTrouble(w, r, http.StatusBadRequest, site.Trouble{Heading: "There is no such page of the feed", Words: "The link “next” of a page leads to the one after it; the first is at " + FeedPath + "."})
		return
	}
	changes := s.reader.Changes()
	memory := s.feed
	if before != "" {
		memory = nil // there are as many of these pages as somebody thinks up
	}
	s.serveMade(w, r, memory, keptKey{changes.Tag(), FeedPath + "?" + before}, func(ctx context.Context) (*site.Document, error) {
		return s.newFeed(ctx, changes, before, after)
	})
}

func (s *pages) newFeed(ctx context.Context, changes *catalogue.Changes, before string, after catalogue.Change) (*site.Document, error) {
	first := s.PublicURL() + FeedPath
	p := feed.Page{Base: s.PublicURL(), Self: first, First: first, Catalogue: s.PublicURL() + site.ListPath, Updated: time.Unix(0, 0), Version: s.Version()}
	if before != "" {
		p.Self = feedPage(first, before)
	}
	// Also when the newest dataset has left the list: a reader that asks by the time must learn it.
	if last := changes.Modified(); !last.IsZero() {
		p.Updated = last
	}
	// One more tells whether there is a next page.
	some := changes.Newest(after, feedEntries+1)
	if len(some) > feedEntries {
		some = some[:feedEntries]
		p.Next = feedPage(first, feedCursor(some[feedEntries-1]))
	}
	for _, c := range some {
		d, err := s.reader.Filed(ctx, c.Slug)
		if fault.KindOf(err) == fault.NotFound {
			continue // gone since
		}
		if err != nil {
			return nil, fmt.Errorf("read dataset %s for the feed: %w", c.Slug, err)
		}
		p.Datasets = append(p.Datasets, d)
	}
	body, err := feed.Write(p)
	if err != nil {
		return nil, err
	}
	d := site.NewDocument(feed.ContentType, site.FilePolicy, body).Compress()
	d.Cache, d.Modified = site.Cache, changes.Modified()
	return d, nil
}

func feedPage(first, before string) string { return first + "?before=" + url.QueryEscape(before) }

// feedCursor names a place in the feed: the time of a change and the dataset. So a page stays
// right while other datasets change.
func feedCursor(c catalogue.Change) string {
	return strconv.FormatInt(c.Modified.Unix(), 10) + "." + c.Slug
}

func readFeedCursor(s string) (catalogue.Change, bool) {
	if s == "" {
		return catalogue.Change{}, true
	}
	seconds, slug, ok := strings.Cut(s, ".")
	n, err := strconv.ParseInt(seconds, 10, 40)
	c := catalogue.Change{Slug: slug, Modified: time.Unix(n, 0).UTC()}
	// A page has one address: "+1.a" and "01.a" are not taken for "1.a".
	return c, ok && err == nil && n >= 0 && catalogue.IsSlug(slug) && feedCursor(c) == s
}
