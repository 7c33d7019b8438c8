// Package bucket keeps files under the SHA-256 of their content in object storage that speaks
// the protocol of S3: of a cloud, or a server such as MinIO, Ceph, SeaweedFS or VersityGW. It
// also keeps blobs under names there: [Bucket.Named].
//
// An object is named as the file of a [files.Dir] is, below a prefix: so a directory that any
// program has copied into the bucket is a store too. The storage must be strongly consistent:
// a list or read that begins after a write has ended sees it. All of the above are.
package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"vaak/internal/fault"
	"vaak/store/files"
)

// Config says where the bucket is and how it is used.
type Config struct {
	// URL is s3://BUCKET/PREFIX?endpoint=URL&region=NAME; see [Parse]. Required.
	URL string
	// Spool is the directory for files while they are received, before they are sent to the
	// bucket; "" is the one for temporary files. Such a file has no name, so it is gone with
	// the process.
	Spool string
	// Stall is how long the storage may send nothing before a request is given up and tried
	// again; 0 is 30 s.
	Stall time.Duration
	// Tries is how often a request is tried that the storage refuses as overloaded, or that
	// breaks off; 0 is 4, with a wait of at most a second between two.
	Tries int
}

// Place is where a bucket is.
type Place struct {
	Bucket   string
	Prefix   string // "" or ends with a slash
	Endpoint string // host and port
	Secure   bool   // HTTPS
	Region   string
}

// Parse reads the URL of a bucket, s3://BUCKET/PREFIX?endpoint=URL&region=NAME. The endpoint is
// the http or https URL of the server, without a path; the default is that of Amazon S3. The
// region is us-east-1 by default. The URL holds no credentials, so that it may be logged.
func Parse(text string) (Place, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Place{}, errors.New("the address of a bucket is not of the form s3://BUCKET/PREFIX?endpoint=URL&region=NAME")
	}
	q := u.Query()
	p := Place{Bucket: u.Host, Endpoint: "s3.amazonaws.com", Secure: true, Region: cmp.Or(q.Get("region"), "us-east-1")}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		p.Prefix = prefix + "/"
	}
	switch {
	case u.User != nil:
		return Place{}, errors.New("the address of a bucket holds credentials; they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from files")
	case u.Scheme != "s3" || p.Bucket == "" || u.Port() != "" || u.Fragment != "":
		return Place{}, fmt.Errorf("the address of a bucket is s3://BUCKET/PREFIX?endpoint=URL&region=NAME, not %.200q", text)
	case !fs.ValidPath(strings.TrimSuffix(cmp.Or(p.Prefix, "."), "/")) || len(p.Prefix) > maxPrefix:
		return Place{}, fmt.Errorf("the prefix %.200q is no path of at most %d bytes without empty, . and .. parts", p.Prefix, maxPrefix)
	}
	for name := range q {
		if name != "endpoint" && name != "region" {
			return Place{}, fmt.Errorf("the address of a bucket may have endpoint and region behind the question mark, not %.50q", name)
		}
	}
	if endpoint := q.Get("endpoint"); endpoint != "" {
		e, err := url.Parse(endpoint)
		if err != nil || e.Scheme != "http" && e.Scheme != "https" || e.Host == "" || e.User != nil || strings.Trim(e.Path, "/") != "" || e.RawQuery != "" {
			return Place{}, errors.New("the endpoint of a bucket is an http or https URL of a host and a port, without credentials and path")
		}
		p.Endpoint, p.Secure = e.Host, e.Scheme == "https"
	}
	return p, nil
}

// maxPrefix bounds a prefix, in bytes. Keys of objects have at most 1024.
const maxPrefix = 512

// Bucket is a store of files in object storage. Its methods may be called from many goroutines.
type Bucket struct {
	core      minio.Core
	transport *http.Transport
	at        Place
	spool     string
	stall     time.Duration
	tries     int
}

var _ files.Store = (*Bucket)(nil)

// Open returns the store of a bucket. It sends nothing: a bucket that cannot be reached is
// noticed when it is first used, or by [Bucket.Try]. Credentials come from the environment
// variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, from the files that
// these names with _FILE behind them name, or from the file AWS_SHARED_CREDENTIALS_FILE, which
// is ~/.aws/credentials by default. They are read once, when they are first needed.
func Open(cfg Config) (*Bucket, error) {
	at, err := Parse(cfg.URL)
	if err != nil {
		return nil, err
	}
	b := &Bucket{
		at: at, spool: cfg.Spool, stall: cmp.Or(cfg.Stall, 30*time.Second), tries: cmp.Or(cfg.Tries, 4),
	}
	b.transport = &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           b.dial,
		TLSHandshakeTimeout:   min(b.stall, 10*time.Second),
		ResponseHeaderTimeout: b.stall,
		MaxIdleConnsPerHost:   32,
		IdleConnTimeout:       30 * time.Second,
		DisableCompression:    true, // the bytes are wanted as they are
	}
	lookup := minio.BucketLookupPath // every server of one's own knows it
	if at.Endpoint == "s3.amazonaws.com" {
		lookup = minio.BucketLookupAuto
	}
	client, err := minio.New(at.Endpoint, &minio.Options{
		Creds:  credentials.NewChainCredentials([]credentials.Provider{&keys{}, &credentials.FileAWSCredentials{}}),
		Secure: at.Secure, Transport: b.transport, Region: at.Region, BucketLookup: lookup, MaxRetries: b.tries,
	})
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s: %w", at.Bucket, err)
	}
	b.core.Client = client
	return b, nil
}

// dial connects to the storage.
func (b *Bucket) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: min(b.stall, 10*time.Second)}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return connection{c, b.stall}, nil
}

// connection is a connection whose writes fail when the storage takes nothing for a time. The
// transport bounds only the wait for an answer, which begins when the whole request is written.
type connection struct {
	net.Conn
	stall time.Duration
}

// Write sends p.
func (c connection) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Close closes the connections that are not in use.
func (b *Bucket) Close() { b.transport.CloseIdleConnections() }

// keys are credentials of the environment, or of the files that it names.
type keys struct{ credentials.Static }

// Retrieve reads the credentials.
func (k *keys) Retrieve() (credentials.Value, error) {
	var v credentials.Value
	for name, to := range map[string]*string{
		"AWS_ACCESS_KEY_ID": &v.AccessKeyID, "AWS_SECRET_ACCESS_KEY": &v.SecretAccessKey, "AWS_SESSION_TOKEN": &v.SessionToken,
	} {
		if *to = os.Getenv(name); *to != "" {
			continue
		}
		if path := os.Getenv(name + "_FILE"); path != "" {
			text, err := os.ReadFile(path)
			if err != nil {
				return v, fmt.Errorf("read %s_FILE: %w", name, err)
			}
			*to = strings.TrimSpace(string(text))
		}
	}
	if v.AccessKeyID == "" || v.SecretAccessKey == "" {
		return credentials.Value{}, errors.New("neither AWS_ACCESS_KEY_ID nor AWS_SECRET_ACCESS_KEY is set")
	}
	v.SignerType = credentials.SignatureV4
	return v, nil
}

// RetrieveWithCredContext reads the credentials.
func (k *keys) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return k.Retrieve()
}

// IsExpired reports that they are never out of date by themselves.
func (k *keys) IsExpired() bool { return false }

// object returns the name of the object of a key.
func (b *Bucket) object(key string) (string, bool) {
	path, ok := files.Path(key)
	return b.at.Prefix + path, ok
}

// Stat describes the file with a key; see [files.Store].
func (b *Bucket) Stat(ctx context.Context, key string) (files.Info, error) {
	name, ok := b.object(key)
	if !ok {
		return files.Info{}, files.NoKey(key)
	}
	info, err := b.core.StatObject(ctx, b.at.Bucket, name, minio.StatObjectOptions{})
	if err != nil {
		return files.Info{}, b.failed(ctx, err, "look for file "+key)
	}
	return files.Info{Key: key, Size: info.Size, Modified: info.LastModified}, nil
}

// Delete removes the file with a key; see [files.Store].
func (b *Bucket) Delete(ctx context.Context, key string) error {
	name, ok := b.object(key)
	if !ok {
		return files.NoKey(key)
	}
	return b.remove(ctx, name)
}

func (b *Bucket) remove(ctx context.Context, object string) error {
	err := b.core.RemoveObject(ctx, b.at.Bucket, object, minio.RemoveObjectOptions{})
	if err = b.failed(ctx, err, "delete "+object); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Each calls do for each file, by key; see [files.Store]. It keeps a page of a thousand in
// memory.
func (b *Bucket) Each(ctx context.Context, do func(files.Info) error) error {
	return b.list(ctx, "sha256/", func(o minio.ObjectInfo) error {
		if key, ok := files.Key(strings.TrimPrefix(o.Key, b.at.Prefix)); ok {
			return do(files.Info{Key: key, Size: o.Size, Modified: o.LastModified})
		}
		return nil
	})
}

// list calls do for each object whose name below the prefix begins so.
func (b *Bucket) list(ctx context.Context, names string, do func(minio.ObjectInfo) error) error {
	return b.objects(ctx, minio.ListObjectsOptions{Prefix: b.at.Prefix + names, Recursive: true}, do)
}

// errStalled is the cause when a page of a list does not come to its end.
var errStalled = errors.New("the list stalls")

// objects calls do for each object of a list. A page may take as long as all tries for it, each
// with its answer: the client itself does not bound how long the content of an answer takes.
func (b *Bucket) objects(ctx context.Context, opts minio.ListObjectsOptions, do func(minio.ObjectInfo) error) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := 2 * time.Duration(b.tries) * b.stall
	watch := time.AfterFunc(limit, cancel)
	defer watch.Stop()
	for o := range b.core.ListObjectsIter(within, b.at.Bucket, opts) {
		watch.Stop() // the time that do takes does not count
		if o.Err != nil {
			return b.failed(ctx, o.Err, "list objects")
		}
		if err := do(o); err != nil {
			return err
		}
		watch.Reset(limit)
	}
	switch { // the iterator ends without an error when its context has ended
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case within.Err() != nil:
		return b.failed(ctx, errStalled, "list objects")
	}
	return nil
}

// retryAfter is the time after which a client may try again when the storage is down.
const retryAfter = 10 * time.Second

// badRequests are the codes with which a storage refuses credentials as a bad request: those of a
// session that has ended, of another region, and of an answer to HEAD, which cannot say why.
var badRequests = []string{"ExpiredToken", "InvalidToken", "TokenRefreshRequired", "AuthorizationHeaderMalformed", "400 Bad Request"}

// failed says what was being done, and what an error of the storage means. It is nil for nil.
func (b *Bucket) failed(ctx context.Context, err error, what string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
	answer := minio.ToErrorResponse(err)
	full := fmt.Errorf("%s in bucket %s at %s: %w", what, b.at.Bucket, b.at.Endpoint, err)
	down := func(why string) error { return fault.Down(fault.CodeStoreUnavailable, retryAfter, full, "%s", why) }
	switch {
	case answer.Code == minio.NoSuchBucket:
		return down("there is no such bucket")
	case answer.Code == minio.NoSuchKey || answer.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s: %w", what, fs.ErrNotExist)
	case answer.Code == "RequestTimeTooSkewed":
		return down("the clocks of this machine and of the object storage are too far apart: set both with a time service")
	case answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized || slices.Contains(badRequests, answer.Code):
		return down("the object storage refuses the credentials, or they may not do this")
	case passing(err):
		return down("the object storage cannot be reached or is overloaded; try again later")
	}
	return full
}
