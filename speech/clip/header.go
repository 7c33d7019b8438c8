package clip

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"vaak/internal/seal"
)

// HeadBytes is the size of the head of a clip, with which its store is opened. A file begins with
// it, and the header of a draft is all zeros. It lies in the first block of the file, so writing
// it at the end needs no more room.
const HeadBytes = 512

// A header is a line with signatureMark and a signature, and a line of JSON, which is what is
// signed. Zeros may follow.
const signatureMark = "vaak clip 1 "

// Limits of the fields of a header.
const (
	maxOrg         = 128 // bytes
	maxContentType = 100
	maxExtension   = 8
)

// head is the JSON in a header.
type head struct {
	ID          string `json:"id"`
	Org         string `json:"org"`
	ContentType string `json:"type"`
	Name        string `json:"name"`
	Size        int64  `json:"size"`
	Expires     int64  `json:"expires"` // Unix seconds
}

// encode returns the header of a clip, without zeros.
func encode(c Clip, key *seal.Key) ([]byte, error) {
	text, err := json.Marshal(head{c.ID, c.Org, c.ContentType, c.Name, c.Size, c.Expires.Unix()})
	if err != nil {
		return nil, fmt.Errorf("encode the head of a clip: %w", err)
	}
	b := make([]byte, 0, HeadBytes)
	b = fmt.Appendf(b, "%s%s\n%s\n", signatureMark, key.Sign(string(text)), text)
	if len(b) > HeadBytes {
		return nil, fmt.Errorf("the head of a clip has %d bytes, more than %d", len(b), HeadBytes)
	}
	return b, nil
}

// decode reads a header. It returns false if no service with this key has written it.
func decode(b []byte, key *seal.Key) (Clip, bool) {
	first, rest, _ := bytes.Cut(b, []byte("\n"))
	text, _, _ := bytes.Cut(rest, []byte("\n"))
	signature, ok := bytes.CutPrefix(first, []byte(signatureMark))
	if !ok || !key.Verify(string(signature), string(text)) {
		return Clip{}, false
	}
	return parse(text)
}

// parse reads the JSON of a header. It checks each field, although they are signed: an older
// version may have written them.
func parse(text []byte) (Clip, bool) {
	var h head
	if json.Unmarshal(text, &h) != nil {
		return Clip{}, false
	}
	c := Clip{ID: h.ID, Org: h.Org, ContentType: h.ContentType, Name: h.Name, Size: h.Size, Expires: time.Unix(h.Expires, 0)}
	extension, ok := strings.CutPrefix(c.Name, c.ID+".")
	ok = ok && isID(c.ID) && len(c.Org) <= maxOrg && Kind{c.ContentType, extension}.check() == nil
	return c, ok && c.Size >= 0 && h.Expires >= 0
}

// idPrefix begins every id, which is also the name of the clip's file.
const idPrefix = "clip_"

// idLetters is how many letters and digits follow the prefix, with five random bits each.
const idLetters = 26

// newID returns a random id.
func newID() string { return idPrefix + strings.ToLower(rand.Text()[:idLetters]) }

// isID reports whether a text has the form of an id.
func isID(id string) bool {
	letters, ok := strings.CutPrefix(id, idPrefix)
	if !ok || len(letters) != idLetters {
		return false
	}
	for _, c := range []byte(letters) {
		if (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

// Kind is the kind of audio in a clip.
type Kind struct {
	ContentType string // starts with audio/; at most 100 printable ASCII characters
	Extension   string // of the file name, without the dot: at most 8 letters and digits
}

func (k Kind) check() error {
	if len(k.ContentType) > maxContentType || !strings.HasPrefix(k.ContentType, "audio/") ||
		strings.ContainsFunc(k.ContentType, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("%.120q is no content type of a clip", k.ContentType)
	}
	if k.Extension == "" || len(k.Extension) > maxExtension ||
		strings.Trim(k.Extension, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return fmt.Errorf("%.20q is no extension of a clip", k.Extension)
	}
	return nil
}
