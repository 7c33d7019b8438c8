package bucket

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/minio/minio-go/v7"

	"vaak/internal/pause"
	"vaak/store/files"
)

// MaxBytes is the size of the largest file: the protocol takes no more in one request, and
// only one request is all or nothing.
const MaxBytes = 5 << 30

// putTries is how often a file is sent that a sweep has removed meanwhile.
const putTries = 5

// Put stores what r returns; see [files.Store]. It first writes it to a file of the spool, since
// its name is its digest. The storage gets the digest with the content and refuses a content
// that has another.
func (b *Bucket) Put(ctx context.Context, r io.Reader) (key string, size int64, digest string, err error) {
	part, err := b.nameless()
	if err != nil {
		return "", 0, "", err
	}
	defer part.Close() // nothing is kept in it
	if size, digest, err = files.Copy(ctx, part, r); err != nil {
		return "", 0, "", err
	}
	if size > MaxBytes {
		return "", 0, "", fmt.Errorf("a file in object storage has at most %d bytes, not %d", int64(MaxBytes), size)
	}
	key = "sha256/" + digest
	for range putTries {
		if err := b.send(ctx, key, part, size, digest); err != nil {
			return "", 0, "", err
		}
		if there, err := b.settled(ctx, key, size); err != nil {
			return "", 0, "", err
		} else if there {
			return key, size, digest, nil
		}
	}
	return "", 0, "", fmt.Errorf("put file %s: sweeps have removed it %d times", key, putTries)
}

// nameless returns a file of the spool without a name, which is gone when it is closed, also by
// the end of the process.
func (b *Bucket) nameless() (*os.File, error) {
	f, err := os.CreateTemp(b.spool, "vaak-put-*")
	if err != nil {
		return nil, fmt.Errorf("begin a file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("begin a file: %w", err), f.Close())
	}
	return f, nil
}

// send sends a file in one request.
func (b *Bucket) send(ctx context.Context, key string, part io.ReaderAt, size int64, digest string) error {
	name, _ := b.object(key) // a key of Put
	sum, err := hex.DecodeString(digest)
	if err != nil {
		return err
	}
	return b.write(ctx, name, part, size, minio.PutObjectOptions{
		ContentType:  "application/octet-stream",
		UserMetadata: map[string]string{"X-Amz-Checksum-Sha256": base64.StdEncoding.EncodeToString(sum)},
	})
}

// write writes an object in one request, and tries again after a failure that may be over soon.
func (b *Bucket) write(ctx context.Context, name string, part io.ReaderAt, size int64, opts minio.PutObjectOptions) error {
	opts.DisableMultipart = true
	// The protocol signs a body in chunks, and some servers leave the chunk that says that there
	// is none to be taken for the next request.
	opts.DisableContentSha256 = size == 0
	return b.failed(ctx, b.retry(ctx, func() error {
		_, err := b.core.Client.PutObject(ctx, b.at.Bucket, name, body(part, size), size, opts)
		return err
	}), "write "+name)
}

// body returns a reader for one attempt to send a part. An answer may come before the transport
// has read the body, and it reads on. So each attempt has a reader of its own, without Seek: with
// it the client would rewind the one that is still read.
func body(part io.ReaderAt, size int64) io.Reader {
	return struct{ io.Reader }{io.NewSectionReader(part, 0, size)}
}

// retry does something until it works, for errors that may be over soon. It returns the last.
func (b *Bucket) retry(ctx context.Context, do func() error) error {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = 100*time.Millisecond, time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && !passing(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithMaxTries(uint(b.tries)), backoff.WithBackOff(waits))
	if permanent, ok := errors.AsType[*backoff.PermanentError](err); ok { // of the last try
		err = permanent.Unwrap()
	}
	return err
}

// passing reports whether a request that failed may work soon: no answer came, the storage is
// overloaded, or another request writes the same object or, on a server that keeps objects as
// files, removes the directory above it.
func passing(err error) bool {
	answer := minio.ToErrorResponse(err)
	switch answer.StatusCode {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return answer.StatusCode >= http.StatusInternalServerError || answer.Code == "RequestTimeout"
}

// Object storage has no locks, so a sweep announces what it is about to remove. It
//
//  1. writes condemned-KEY-RANDOM,
//  2. looks whether the file is still old, and if so
//  3. removes it, and then
//  4. removes what it wrote.
//
// One who puts a file looks, after it is there, for condemned-KEY-*, and when there is none for
// the file. If the file was put before step 2, the sweep sees that it is young. If it was put
// after step 2, either condemned-KEY-* is still there, or step 3 is over and the second look tells
// whether the file went. A sweep gives step 3 up condemnedFor after step 1, so that the
// announcement of one that was killed means nothing after that.
const (
	condemned    = "condemned-" // begins names; a directory would come and go on some servers
	condemnedFor = time.Minute
	// condemnedWait is the pause between two looks at an announcement.
	condemnedWait = 50 * time.Millisecond
)

// announced begins the names of the announcements of a key, below the prefix. Each sweep has its
// own, so that none takes away that of another.
func announced(key string) string { return condemned + strings.TrimPrefix(key, "sha256/") + "-" }

// settled reports whether a file that was just put is there and stays. It waits for a sweep that
// may be about to remove it.
func (b *Bucket) settled(ctx context.Context, key string, size int64) (bool, error) {
	// Ages are measured here, so that the clock of the storage does not matter.
	began := time.Now()
	for {
		var found []string
		if err := b.list(ctx, announced(key), func(o minio.ObjectInfo) error {
			found = append(found, o.Key)
			return nil
		}); err != nil {
			return false, err
		}
		if len(found) == 0 {
			break
		}
		if time.Since(began) > 2*condemnedFor { // their sweeps were killed
			for _, name := range found {
				if err := b.remove(ctx, name); err != nil {
					return false, err
				}
			}
			break
		}
		if err := pause.For(ctx, condemnedWait); err != nil {
			return false, err
		}
	}
	info, err := b.Stat(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && info.Size != size {
		err = fmt.Errorf("put file %s: the object storage keeps %d bytes of %d", key, info.Size, size)
	}
	return err == nil, err
}

const (
	holds = "hold-"
	// holdFor is how long a hold counts whose process was killed.
	holdFor = 24 * time.Hour
	probes  = "probe-"
)

// Hold keeps every process from sweeping files until release is called, for 24 hours at most;
// see [files.Store]. A sweep that is about to remove a file finishes with that one.
func (b *Bucket) Hold(ctx context.Context) (release func() error, err error) {
	name := b.at.Prefix + holds + rand.Text()
	if _, err := b.note(ctx, name); err != nil {
		return nil, fmt.Errorf("hold files: %w", err)
	}
	// The release must also work when the context of the caller has ended.
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.stall)
		defer cancel()
		return b.remove(ctx, name)
	}, nil
}

// note writes a small object, and returns when it was written by the clock of the storage.
func (b *Bucket) note(ctx context.Context, name string) (time.Time, error) {
	if err := b.write(ctx, name, strings.NewReader("vaak"), 4, minio.PutObjectOptions{}); err != nil {
		return time.Time{}, err
	}
	info, err := b.core.StatObject(ctx, b.at.Bucket, name, minio.StatObjectOptions{})
	return info.LastModified, b.failed(ctx, err, "look for "+name)
}

// Try writes a small object, reads it back and deletes it. It returns how far the clock of the
// storage is ahead of this machine's, to a second or so.
func (b *Bucket) Try(ctx context.Context) (ahead time.Duration, err error) {
	name := b.at.Prefix + probes + rand.Text()
	at, err := b.note(ctx, name)
	if err != nil {
		return 0, err
	}
	ahead = time.Until(at)
	body, _, _, err := b.core.GetObject(ctx, b.at.Bucket, name, minio.GetObjectOptions{})
	if err != nil {
		return 0, errors.Join(b.failed(ctx, err, "read "+name), b.remove(ctx, name))
	}
	text, err := io.ReadAll(io.LimitReader(body, 16))
	err = errors.Join(b.failed(ctx, err, "read "+name), body.Close())
	if err == nil && string(text) != "vaak" {
		err = fmt.Errorf("read %s: it is not what was written", name)
	}
	return ahead, errors.Join(err, b.remove(ctx, name))
}

// Versioned reports whether the bucket keeps old versions of objects, so that what is deleted goes
// on taking room. It is false also where the storage does not tell.
func (b *Bucket) Versioned(ctx context.Context) bool {
	v, err := b.core.GetBucketVersioning(ctx, b.at.Bucket)
	return err == nil && v.Enabled()
}

// Sweep removes old files that keep does not want; see [files.Dir.Sweep]. Ages are those of
// the clock of the storage.
func (b *Bucket) Sweep(ctx context.Context, keep func(key string) bool, olderThan time.Duration) (removed int, err error) {
	probe := b.at.Prefix + probes + rand.Text()
	now, err := b.note(ctx, probe)
	if err != nil {
		return 0, fmt.Errorf("sweep files: %w", err)
	}
	if err := b.remove(ctx, probe); err != nil {
		return 0, fmt.Errorf("sweep files: %w", err)
	}
	before := now.Add(-olderThan)
	err = b.Each(ctx, func(f files.Info) error {
		if f.Modified.After(before) || keep(f.Key) {
			return nil
		}
		// Asked before each, as a directory does: a hold that began meanwhile counts.
		if held, err := b.held(ctx, now); err != nil {
			return err
		} else if held {
			return errHeld
		}
		gone, err := b.condemn(ctx, f.Key, before)
		if gone {
			removed++
		}
		return err
	})
	if errors.Is(err, errHeld) { // the next sweep goes on
		return removed, nil
	}
	if err != nil {
		return removed, fmt.Errorf("sweep files: %w", err)
	}
	return removed, b.tidy(ctx, now)
}

var errHeld = errors.New("files are held")

// held reports whether somebody holds the files.
func (b *Bucket) held(ctx context.Context, now time.Time) (held bool, err error) {
	err = b.list(ctx, holds, func(o minio.ObjectInfo) error {
		held = held || now.Sub(o.LastModified) < holdFor
		return nil
	})
	return held, err
}

// condemn removes a file if it is still old; see condemned.
func (b *Bucket) condemn(ctx context.Context, key string, before time.Time) (gone bool, err error) {
	note := b.at.Prefix + announced(key) + rand.Text()
	name, _ := b.object(key) // a key that Each has found
	limited, cancel := context.WithTimeout(ctx, condemnedFor)
	defer cancel()
	if _, err := b.note(limited, note); err != nil {
		return false, err
	}
	info, err := b.Stat(limited, key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil && !info.Modified.After(before):
		err = b.remove(limited, name)
		gone = err == nil
	}
	// Also when the time is up: nobody then waits for it in vain.
	return gone, errors.Join(err, b.remove(context.WithoutCancel(ctx), note))
}

// tidy removes what killed processes have left: old holds, announcements and probes.
func (b *Bucket) tidy(ctx context.Context, now time.Time) error {
	for _, dir := range []string{holds, condemned, probes} {
		if err := b.list(ctx, dir, func(o minio.ObjectInfo) error {
			if now.Sub(o.LastModified) < holdFor {
				return nil
			}
			return b.remove(ctx, o.Key)
		}); err != nil {
			return err
		}
	}
	return nil
}
