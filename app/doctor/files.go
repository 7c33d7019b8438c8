package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"vaak/app/deployment"
	"vaak/internal/checkup"
	"vaak/store/files/bucket"
)

const (
	// filesLimit is enough for some tries of requests to a storage that is overloaded.
	filesLimit = 20 * time.Second
	// storageTolerance is the difference of clocks that is warned of. Object storage refuses
	// requests whose time is 15 minutes off.
	storageTolerance = time.Minute
)

// files looks where the files of datasets are. In object storage it writes, reads and deletes small
// objects, which no server takes for a file, a clip or a preview; it changes nothing else.
func (p *Patient) files(ctx context.Context) checkup.Finding {
	place := cmp.Or(p.Place.Objects, p.Place.In(deployment.Files))
	if !deployment.InBucket(place) {
		if p.Place.ObjectLinks {
			return checkup.Warn("Leave --object-links out, or name object storage with --objects.", "%s is a directory, to which there are no links", place)
		}
		above := existing(place)
		if err := mayWrite(above); err != nil {
			return checkup.Fail(ownerRemedy, "%s cannot be written: %v", above, err)
		}
		return checkup.Good("%s", place)
	}
	b, err := bucket.Open(bucket.Config{URL: place, Stall: 5 * time.Second})
	if err != nil {
		return checkup.Fail("Give --objects as s3://BUCKET/PREFIX?endpoint=URL&region=NAME.", "%v", err)
	}
	defer b.Close()
	began := time.Now()
	ahead, err := b.Try(ctx)
	if err != nil {
		return checkup.Fail("See that the storage runs and can be reached from here, that the bucket exists, and that AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY may read, write, list and delete in it.", "%v", err)
	}
	found := checkup.Good("%s: an object was written, read and deleted in %.0f ms", place, float64(time.Since(began).Microseconds())/1000)
	for _, name := range []string{deployment.Clips, deployment.Previews} {
		if err := b.Named(name, 0).Try(ctx, nil); err != nil {
			return checkup.Fail("Allow the credentials to read, write, list and delete below the whole prefix.", "below %s: %v", name, err)
		}
	}
	if p.Place.ObjectLinks {
		if err := b.Named(deployment.Clips, 0).Try(ctx, func(link, content string) error { return follow(ctx, link, content) }); err != nil {
			found = checkup.Worst(found, checkup.Warn("Leave --object-links out, unless clients can reach the endpoint under the name in the address.", "a link to the storage does not work from here: %v", err))
		}
	}
	if b.Versioned(ctx) {
		found = checkup.Worst(found, checkup.Warn("Let old versions expire after a day, or turn versioning off.", "the bucket keeps versions: what is deleted goes on taking room"))
	}
	if ahead.Abs() > storageTolerance {
		return checkup.Worst(found, checkup.Warn("Set both clocks right with a time service.", "the clock of the storage and this machine's are %v apart", ahead.Abs().Round(time.Second)))
	}
	return found
}

// follow reads what a link leads to, as a client does: without credentials.
func follow(ctx context.Context, link, content string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}, Timeout: 5 * time.Second}
	r, err := client.Do(req)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // without the link, which opens the object
		}
		return err
	}
	defer r.Body.Close() // read only
	text, err := io.ReadAll(io.LimitReader(r.Body, 64))
	if err == nil && (r.StatusCode != http.StatusOK || string(text) != content) {
		err = fmt.Errorf("it gives %s and other content", r.Status)
	}
	return err
}
