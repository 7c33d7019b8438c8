package catalogue

import (
	"regexp"
	"strings"

	"vaak/internal/ids"
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

// SlugOf returns the slug that is nearest to a text, with a hyphen for each stretch of other characters
// than a slug has. It is "" for a text without such characters.
func SlugOf(text string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := b.String()
	// All characters are ASCII here, so a cut at a byte is a cut at a character. It may
	// leave a hyphen at the end.
	return strings.Trim(s[:min(len(s), MaxSlug)], "-")
}

// IsID reports whether s has the form of a dataset's id.
func IsID(s string) bool { return idForm.MatchString(s) }

func newID() string { return ids.New(idPrefix, ids.Bytes) }
