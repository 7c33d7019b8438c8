package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"vaak/engine/enginetest"
	"vaak/engine/remote/remotetest"
)

// TestMain lets the test binary stand in for vaak, in scripts and for tests
// that start a server of their own.
func TestMain(m *testing.M) {
	remotetest.Main()
	testscript.Main(m, map[string]func(){"vaak": main})
}

func TestCommandScripts(t *testing.T) {
	worker := enginetest.Worker(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("VAAK_ESPEAK_WORKER", worker)
			e.Setenv("VAAK_DATA_DIR", e.WorkDir+"/var")
			e.Setenv("VAAK_PRELOAD", "false") // a script speaks one language, if any
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"org": makeOrganisation, "wrong": wrongUsage, "dataset": makeDataset, "tree": showTree, "same": sameFields, "dictionary": keepDictionary,
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// makeOrganisation, as `org VARIABLE NAME PLAN`, makes an organisation and puts its
// id into a variable of the script.
func makeOrganisation(ts *testscript.TestScript, _ bool, args []string) {
	var out, stderr bytes.Buffer
	dir := ts.Getenv("VAAK_DATA_DIR")
	if run(context.Background(), []string{"org", "create", args[1], "--plan", args[2], "--data-dir", dir}, nil, &out, &stderr) != 0 {
		ts.Fatalf("%s", &stderr)
	}
	ts.Setenv(args[0], strings.TrimSpace(out.String()))
}

// wrongUsage, as `wrong 'ARGUMENTS' 'REGEXP'`, runs a command that must exit with 2
// and one line on standard error alone that matches.
func wrongUsage(ts *testscript.TestScript, _ bool, args []string) {
	var out, stderr bytes.Buffer
	status := run(context.Background(), append(strings.Fields(args[0]), "--data-dir", ts.Getenv("VAAK_DATA_DIR")), nil, &out, &stderr)
	if status != 2 || out.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !regexp.MustCompile(args[1]).Match(stderr.Bytes()) {
		ts.Fatalf("vaak %s = %d, %q, %q; want 2, nothing and one line that matches %s", args[0], status, &out, &stderr, args[1])
	}
}
