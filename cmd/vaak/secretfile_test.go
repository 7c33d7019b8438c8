package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestCommandSecretFiles takes a secret from files in every way.
func TestCommandSecretFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	database := "sqlite:" + filepath.Join(dir, "some.db")
	migrate := func(args ...string) (status int, errOut string) {
		var out, stderr bytes.Buffer
		status = run(t.Context(), append([]string{"migrate", "--data-dir", filepath.Join(dir, "data")}, args...), strings.NewReader(""), &out, &stderr)
		return status, stderr.String()
	}
	good := write("good", database+"\n", 0o600)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	config := write("vaak.toml", "database-file = '"+good+"'\n", 0o600)
	for name, c := range map[string]struct {
		file, value string
		args        []string
		status      int
		says        string // part of standard error
	}{
		"a file":                      {file: good},
		"a link":                      {file: link},
		"a file of settings":          {args: []string{"--config", config}},
		"both variables":              {file: good, value: database, status: 2, says: "VAAK_DATABASE_FILE and --database both give a value"},
		"a flag too":                  {file: good, args: []string{"--database", database}, status: 2, says: "both give a value"},
		"settings and a variable":     {value: database, args: []string{"--config", config}, status: 2, says: "both give a value"},
		"no file":                     {file: filepath.Join(dir, "none"), status: 2, says: "VAAK_DATABASE_FILE: "},
		"a directory":                 {file: dir, status: 2, says: "not a regular file"},
		"a device":                    {file: "/dev/zero", status: 2, says: "not a regular file"},
		"an empty file":               {file: write("empty", " \n", 0o600), status: 2, says: "holds no secret"},
		"two lines":                   {file: write("two", "hunter2\nhunter3\n", 0o600), status: 2, says: "holds no secret"},
		"a huge file":                 {file: write("huge", strings.Repeat("hunter2", 10_000), 0o600), status: 2, says: "holds no secret"},
		"a file that others may read": {file: write("open", database, 0o644), says: "every user of this machine may read"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.file != "" {
				t.Setenv("VAAK_DATABASE_FILE", c.file)
			}
			if c.value != "" {
				t.Setenv("VAAK_DATABASE", c.value)
			}
			status, errOut := migrate(c.args...)
			if status != c.status || !strings.Contains(errOut, c.says) || c.says == "" && errOut != "" || strings.Contains(errOut, "hunter") {
				t.Errorf("vaak migrate = %d, %s; want %d and %q", status, errOut, c.status, c.says)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "some.db")); err != nil {
		t.Errorf("the database that the file names was not made: %v", err)
	}
}

// TestCommandSecretFlags holds flags that sound like secrets to the rule: a file by name, or a
// value that may come from a file.
func TestCommandSecretFlags(t *testing.T) {
	t.Parallel()
	app, err := kong.New(&cli{}, kong.DefaultEnvars("VAAK"), helpVars())
	if err != nil {
		t.Fatal(err)
	}
	secret, without := map[string]bool{}, []string{"port", "config", "help"}
	for _, leaf := range app.Model.Leaves(true) {
		for _, flag := range leaf.Flags {
			if isSecret(flag) {
				secret[flag.Name] = true
				if !strings.Contains(flag.Help, "VAAK_"+strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))+"_FILE") {
					t.Errorf("the help of --%s does not name its file: %s", flag.Name, flag.Help)
				}
			}
			if strings.Contains(flag.Help, "PASSWORD") && !isSecret(flag) {
				t.Errorf("--%s of %s may hold a password, which no file can hold", flag.Name, leaf.Path())
			}
			if len(flag.Envs) != 1 && !strings.Contains(strings.Join(without, " "), flag.Name) {
				t.Errorf("--%s of %s has no environment variable: %v", flag.Name, leaf.Path(), flag.Envs)
			}
		}
	}
	for _, name := range []string{"database", "smtp", "otlp-headers"} {
		if !secret[name] {
			t.Errorf("--%s is no secret", name)
		}
	}
}
