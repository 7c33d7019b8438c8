// Command census measures how a checkout of Vaak is written: its size, its largest
// packages and receivers, how much is explained inside functions, and what it depends on.
// tools/measure runs it; it reads any checkout, so two commits can be compared.
//
// It counts Go by hand: no tests, no packages that only tests use (their names end in
// "test"), no generated files.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: tools/measure [DIR]: the checkout, by default this one") }
	flag.Parse()
	dir := cmp.Or(flag.Arg(0), "..")
	c, err := count(os.DirFS(dir))
	if err == nil {
		err = c.write(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "census:", err)
		os.Exit(1)
	}
}

// census is what was counted.
type census struct {
	product, workshop part
	dependencies      int // direct ones of the product
}

// part is the product or the workshop.
type part struct {
	lines    int
	inBodies int            // comment lines inside function bodies
	packages map[string]int // lines by directory
	methods  map[string]int // by directory and receiver, such as "store.Store"
}

func newPart() part { return part{packages: map[string]int{}, methods: map[string]int{}} }

// count counts a checkout.
func count(root fs.FS) (census, error) {
	c := census{product: newPart(), workshop: newPart()}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && foreign(d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return c.add(name, text)
	})
	if err != nil {
		return c, err
	}
	mod, err := fs.ReadFile(root, "go.mod")
	c.dependencies = directDependencies(mod)
	return c, err
}

// foreign reports whether nothing in a directory is counted.
func foreign(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "test") || slices.Contains([]string{"node_modules", "testdata", "bin", "var"}, name)
}

// add counts a file.
func (c *census) add(name string, text []byte) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	p := &c.product
	if isWorkshop(name) {
		p = &c.workshop
	}
	dir := path.Dir(name)
	lines := bytes.Count(text, []byte("\n"))
	p.lines += lines
	p.packages[dir] += lines
	p.inBodies += commentsInBodies(set, file)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			p.methods[dir+"."+receiver(f.Recv.List[0].Type)]++
		}
	}
	return nil
}

// isWorkshop reports whether a file is no part of the product: it measures or generates.
// Before the workshop had a directory of its own, its programs were in cmd.
func isWorkshop(name string) bool {
	for _, dir := range []string{"workshop/", "cmd/bench/", "cmd/voices/", "tools/"} {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	return strings.Contains(name, "/generate/") || path.Base(name) == "generate.go"
}

// receiver returns the name of a receiver's type, without a star and type parameters.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// commentsInBodies counts the lines of comments inside function bodies, also behind code.
func commentsInBodies(set *token.FileSet, file *ast.File) (lines int) {
	var bodies []*ast.BlockStmt
	ast.Inspect(file, func(n ast.Node) bool {
		body := (*ast.BlockStmt)(nil)
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		if body == nil {
			return true
		}
		bodies = append(bodies, body)
		return false // what is inside is counted with it
	})
	for _, group := range file.Comments {
		for _, one := range group.List {
			if slices.ContainsFunc(bodies, func(b *ast.BlockStmt) bool { return b.Pos() < one.Pos() && one.End() < b.End() }) {
				lines += set.Position(one.End()).Line - set.Position(one.Pos()).Line + 1
			}
		}
	}
	return lines
}

// directDependencies counts the modules that a go.mod requires directly.
func directDependencies(mod []byte) (n int) {
	inside := false
	for line := range strings.Lines(string(mod)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "require (":
			inside = true
		case line == ")":
			inside = false
		case strings.HasPrefix(line, "require "), inside && line != "" && !strings.HasPrefix(line, "//"):
			if !strings.HasSuffix(line, "// indirect") {
				n++
			}
		}
	}
	return n
}

// most is how many packages and receivers are listed.
const most = 10

// write writes the table.
func (c census) write(w io.Writer) error {
	var b strings.Builder
	row := func(name string, value any) { fmt.Fprintf(&b, "| %s | %v |\n", name, value) }
	b.WriteString("| | |\n|---|---:|\n")
	row("hand-written lines, product", c.product.lines)
	row("hand-written lines, workshop", c.workshop.lines)
	row("packages, product", len(c.product.packages))
	row("in-body comment lines per 1,000 lines, product", fmt.Sprintf("%.1f", c.product.density()))
	row("in-body comment lines per 1,000 lines, workshop", fmt.Sprintf("%.1f", c.workshop.density()))
	row("direct dependencies, product", c.dependencies)
	list := func(title string, all map[string]int) {
		fmt.Fprintf(&b, "\n| %s | |\n|---|---:|\n", title)
		for _, name := range largest(all) {
			row(filepath.ToSlash(name), all[name])
		}
	}
	list("largest packages, lines", c.product.packages)
	list("largest receivers, methods", c.product.methods)
	_, err := io.WriteString(w, b.String())
	return err
}

func (p part) density() float64 { return 1000 * float64(p.inBodies) / float64(max(p.lines, 1)) }

// largest returns the names with the greatest numbers, the greatest first.
func largest(all map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b], all[a]), cmp.Compare(a, b))
	})
	return names[:min(most, len(names))]
}
