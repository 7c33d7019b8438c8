package tool

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
)

// MaxInline is the most bytes of audio in a result. Hosts cut results off at some ten thousand
// tokens, and base64 takes many tokens.
const MaxInline = 256 << 10

// FileError turns the error of a full disk into a fault that says so.
func FileError(err error) error {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			f := fault.New(fault.Unavailable, codeDiskFull, "", "there is no room for the file in the output directory; nothing was written")
			f.Err = err
			return f
		}
	}
	return fmt.Errorf("write audio file: %w", err)
}

// MaxFileName is the longest file name that [FileName] returns, in bytes and with the
// extension. Common file systems allow 255.
const MaxFileName = 120

// FileName makes a plain file name, with the extension, of the name that a caller asked for.
// Letters, digits, marks, - and _ stay, and everything else becomes a dash. If nothing is left
// it makes up a name.
func FileName(asked, extension string) string {
	// An extension that the caller wrote is not doubled, in any case of letters.
	if at := len(asked) - len(extension) - 1; at >= 0 && strings.EqualFold(asked[at:], "."+extension) {
		asked = asked[:at]
	}
	stem := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(asked, "-"))
	// Cut by whole characters, because half of one is no valid UTF-8.
	for len(stem)+1+len(extension) > MaxFileName {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	// After the cut, which may leave a dash or dot at the end. A leading dot would hide the file,
	// and "." and ".." are directories.
	stem = strings.Trim(stem, "-.")
	if stem == "" {
		stem = "speech-" + strings.ToLower(rand.Text()[:12])
	}
	return stem + "." + extension
}

// The ways in which audio is delivered.
const (
	DeliverInline = "inline"
	DeliverLink   = "link"
	DeliverFile   = "file"
)
