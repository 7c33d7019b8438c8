package edge

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"vaak/internal/document"
	"vaak/internal/fault"
)

// MaxBody is the usual cap of a request's body, in bytes.
const MaxBody = 1 << 20

// maxPooled is the largest buffer that is kept for another request, in bytes: a few large bodies
// must not hold memory for ever.
const maxPooled = 64 << 10

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Body reads the whole body of a request, at most limit bytes, and passes on only JSON that
// every reader understands alike (see [document.Check]). The handler reads the body from the
// request as usual. A request without a content type counts as JSON. Refusals are of kind
// TooLarge, Unsupported or Invalid. [Arrive] bounds how long a body may take.
//
// A handler must not keep the body after it returns, because its buffer is used again.
func Body(limit int64, refuse Refuse) Middleware {
	return body(limit, refuse, checkMedia, func(data []byte) error { return document.Check("the body", data) })
}

// Bytes is [Body] for a handler that takes any bytes of any content type. They must not be
// compressed.
func Bytes(limit int64, refuse Refuse) Middleware {
	return body(limit, refuse, checkEncoding, func([]byte) error { return nil })
}

// body reads the body of a request whose headers pass the check header, and passes the request
// on if the body passes the check content.
func body(limit int64, refuse Refuse, header func(http.Header) error, content func([]byte) error) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			buf := buffers.Get().(*bytes.Buffer)
			defer func() { // deferred, because next may panic
				if buf.Cap() <= maxPooled {
					buf.Reset()
					buffers.Put(buf)
				}
			}()
			err := header(r.Header)
			if err == nil {
				err = readBody(buf, w, r, limit)
			}
			if err == nil {
				err = content(buf.Bytes())
			}
			if err != nil {
				refuse(w, r, err)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(buf.Bytes()))
			r.ContentLength = int64(buf.Len())
			next.ServeHTTP(w, r)
		})
	}
}

func readBody(buf *bytes.Buffer, w http.ResponseWriter, r *http.Request, limit int64) error {
	// The length is declared, so the body is refused unread. The client may still be sending it, so
	// the connection ends with the answer.
	if r.ContentLength > limit {
		w.Header().Set("Connection", "close")
		return tooLarge(limit)
	}
	if _, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, limit)); err != nil {
		// net/http reads up to 256 KiB of the remainder, and ends the connection where there is
		// more.
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return tooLarge(limit)
		}
		w.Header().Set("Connection", "close")
		e := fault.New(fault.Invalid, fault.CodeInvalidBody, "",
			"the body broke off after %d bytes; it must arrive whole within %v", buf.Len(), BodyPatience)
		e.Err = err
		return e
	}
	return nil
}

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, fault.CodeBodyTooLarge, "", "the body is over %d bytes", limit)
}

// checkMedia refuses a body whose content type is not JSON.
func checkMedia(h http.Header) error {
	if err := checkEncoding(h); err != nil {
		return err
	}
	sent := h.Get("Content-Type")
	// Parameters such as charset do not matter: JSON is always UTF-8 (RFC 8259, section 8.1).
	media, _, _ := strings.Cut(sent, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	if media == "" || media == "application/json" ||
		strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json") {
		return nil
	}
	return fault.New(fault.Unsupported, fault.CodeUnsupportedMedia, "",
		"content type %q is not taken: send application/json", clip(sent))
}

// checkEncoding refuses a body with a content encoding: a small body could unpack to a large one.
func checkEncoding(h http.Header) error {
	if enc := strings.Join(h.Values("Content-Encoding"), ", "); enc != "" && !strings.EqualFold(enc, "identity") {
		return fault.New(fault.Unsupported, fault.CodeUnsupportedMedia, "",
			"content encoding %q is not taken: send the body uncompressed", clip(enc))
	}
	return nil
}

// clip shortens what is quoted from a request.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
