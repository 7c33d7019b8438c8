package bucket

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"vaak/internal/blob"
	"vaak/store/files"
)

// Named keeps blobs under names, each in the object of its name below a prefix. A blob is the
// content of its object, so that clients can read it there; its head is in the metadata.
//
// While a blob is written, at most a part of it lies in the spool. One that fits into a part is
// sent in one request. A larger one is sent in parts, which nobody sees before Commit. With
// heads, which are known only at the end, a blob is sent in one request whatever its size.
type Named struct {
	bucket *Bucket
	prefix string
	head   int
	part   int64 // bytes of the first parts
}

var _ blob.Store = (*Named)(nil)

// partBytes is the size of the first thousand parts. An upload has at most ten thousand parts, of
// which every thousand are twice as large: more than the 5 TiB that an object may have.
const partBytes = 16 << 20

// Named returns the blobs below a directory of the bucket, or of its prefix if dir is "". The
// bytes for a head are at most 1,024, since the metadata of an object has at most 2,048; 0 has
// none. It sends nothing.
func (b *Bucket) Named(dir string, head int) *Named {
	if dir != "" {
		dir += "/"
	}
	return &Named{bucket: b, prefix: b.at.Prefix + dir, head: head, part: partBytes}
}

// In the metadata of objects.
const (
	metaHead   = "Vaak-Head"   // in base64, since a head may have lines
	metaDigest = "Vaak-Sha256" // of the content, in hexadecimal, if it was sent in one request
	noDigest   = "none"        // the digest of one that was sent in parts
)

// Create begins a blob; see [blob.Store].
func (n *Named) Create(ctx context.Context, name string) (blob.Draft, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !blob.Valid(name) {
		return nil, blob.NotValid(name)
	}
	f, err := n.bucket.nameless()
	if err != nil {
		return nil, err
	}
	return &draft{named: n, ctx: ctx, name: n.prefix + name, file: f, sum: sha256.New()}, nil
}

// draft is a blob that is being written.
type draft struct {
	named *Named
	ctx   context.Context // of the caller of Create, for whom it is written
	name  string          // of the object

	file *os.File // the part that is being filled; nil once the draft has ended
	size int64    // bytes of it
	sum  hash.Hash
	err  error // of a part; it is returned from then on

	upload string // the id of the upload in parts; "" until there is one
	sent   []minio.CompletePart
	total  int64 // bytes of the parts that were sent
}

var errEnded = errors.New("the draft has ended")

// limit is the size of the part that is being filled, in bytes.
func (d *draft) limit() int64 {
	if d.named.head > 0 {
		return MaxBytes
	}
	return d.named.part << (len(d.sent) / 1000)
}

// Write adds content.
func (d *draft) Write(p []byte) (n int, err error) {
	if d.file == nil {
		return 0, errEnded
	}
	for len(p) > 0 && d.err == nil {
		// A part is sent only when something follows it, so that the last one is never empty.
		if d.size == d.limit() {
			if d.err = d.send(); d.err != nil {
				break
			}
		}
		some := p[:min(int64(len(p)), d.limit()-d.size)]
		_, _ = d.sum.Write(some) // never fails
		m, err := d.file.Write(some)
		n, d.size, p = n+m, d.size+int64(m), p[m:]
		if err != nil {
			d.err = fmt.Errorf("write a part of %s: %w", d.name, err)
		}
	}
	return n, d.err
}

// Sync does nothing: a part that is not sent yet may change.
func (d *draft) Sync() error {
	if d.file == nil {
		return errEnded
	}
	return d.err
}

// send sends the part that was filled, and empties it.
func (d *draft) send() error {
	b := d.named.bucket
	if d.named.head > 0 {
		return fmt.Errorf("%s has more than %d bytes", d.name, int64(MaxBytes))
	}
	if d.upload == "" {
		if err := b.retry(d.ctx, func() (err error) {
			d.upload, err = b.core.NewMultipartUpload(d.ctx, b.at.Bucket, d.name, minio.PutObjectOptions{
				// Some servers let an object keep the metadata of the one that it replaces.
				ContentType: octets, UserMetadata: map[string]string{metaDigest: noDigest},
			})
			return err
		}); err != nil {
			return b.failed(d.ctx, err, "begin "+d.name)
		}
	}
	// The digest is part of the signature: the storage refuses a part that has another.
	opts := minio.PutObjectPartOptions{Sha256Hex: hex.EncodeToString(d.sum.Sum(nil)), DisableContentSha256: true}
	number := len(d.sent) + 1
	if err := b.retry(d.ctx, func() error {
		part, err := b.core.PutObjectPart(d.ctx, b.at.Bucket, d.name, d.upload, number, body(d.file, d.size), d.size, opts)
		if err == nil {
			d.sent = append(d.sent, minio.CompletePart{PartNumber: number, ETag: part.ETag})
		}
		return err
	}); err != nil {
		return b.failed(d.ctx, err, "write a part of "+d.name)
	}
	d.total += d.size
	d.size = 0
	d.sum.Reset()
	_, err := d.file.Seek(0, io.SeekStart)
	return errors.Join(err, d.file.Truncate(0))
}

// octets is the type of what may be anything.
const octets = "application/octet-stream"

// Commit sends what is left, and ends the upload; see [blob.Draft].
func (d *draft) Commit(head string) error {
	err := d.commit(head)
	d.end(err != nil)
	return err
}

func (d *draft) commit(head string) error {
	switch {
	case d.file == nil:
		return errEnded
	case d.err != nil:
		return d.err
	case len(head) > d.named.head:
		return fmt.Errorf("keep %s: its head has %d bytes, more than %d", d.name, len(head), d.named.head)
	}
	if d.upload != "" {
		if err := d.send(); err != nil {
			return err
		}
		return d.complete()
	}
	sum := d.sum.Sum(nil)
	meta := map[string]string{"X-Amz-Checksum-Sha256": base64.StdEncoding.EncodeToString(sum), metaDigest: hex.EncodeToString(sum)}
	if head != "" {
		meta[metaHead] = base64.RawURLEncoding.EncodeToString([]byte(head))
	}
	return d.named.bucket.write(d.ctx, d.name, d.file, d.size, minio.PutObjectOptions{ContentType: octets, UserMetadata: meta})
}

// complete makes an object of the parts.
func (d *draft) complete() error {
	b := d.named.bucket
	err := b.retry(d.ctx, func() error {
		_, err := b.core.CompleteMultipartUpload(d.ctx, b.at.Bucket, d.name, d.upload, d.sent, minio.PutObjectOptions{})
		if minio.ToErrorResponse(err).Code == minio.NoSuchUpload {
			err = nil // an attempt whose answer was lost may have completed it; the size tells
		}
		return err
	})
	if err != nil {
		return b.failed(d.ctx, err, "complete "+d.name)
	}
	info, err := b.core.StatObject(d.ctx, b.at.Bucket, d.name, minio.StatObjectOptions{})
	if err == nil && info.Size != d.total {
		return fmt.Errorf("complete %s: the object storage keeps %d bytes of %d", d.name, info.Size, d.total)
	}
	return b.failed(d.ctx, err, "look for "+d.name)
}

// Discard gives the draft up.
func (d *draft) Discard() { d.end(true) }

// end ends the draft, and gives up an upload in parts.
func (d *draft) end(abort bool) {
	if d.file == nil {
		return
	}
	_ = d.file.Close() // nothing is kept in it
	d.file = nil
	if b := d.named.bucket; abort && d.upload != "" {
		// Also when the context of the caller has ended. Parts that stay are no object, and the
		// operator lets them expire.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(d.ctx), b.stall)
		defer cancel()
		_ = b.core.AbortMultipartUpload(ctx, b.at.Bucket, d.name, d.upload)
	}
}

// Open opens a blob; see [blob.Store]. Nothing is read before the first Read. A content that was
// sent in one request is compared with its digest when it is read from the beginning to the end;
// see [files.Checked].
func (n *Named) Open(ctx context.Context, name string) (io.ReadSeekCloser, blob.Info, error) {
	at, info, err := n.stat(ctx, name)
	if err != nil {
		return nil, blob.Info{}, err
	}
	o := &object{bucket: n.bucket, ctx: ctx, key: name, name: n.prefix + name, size: at.Size, etag: at.ETag}
	if digest := at.UserMetadata[metaDigest]; digest != "" && digest != noDigest {
		return files.Checked(o, "sha256/"+digest, at.Size), info, nil
	}
	return o, info, nil
}

// Stat describes a blob; see [blob.Store].
func (n *Named) Stat(ctx context.Context, name string) (blob.Info, error) {
	_, info, err := n.stat(ctx, name)
	return info, err
}

func (n *Named) stat(ctx context.Context, name string) (minio.ObjectInfo, blob.Info, error) {
	if ctx.Err() != nil {
		return minio.ObjectInfo{}, blob.Info{}, context.Cause(ctx)
	}
	if !blob.Valid(name) {
		return minio.ObjectInfo{}, blob.Info{}, blob.NotValid(name)
	}
	o, err := n.bucket.core.StatObject(ctx, n.bucket.at.Bucket, n.prefix+name, minio.StatObjectOptions{})
	if err != nil {
		return o, blob.Info{}, n.bucket.failed(ctx, err, "look for "+name)
	}
	// A head that is no base64 is one that nobody has written here.
	head, _ := base64.RawURLEncoding.DecodeString(o.UserMetadata[metaHead])
	return o, blob.Info{Name: name, Size: o.Size, Modified: o.LastModified, Head: string(head)}, nil
}

// Delete removes a blob; see [blob.Store].
func (n *Named) Delete(ctx context.Context, name string) error {
	if !blob.Valid(name) {
		return blob.NotValid(name)
	}
	return n.bucket.remove(ctx, n.prefix+name)
}

// Each calls do for each name; see [blob.Store]. It keeps a page of a thousand in memory, and asks
// for none of the objects in directories below.
func (n *Named) Each(ctx context.Context, do func(name string) error) error {
	return n.bucket.objects(ctx, minio.ListObjectsOptions{Prefix: n.prefix}, func(o minio.ObjectInfo) error {
		if name := strings.TrimPrefix(o.Key, n.prefix); blob.Valid(name) {
			return do(name)
		}
		return nil
	})
}

// Try writes a small blob, reads it back and deletes it, under a name that nothing else has. With
// a link, it also calls follow with one to the blob, while that is there.
func (n *Named) Try(ctx context.Context, follow func(link, content string) error) (err error) {
	name, content := probes+rand.Text(), "vaak"
	d, err := n.Create(ctx, name)
	if err != nil {
		return err
	}
	defer d.Discard()
	if _, err := d.Write([]byte(content)); err != nil {
		return err
	}
	if err := d.Commit(""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Delete(context.WithoutCancel(ctx), name)) }()
	r, info, err := n.Open(ctx, name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r); err != nil || info.Size != int64(len(content)) {
		return errors.Join(err, r.Close(), fmt.Errorf("read %s: %d bytes, not what was written", name, info.Size))
	}
	if err := r.Close(); err != nil || follow == nil {
		return err
	}
	link, err := n.Link(ctx, name, nil, time.Minute)
	if err != nil {
		return err
	}
	return follow(link, content)
}

// Link returns a URL from which anybody can read a blob, without credentials, for a time of at
// most seven days. The answer has the given headers, of which the protocol knows Content-Type,
// Content-Disposition and Cache-Control. It asks the storage nothing, so the blob may not be
// there.
func (n *Named) Link(ctx context.Context, name string, headers map[string]string, lasts time.Duration) (string, error) {
	if !blob.Valid(name) {
		return "", blob.NotValid(name)
	}
	params := url.Values{}
	for header, value := range headers {
		params.Set("response-"+strings.ToLower(header), value)
	}
	return n.bucket.link(ctx, n.prefix+name, params, lasts)
}
