package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSleeps: a test that sleeps does so in the fake time of testing/synctest. Real time makes a
// test slow, and wrong on a busy machine. What fake time cannot reach, such as another process,
// is asked again and again until a condition holds, in the last clause of a for statement.
func TestSleeps(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
			return nil
		}
		var polled ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if loop, ok := n.(*ast.ForStmt); ok && loop.Cond != nil {
				polled = loop.Post
			}
			if n != nil && n == polled {
				return false
			}
			if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "Sleep" {
				if of, ok := call.X.(*ast.Ident); ok && of.Name == "time" {
					t.Errorf("%s: time.Sleep outside of testing/synctest", files.Position(call.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
