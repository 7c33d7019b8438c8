package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vaak/internal/negotiate"
)

// Asset is a file in memory. It is safe for concurrent use.
type Asset struct {
	path        string
	contentType string
	cache       string // Cache-Control
	body        []byte
	zipped      func() []byte
}

// forEver is the Cache-Control of a file whose address changes with its bytes.
const forEver = "public, max-age=31536000, immutable"

// NewAsset returns a file with the given name. Its address lies below prefix and has a part
// of its digest before the extension: "/static/vaak.1f0c….css". So the address changes
// whenever the bytes do, and a browser may keep the file for ever. The body is not copied.
// It is compressed at the first request that accepts gzip.
func NewAsset(prefix, name, contentType string, body []byte) *Asset {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	address := prefix + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	a := NewFile(address, contentType, body)
	a.cache = forEver
	return a
}

// Folder is a set of files that name each other by relative paths, such as modules of JavaScript.
type Folder struct {
	Path   string // with a slash at its end
	Assets []*Asset
}

// NewFolder returns files below prefix and a part of the digest of all of them, so that a browser
// may keep each of them for ever. Their types are those of their extensions: .js and .json.
func NewFolder(prefix, name string, files map[string][]byte) Folder {
	sum, names := sha256.New(), slices.Sorted(maps.Keys(files))
	for _, file := range names {
		fmt.Fprintf(sum, "%s %d\n%s", file, len(files[file]), files[file])
	}
	f := Folder{Path: prefix + name + "." + hex.EncodeToString(sum.Sum(nil)[:6]) + "/"}
	for _, file := range names {
		contentType := "text/javascript; charset=utf-8"
		if path.Ext(file) == ".json" {
			contentType = "application/json"
		}
		a := NewFile(f.Path+file, contentType, files[file])
		a.cache = forEver
		f.Assets = append(f.Assets, a)
	}
	return f
}

// NewFile returns a file at an address that does not depend on its bytes, such as
// [FaviconPath]. A browser may keep it for a day.
func NewFile(address, contentType string, body []byte) *Asset {
	return &Asset{
		path:        address,
		contentType: contentType,
		cache:       "public, max-age=86400",
		body:        body,
		zipped:      sync.OnceValue(func() []byte { return zip(body) }),
	}
}

// Path returns the address of the file on its server.
func (a *Asset) Path() string { return a.path }

// ServeHTTP answers a GET or HEAD request with the file.
func (a *Asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", a.cache)
	h.Set("X-Content-Type-Options", "nosniff")
	WriteBody(w, r, a.body, a.zipped)
}

// WriteBody answers with body, or with zipped() if the client accepts gzip. Zipped is nil for
// an answer that is never compressed. The caller sets all headers but those of length and
// encoding. The answer to a HEAD request has no body.
func WriteBody(w http.ResponseWriter, r *http.Request, body []byte, zipped func() []byte) {
	h := w.Header()
	if zipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if negotiate.Gzip(r.Header["Accept-Encoding"]) {
			h.Set("Content-Encoding", "gzip")
			body = zipped()
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that left is no fault of ours
	}
}

func zip(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant of the package
	}
	_, _ = w.Write(body) // writing to a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}
