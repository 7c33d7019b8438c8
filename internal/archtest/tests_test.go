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

// tests calls each with the test files of every directory of the tree, without those of the
// modules that it skips.
func tests(t *testing.T, each func(files *token.FileSet, in []*ast.File), skipped ...string) {
	t.Helper()
	files, rooms := token.NewFileSet(), map[string][]*ast.File{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || slices.Contains(skipped, strings.TrimPrefix(path, "../../"))):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, 0)
		rooms[filepath.Dir(path)] = append(rooms[filepath.Dir(path)], f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range rooms {
		each(files, room)
	}
}

// calls reports whether an expression is the function of a package of the standard library.
func calls(n ast.Node, from, name string) bool {
	call, ok := n.(*ast.SelectorExpr)
	if !ok || call.Sel.Name != name {
		return false
	}
	of, ok := call.X.(*ast.Ident)
	return ok && of.Name == from
}

// TestSleeps: a test that sleeps does so in the fake time of testing/synctest. Real time makes a
// test slow, and wrong on a busy machine. What fake time cannot reach, such as another process,
// is asked again and again until a condition holds, in the last clause of a for statement.
func TestSleeps(t *testing.T) {
	t.Parallel()
	tests(t, func(files *token.FileSet, in []*ast.File) {
		for _, f := range in {
			if slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
				continue
			}
			var polled ast.Node
			ast.Inspect(f, func(n ast.Node) bool {
				if loop, ok := n.(*ast.ForStmt); ok && loop.Cond != nil {
					polled = loop.Post
				}
				if n != nil && n == polled {
					return false
				}
				if calls(n, "time", "Sleep") {
					t.Errorf("%s: time.Sleep outside of testing/synctest", files.Position(n.Pos()))
				}
				return true
			})
		}
	})
}

// reaching returns the functions of a room in which a node holds, and those that call them.
func reaching(in []*ast.File, holds func(ast.Node) bool) (functions map[string][]*ast.FuncDecl, reach map[string]bool) {
	functions, reach = map[string][]*ast.FuncDecl{}, map[string]bool{}
	for _, f := range in {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				functions[f.Name.Name] = append(functions[f.Name.Name], f)
			}
		}
	}
	for more := true; more; {
		more = false
		for name, all := range functions {
			if reach[name] {
				continue
			}
			for _, f := range all {
				ast.Inspect(f, func(n ast.Node) bool {
					id, ok := n.(*ast.Ident)
					// A test may use the name of another in a message, but does not call it.
					if holds(n) || ok && reach[id.Name] && id != f.Name && !strings.HasPrefix(id.Name, "Test") {
						reach[name], more = true, true
					}
					return true
				})
			}
		}
	}
	return functions, reach
}

// TestNamesOfLengthyTests: `make test` runs short tests with the race detector, and then without
// it those that do less in short tests, which it finds by their name: TestLengthy. A test of that
// name that does all in short tests would run twice.
func TestNamesOfLengthyTests(t *testing.T) {
	t.Parallel()
	tests(t, func(files *token.FileSet, in []*ast.File) {
		functions, short := reaching(in, func(n ast.Node) bool { return calls(n, "testing", "Short") })
		for name, all := range functions {
			lengthy, soak := strings.HasPrefix(name, "TestLengthy"), strings.HasPrefix(name, "TestSoak")
			if strings.HasPrefix(name, "Test") && !soak && name != "TestMain" && short[name] != lengthy {
				t.Errorf("%s: %s: asks for short tests = %v; TestLengthy is the name of those that do, and of no others", files.Position(all[0].Pos()), name, short[name])
			}
		}
	}, "workshop", "console/browser")
}

// TestNamesOfCommandTests: `make test` does not run tests called TestCommand with the race detector.
// They are in cmd/vaak, and start no server.
func TestNamesOfCommandTests(t *testing.T) {
	t.Parallel()
	tests(t, func(files *token.FileSet, in []*ast.File) {
		functions, serves := reaching(in, func(n ast.Node) bool {
			id, ok := n.(*ast.SelectorExpr)
			return ok && id.Sel.Name == "serve"
		})
		for name, all := range functions {
			at := files.Position(all[0].Pos())
			if !strings.HasPrefix(name, "TestCommand") {
				continue
			}
			if filepath.Base(filepath.Dir(at.Filename)) != "vaak" || serves[name] {
				t.Errorf("%s: %s: TestCommand is the name of tests of cmd/vaak that start no server", at, name)
			}
		}
	}, "workshop", "console/browser")
}
