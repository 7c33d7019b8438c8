package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"vaak/engine/enginetest"
)

// TestMain lets the test binary stand in for vaak, in scripts and for tests
// that start a server of their own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vaak": main})
}

func TestScripts(t *testing.T) {
	worker := enginetest.Worker(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("VAAK_ESPEAK_WORKER", worker)
			e.Setenv("VAAK_DATA_DIR", e.WorkDir+"/var")
			return nil
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}
