// Command quick checks a change in less than a minute: gofmt, vet and the import map, and
// the short tests of the changed packages and of those that use them. It is no substitute
// for `make check`, and says what it leaves to it. `make quick` runs it.
//
// A change is what the branch has since it left its base, with files that are not
// committed. A package is changed when a file of its directory is, or one below that has
// no Go files of its own, such as testdata.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	base := flag.String("base", "", "`commit` to compare with; by default where the branch left its upstream, origin/main or main")
	flag.Parse()
	err := run(ctx, *base)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quick:", err)
		os.Exit(1)
	}
}

// module is a module of the repository.
type module struct {
	dir  string // from the root; "." is the product
	path string
	long []string // packages whose tests start whole servers, or are otherwise long
}

// modules are those with tests. The tests in the browser take minutes, so none of them is
// run here.
var modules = []module{
	{".", "vaak", []string{"vaak/cmd/vaak", "vaak/account/proof", "vaak/internal/archtest"}},
	{"workshop", "vaak/workshop", []string{"vaak/workshop/voices/accents", "vaak/workshop/voices/phonemes", "vaak/workshop/voices/timbre"}},
}

// most is how many packages are tested besides the changed ones. On two cores the tests of
// one, with linking, take a second or two.
const most = 20

func run(ctx context.Context, base string) error {
	began := time.Now()
	files, from, err := changed(ctx, base)
	if err != nil {
		return err
	}
	fmt.Printf("%d files changed since %s\n", len(files), from)
	if err := formatted(ctx, files); err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.check(ctx, files); err != nil {
			return err
		}
	}
	fmt.Printf("quick: passed in %.0f s; make check tests the rest\n", time.Since(began).Seconds())
	return nil
}

// changed returns the changed files, and the commit that they are compared with.
func changed(ctx context.Context, base string) (files []string, from string, err error) {
	for _, other := range []string{base, "@{upstream}", "origin/main", "main"} {
		if other == "" {
			continue
		}
		if from, err = git(ctx, "merge-base", "HEAD", other); err == nil {
			break
		}
	}
	if err != nil {
		return nil, "", err
	}
	diff, err := git(ctx, "diff", "--name-only", from)
	if err != nil {
		return nil, "", err
	}
	fresh, err := git(ctx, "ls-files", "--others", "--exclude-standard")
	files = slices.Compact(slices.Sorted(slices.Values(strings.Fields(diff + "\n" + fresh))))
	return files, from[:min(len(from), 10)], err
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), err
}

// formatted refuses changed files that gofmt would change.
func formatted(ctx context.Context, files []string) error {
	var source []string
	for _, f := range files {
		if _, err := os.Stat(f); err == nil && strings.HasSuffix(f, ".go") { // a deleted file is in the list, too
			source = append(source, f)
		}
	}
	if len(source) == 0 {
		return nil
	}
	out, err := exec.CommandContext(ctx, "gofmt", append([]string{"-l"}, source...)...).Output()
	if len(out) > 0 {
		err = fmt.Errorf("not formatted by gofmt: %s", strings.Join(strings.Fields(string(out)), " "))
	}
	return err
}

// check checks what a change has to do with a module.
func (m module) check(ctx context.Context, files []string) error {
	all, err := m.packages(ctx)
	if err != nil {
		return err
	}
	plan := m.plan(all, files)
	if len(plan.vet) == 0 {
		return nil
	}
	for _, line := range plan.why {
		fmt.Println(line)
	}
	if err := m.goRun(ctx, append([]string{"vet"}, plan.vet...)...); err != nil {
		return err
	}
	if m.dir == "." {
		if err := m.goRun(ctx, "test", "-vet=off", "./internal/archtest"); err != nil {
			return err
		}
	}
	if len(plan.test) == 0 {
		return nil
	}
	return m.goRun(ctx, append([]string{"test", "-vet=off", "-short"}, plan.test...)...)
}

// goRun runs the go command in the module.
func (m module) goRun(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = m.dir, os.Stderr
	out, err := cmd.Output()
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "ok ") && !strings.Contains(line, "[no test files]") {
			fmt.Print(line)
		}
	}
	if err != nil {
		return fmt.Errorf("go %s: %w", args[0], err)
	}
	return nil
}

// goPackage is what the go command tells of a package.
type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// packages lists the packages of the module.
func (m module) packages(ctx context.Context) ([]goPackage, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir, cmd.Stderr = m.dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w", m.dir, err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// plan is what is vetted and tested, and what is printed about the choice.
type plan struct{ vet, test, why []string }

// plan chooses the packages to test: the changed ones, and those whose code or tests use a
// changed one. If these are too many, it keeps those that import a changed package
// themselves; if these are too many still, the changed ones alone. Packages whose tests are
// long are vetted only.
func (m module) plan(all []goPackage, files []string) (p plan) {
	changed := m.changedPackages(all, files)
	if len(changed) == 0 {
		return p
	}
	direct := func(q goPackage) bool {
		return slices.ContainsFunc(slices.Concat(q.Imports, q.TestImports, q.XTestImports), func(i string) bool { return slices.Contains(changed, i) })
	}
	users := usersOf(all, changed)
	var near, far, long []string
	for _, q := range all {
		name := q.ImportPath
		switch {
		case slices.Contains(changed, name) || !users[name] && !direct(q):
		case slices.Contains(m.long, name):
			long = append(long, name)
		case direct(q):
			near = append(near, name)
		default:
			far = append(far, name)
		}
	}
	tell := func(what string, names []string) {
		if len(names) > 0 {
			p.why = append(p.why, fmt.Sprintf("%s: %s", what, strings.Join(names, " ")))
		}
	}
	tell("changed", changed)
	for _, name := range changed {
		if slices.Contains(m.long, name) {
			long = append(long, name)
		} else {
			p.test = append(p.test, name)
		}
	}
	switch {
	case len(near)+len(far) <= most:
		tell("tested because they use these", slices.Concat(near, far))
		p.test = slices.Concat(p.test, near, far)
	case len(near) <= most:
		tell("tested because they import these", near)
		p.why = append(p.why, fmt.Sprintf("left to make check: %d packages that use these through others", len(far)))
		p.test = append(p.test, near...)
	default:
		p.why = append(p.why, fmt.Sprintf("left to make check: %d packages, since nearly everything uses these; the changed ones alone are tested", len(near)+len(far)))
	}
	tell("left to make check, since their tests take minutes", long)
	p.vet = slices.Compact(slices.Sorted(slices.Values(slices.Concat(changed, p.test))))
	return p
}

// usersOf returns the packages whose code or tests use one of some packages, be it through
// others.
func usersOf(all []goPackage, some []string) map[string]bool {
	code := map[string]bool{} // packages whose code uses them
	for _, s := range some {
		code[s] = true
	}
	// Packages come in the order of their names, so a pass may miss users of users: passes go
	// on until one finds nothing new.
	for found := true; found; {
		found = false
		for _, p := range all {
			if !code[p.ImportPath] && slices.ContainsFunc(p.Imports, func(i string) bool { return code[i] }) {
				code[p.ImportPath], found = true, true
			}
		}
	}
	users := map[string]bool{}
	for _, p := range all {
		users[p.ImportPath] = code[p.ImportPath] ||
			slices.ContainsFunc(slices.Concat(p.TestImports, p.XTestImports), func(i string) bool { return code[i] })
	}
	return users
}

// changedPackages returns the packages of the module that files belong to.
func (m module) changedPackages(all []goPackage, files []string) []string {
	names := map[string]bool{}
	for _, p := range all {
		names[p.ImportPath] = true
	}
	var changed []string
	for _, f := range files {
		within, ok := strings.CutPrefix(f, m.dir+"/")
		if !ok && m.dir != "." {
			continue
		}
		// The nearest directory above with Go files is the package of testdata and templates.
		for dir := path.Dir(cmp.Or(within, f)); ; dir = path.Dir(dir) {
			name := path.Join(m.path, dir)
			if names[name] {
				changed = append(changed, name)
			}
			if names[name] || dir == "." {
				break
			}
		}
	}
	slices.Sort(changed)
	return slices.Compact(changed)
}
