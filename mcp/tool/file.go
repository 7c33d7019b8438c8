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

// MaxInline is the most bytes of audio that travel inside a result. Hosts cut
// results off at some ten thousand tokens, and base64 is dear in tokens.
const MaxInline = 256 << 10

// FileError says of want of room that it is that.
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

// MaxFileName is the longest name in bytes that is made, extension included;
// common file systems take 255.
const MaxFileName = 120

// FileName makes a plain file name with the extension of what a caller asked
// for: letters, digits, marks and -_ stay, everything else becomes a dash. A
// name with nothing left is made up.
func FileName(asked, extension string) string {
	if at := len(asked) - len(extension) - 1; at >= 0 && strings.EqualFold(asked[at:], "."+extension) {
		asked = asked[:at]
	}
	stem := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(asked, "-"))
	for len(stem)+1+len(extension) > MaxFileName {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	stem = strings.Trim(stem, "-.")
	if stem == "" {
		stem = "speech-" + strings.ToLower(rand.Text()[:12])
	}
	return stem + "." + extension
}

// The ways in which audio is handed over.
const (
	DeliverInline = "inline"
	DeliverLink   = "link"
	DeliverFile   = "file"
)
