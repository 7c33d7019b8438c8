package catalogue

import (
	"crypto/rand"
	"encoding/base32"
	"regexp"
	"strings"
)

// MaxSlug is the longest slug, in bytes.
const MaxSlug = 80

var (
	slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	idForm   = regexp.MustCompile(`^ds_[a-z2-7]{16}$`)
)

// IsSlug reports whether s has the form of a slug: words of a-z and 0-9, joined by
// single hyphens, up to MaxSlug bytes.
func IsSlug(s string) bool { return len(s) <= MaxSlug && slugForm.MatchString(s) }

// IsID reports whether s has the form of a dataset's id.
func IsID(s string) bool { return idForm.MatchString(s) }

func newID() string {
	var b [10]byte
	_, _ = rand.Read(b[:]) // crypto/rand does not fail
	return "ds_" + strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}
