package enquiry

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// CodeSampleLinkNotFound is the error code of a link that leads to no bundle.
const CodeSampleLinkNotFound = "sample_link_not_found"

// Ticket is the parts of a link to a sample bundle.
type Ticket struct{ ID, Expires, Signature string }

// Offer is what a person sees at such a link before accepting the licence.
type Offer struct {
	Dataset Dataset
	Licence string // the full text
	Files   []catalogue.File
	Left    int // downloads that remain
	Expires time.Time
}

// Offer returns what a link leads to. The error is of kind NotFound, code
// [CodeSampleLinkNotFound], if the link is forged, has expired or is used up, or if its
// dataset is not visible any more.
func (d *Desk) Offer(ctx context.Context, t Ticket) (Offer, error) {
	r, stored, err := d.admit(ctx, t)
	if err != nil {
		return Offer{}, err
	}
	return Offer{
		Dataset: *about(&stored.Dataset), Licence: r.Licence, Files: samples(stored), Left: r.Most - r.Downloads, Expires: r.Expires,
	}, nil
}

// admit checks a link and returns its release and dataset.
func (d *Desk) admit(ctx context.Context, t Ticket) (Release, *catalogue.Stored, error) {
	// The signature is checked before the database is asked, so that guesses cost nothing.
	if d.links == nil || !d.links.Verify(t.Signature, t.ID, t.Expires) {
		return Release{}, nil, noSample()
	}
	until, err := strconv.ParseInt(t.Expires, 10, 64)
	if err != nil || until <= d.cfg.Now().Unix() {
		return Release{}, nil, noSample()
	}
	r, found, err := d.cfg.Records.Release(ctx, t.ID)
	if err != nil {
		return Release{}, nil, err
	}
	if !found || r.Downloads >= r.Most || !r.Expires.After(d.cfg.Now()) { // a purge moves Expires to the past
		return Release{}, nil, noSample()
	}
	stored, err := d.sampled(ctx, r.Dataset)
	if k := fault.KindOf(err); k == fault.NotFound || k == fault.Conflict {
		return Release{}, nil, noSample()
	}
	return r, stored, err
}

func noSample() error {
	return fault.New(fault.NotFound, CodeSampleLinkNotFound, "", "this link leads to no sample (any more): it was changed, has expired or was used up; a reply to the mail that it came with reaches a person")
}

// Bundle counts one download of a link, whose holder has accepted the licence, and returns the
// bundle. Errors are those of Offer.
func (d *Desk) Bundle(ctx context.Context, src Source, t Ticket) (*Bundle, error) {
	r, stored, err := d.admit(ctx, t)
	if err != nil {
		return nil, err
	}
	e := Entry{
		At: d.cfg.Now(), Outcome: OutcomeAccepted, Enquiry: r.Enquiry, State: r.ID, Client: d.keys.clientOf(src.Client), Source: src.kept(), Times: 1,
	}
	// Counted before the first byte is sent, in the same transaction as the acceptance of the
	// licence: a download that breaks off counts.
	taken, err := d.cfg.Records.TakeDownload(ctx, r.ID, e)
	if err == nil && !taken {
		err = noSample()
	}
	if err != nil {
		return nil, err
	}
	return &Bundle{Name: stored.Dataset.Slug + "-sample.zip", licence: r, stored: stored, open: func(name string) (io.ReadCloser, error) {
		c, err := d.cfg.Catalogue.Content(ctx, stored.Dataset.ID, name)
		return c.Body, err
	}}, nil
}

// Bundle is a sample bundle that is about to be downloaded: a ZIP archive of the audio, the
// transcript and the licence.
type Bundle struct {
	Name    string // file name, such as "hi-cc-sample.zip"
	licence Release
	stored  *catalogue.Stored
	open    func(name string) (io.ReadCloser, error)
}

// WriteTo writes the archive, with the files that the dataset has now.
func (b *Bundle) WriteTo(w io.Writer) (int64, error) {
	counted := &counter{w: w}
	z := zip.NewWriter(counted)
	folder := strings.TrimSuffix(b.Name, ".zip") + "/"
	err := b.add(z, folder+"LICENCE.txt", io.NopCloser(strings.NewReader(b.licence.Licence)))
	for _, f := range samples(b.stored) {
		if err != nil {
			break
		}
		var body io.ReadCloser
		if body, err = b.open(f.Name); err == nil {
			err = b.add(z, folder+strings.TrimPrefix(f.Name, "sample/"), body)
		}
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return counted.n, fmt.Errorf("write the bundle of release %s: %w", b.licence.ID, err)
	}
	return counted.n, nil
}

// add adds a file to the archive and closes body. Audio is stored without compression, which
// would hardly make it smaller.
func (b *Bundle) add(z *zip.Writer, name string, body io.ReadCloser) error {
	defer body.Close() // it was only read
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: b.licence.Released.UTC().Truncate(time.Second)}
	if strings.HasSuffix(name, ".wav") || strings.HasSuffix(name, ".flac") || strings.HasSuffix(name, ".mp3") || strings.HasSuffix(name, ".ogg") {
		h.Method = zip.Store
	}
	w, err := z.CreateHeader(h)
	if err == nil {
		_, err = io.Copy(w, body)
	}
	return err
}

// counter counts the bytes that are written to w.
type counter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
