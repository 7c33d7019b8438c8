package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"

	"vaak/store/files"
)

// Open opens the file with a key; see [files.Store]. Nothing is read before the first Read, and
// then the rest of the file is asked for in one request, from where the reader is. A request
// that breaks off, or stalls, is made again from there.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	info, err := b.Stat(ctx, key)
	if err != nil {
		return nil, err
	}
	name, _ := b.object(key) // Stat has found it
	return files.Checked(&object{bucket: b, ctx: ctx, key: key, name: name, size: info.Size}, key, info.Size), nil
}

// object reads an object. It is for one goroutine.
type object struct {
	bucket    *Bucket
	ctx       context.Context // of the caller of Open, for whom it is read
	key, name string          // the key is for messages
	size      int64
	etag      string // of the object that is read; "" where all that have the name are the same

	at     int64
	body   io.ReadCloser // from at on; nil if nothing is asked for
	cancel context.CancelFunc
}

// Read reads on.
func (o *object) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	var last error
	for range o.bucket.tries {
		if o.at >= o.size {
			return 0, io.EOF
		}
		n, err := o.some(p)
		o.at += int64(n)
		if n > 0 {
			if err != nil {
				o.stop() // the next Read finds out whether the error lasts
			}
			return n, nil
		}
		o.stop()
		if o.ctx.Err() != nil {
			return 0, fmt.Errorf("read file %s: %w", o.key, context.Cause(o.ctx))
		}
		if last = err; err == nil || errors.Is(err, io.EOF) {
			last = io.ErrUnexpectedEOF // it ended before its size
		}
	}
	return 0, o.bucket.failed(o.ctx, last, "read file "+o.key)
}

// some reads some bytes within the time for a stall.
func (o *object) some(p []byte) (int, error) {
	if o.body == nil {
		if err := o.ask(); err != nil {
			return 0, err
		}
	}
	// Cancelling is what ends a read of a body that does not come.
	watch := time.AfterFunc(o.bucket.stall, o.cancel)
	defer watch.Stop()
	return o.body.Read(p[:min(int64(len(p)), o.size-o.at)])
}

// ask asks for the rest of the object.
func (o *object) ask() error {
	ctx, cancel := context.WithCancel(o.ctx)
	var opts minio.GetObjectOptions
	var err error
	if o.at > 0 {
		err = opts.SetRange(o.at, 0)
	}
	if o.etag != "" {
		err = errors.Join(err, opts.SetMatchETag(o.etag))
	}
	if err != nil {
		cancel()
		return err
	}
	body, _, _, err := o.bucket.core.GetObject(ctx, o.bucket.at.Bucket, o.name, opts)
	if err != nil {
		cancel()
		return err
	}
	o.body, o.cancel = body, cancel
	return nil
}

// stop gives up what is asked for.
func (o *object) stop() {
	if o.body != nil {
		o.cancel()
		_ = o.body.Close() // what it says of an unread remainder does not matter
		o.body = nil
	}
}

// Seek moves to where the next Read begins. It asks the storage nothing.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	case io.SeekStart:
	default:
		return 0, fmt.Errorf("seek in file %s: whence is %d", o.key, whence)
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek in file %s: offset %d is negative", o.key, offset)
	}
	if offset != o.at {
		o.stop()
		o.at = offset
	}
	return offset, nil
}

// Close ends reading.
func (o *object) Close() error {
	o.stop()
	return nil
}

// Link returns a URL from which anybody can read the file with a key, without credentials, for a
// time of at most seven days. The answer has the given content type. It asks the storage nothing,
// so the file may not be there.
func (b *Bucket) Link(ctx context.Context, key, contentType string, lasts time.Duration) (string, error) {
	name, ok := b.object(key)
	if !ok {
		return "", files.NoKey(key)
	}
	return b.link(ctx, name, url.Values{"response-content-type": {contentType}}, lasts)
}

// link signs a link to an object. The answer has the headers that the parameters name.
func (b *Bucket) link(ctx context.Context, name string, params url.Values, lasts time.Duration) (string, error) {
	u, err := b.core.PresignedGetObject(ctx, b.at.Bucket, name, lasts, params)
	if err != nil {
		return "", b.failed(ctx, err, "sign a link to "+name)
	}
	return u.String(), nil
}
