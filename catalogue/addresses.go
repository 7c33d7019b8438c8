package catalogue

import (
	"net/url"
	"slices"
	"strings"
)

// addresses makes the addresses of datasets and their files.
type addresses struct{ base string }

func (a addresses) page(slug string) string      { return a.base + "/catalogue/datasets/" + slug }
func (a addresses) record(slug string) string    { return a.base + "/api/catalogue/datasets/" + slug }
func (a addresses) croissant(slug string) string { return a.page(slug) + "/croissant.json" }

// file returns the address of a file. It contains a part of the digest, so caches may keep the
// file for ever.
func (a addresses) file(slug string, f File) string {
	segments := strings.Split(f.Name, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return a.page(slug) + "/" + strings.Join(segments, "/") + "?v=" + FileVersion(f)
}

// FileVersion returns the parameter v in the address of a file: the beginning of its digest.
func FileVersion(f File) string { return f.SHA256[:min(len(f.SHA256), 12)] }

// brief sets the addresses in a row of the list.
func (a addresses) brief(b *Brief) {
	b.URL, b.Record, b.Croissant = a.page(b.Slug), a.record(b.Slug), a.croissant(b.Slug)
}

// fill sets the addresses in a record.
func (a addresses) fill(s *Stored) {
	d := &s.Dataset
	d.URL, d.Record, d.Croissant = a.page(d.Slug), a.record(d.Slug), a.croissant(d.Slug)
	byName := make(map[string]string, len(s.Files))
	s.Files = slices.Clone(s.Files)
	for i := range s.Files {
		f := &s.Files[i]
		f.URL = a.file(d.Slug, *f)
		byName[f.Name] = f.URL
	}
	d.Manifest = byName[ManifestFile]
	if d.Sample == nil {
		return
	}
	sample := *d.Sample // copied, because the caller may share it
	sample.Streams = slices.Clone(sample.Streams)
	if sample.Transcript != nil {
		t := *sample.Transcript
		sample.Transcript = &t
	}
	d.Sample = &sample
	d.Sample.URL = byName[d.Sample.URL]
	for i := range d.Sample.Streams {
		d.Sample.Streams[i].URL = byName[d.Sample.Streams[i].URL]
	}
	if t := d.Sample.Transcript; t != nil {
		t.URL = byName[t.URL]
	}
}
