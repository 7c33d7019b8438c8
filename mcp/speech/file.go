package speech

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"vaak/internal/fault"
	"vaak/mcp/tool"
	"vaak/speech"
)

// speakToFile answers with the path of a new file in the output directory. It
// leaves nothing behind when it fails.
func (t *synthesis) speakToFile(ctx context.Context, c tool.Call, req speech.Request, name string) (tool.Answer[synthesizeOutput], error) {
	name = tool.FileName(name, req.Format.Extension())
	f, err := t.output.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return tool.Answer[synthesizeOutput]{}, fault.New(fault.Conflict, tool.CodeFileExists, "file_name", "a file %q is there already", name)
	}
	if err != nil {
		return tool.Answer[synthesizeOutput]{}, tool.FileError(err)
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
		return tool.Answer[synthesizeOutput]{}, tool.FileError(err)
	}
	whole = true
	return t.report(ctx, c, synthesizeOutput{Delivery: tool.DeliverFile, File: filepath.Join(t.dir, name)}, res), nil
}

// fileOutlet puts audio into a file.
type fileOutlet struct{ *os.File }

// Start has nothing to do.
func (fileOutlet) Start(speech.Info) {}

// Finish closes the file: only then does the file system say that all was
// written.
func (f fileOutlet) Finish() error { return f.Close() }
