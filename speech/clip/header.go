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

// The head of a file has headBytes: a line of [mark] and a signature, a line of
// JSON that is signed, and zeros. That of a draft is zeros alone. It lies in the
// file's first block, so that writing it over those zeros takes no room.
const (
	headBytes = 512
	mark      = "vaak clip 1 "
)

// Bounds of what goes into a head.
const (
	maxOrg         = 128 // bytes
	maxContentType = 100
	maxExtension   = 8
)

// head is the JSON of a head.
type head struct {
	ID          string `json:"id"`
	Org         string `json:"org"`
	ContentType string `json:"type"`
	Name        string `json:"name"`
	Size        int64  `json:"size"`
	Expires     int64  `json:"expires"` // Unix seconds
}

// encode returns the head of a clip.
func encode(c Clip, key *seal.Key) ([]byte, error) {
	text, err := json.Marshal(head{c.ID, c.Org, c.ContentType, c.Name, c.Size, c.Expires.Unix()})
	if err != nil {
		return nil, fmt.Errorf("encode the head of a clip: %w", err)
	}
	b := make([]byte, 0, headBytes)
	b = fmt.Appendf(b, "%s%s\n%s\n", mark, key.Sign(string(text)), text)
	if len(b) > headBytes {
		return nil, fmt.Errorf("the head of a clip has %d bytes, more than %d", len(b), headBytes)
	}
	return b[:headBytes], nil // the rest is zeros
}

// decode reads a head; false is one that no service with this key has written.
func decode(b []byte, key *seal.Key) (Clip, bool) {
	if len(b) != headBytes {
		return Clip{}, false
	}
	first, rest, _ := bytes.Cut(b, []byte("\n"))
	text, _, _ := bytes.Cut(rest, []byte("\n"))
	signature, ok := bytes.CutPrefix(first, []byte(mark))
	if !ok || !key.Verify(string(signature), string(text)) {
		return Clip{}, false
	}
	return parse(text)
}

// parse reads the JSON of a head.
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

// idPrefix begins every id, and with it the name of every file of ours.
const idPrefix = "clip_"

// idLetters is how many letters and digits follow: 26 of five bits each.
const idLetters = 26

// newID returns a random id.
func newID() string { return idPrefix + strings.ToLower(rand.Text()[:idLetters]) }

// isID reports whether a text looks like an id.
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

// Kind says what sort of audio a clip is.
type Kind struct {
	ContentType string // of audio, with its parameters; at most 100 printable ASCII characters
	Extension   string // of its file, without the dot: at most 8 letters and digits
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
