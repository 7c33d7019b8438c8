package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/speech"
)

// speakToFile answers with the path of a new file in the output directory. It
// leaves nothing behind when it fails.
func (t *synthesis) speakToFile(ctx context.Context, c call, req speech.Request, name string) (answer[synthesizeOutput], error) {
	name = fileName(name, req.Format.Extension())
	f, err := t.output.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return answer[synthesizeOutput]{}, fault.New(fault.Conflict, codeFileExists, "file_name", "a file %q is there already", name)
	}
	if err != nil {
		return answer[synthesizeOutput]{}, fileError(err)
	}
	whole := false
	defer func() {
		if !whole {
			_ = f.Close()             // closed twice at worst
			_ = t.output.Remove(name) // the first error says more
		}
	}()
	res, err := t.perform(ctx, c, req, fileOutlet{f})
	if err != nil {
		return answer[synthesizeOutput]{}, fileError(err)
	}
	whole = true
	return t.report(ctx, c, synthesizeOutput{Delivery: deliverFile, File: filepath.Join(t.dir, name)}, res), nil
}

// fileOutlet puts audio into a file.
type fileOutlet struct{ *os.File }

// Start has nothing to do.
func (fileOutlet) Start(speech.Info) {}

// Finish closes the file: only then does the file system say that all was
// written.
func (f fileOutlet) Finish() error { return f.Close() }

// fileError says of want of room that it is that.
func fileError(err error) error {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			f := fault.New(fault.Unavailable, codeDiskFull, "", "there is no room for the file in the output directory; nothing was written")
			f.Err = err
			return f
		}
	}
	return fmt.Errorf("write audio file: %w", err)
}

// maxFileName is the longest name in bytes that is made, extension included;
// common file systems take 255.
const maxFileName = 120

// fileName makes a plain file name with the extension of what a caller asked
// for: letters, digits, marks and -_ stay, everything else becomes a dash. A
// name with nothing left is made up.
func fileName(asked, extension string) string {
	if at := len(asked) - len(extension) - 1; at >= 0 && strings.EqualFold(asked[at:], "."+extension) {
		asked = asked[:at]
	}
	stem := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(asked, "-"))
	for len(stem)+1+len(extension) > maxFileName {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	stem = strings.Trim(stem, "-.")
	if stem == "" {
		stem = "speech-" + strings.ToLower(rand.Text()[:12])
	}
	return stem + "." + extension
}
