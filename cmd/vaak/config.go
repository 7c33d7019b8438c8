package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"vaak/lang"
	"vaak/voice"
)

// configFile is what --config names. Settings that are flags have the flag's
// name; maps live here only.
type configFile struct {
	path   string
	values map[string]any

	VoiceAliases  map[string]voice.ID    `toml:"voice_aliases"`
	DefaultVoices map[lang.Code]voice.ID `toml:"default_voices"`
}

// configPath finds --config before the rest is parsed, since the file supplies
// the values of other flags.
func configPath(args []string) string {
	for i, a := range args {
		if a == "--" {
			break
		}
		if v, ok := strings.CutPrefix(a, "--config="); ok {
			return v
		}
		if a == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return os.Getenv("VAAK_CONFIG")
}

func (f *configFile) read(path string) error {
	if path == "" {
		return nil
	}
	f.path = path
	if _, err := toml.DecodeFile(path, &f.values); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if _, err := toml.DecodeFile(path, f); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// tables are the settings that are no flags.
var tables = []string{"voice_aliases", "default_voices"}

// Validate refuses a file with settings that no flag has.
func (f *configFile) Validate(app *kong.Application) error {
	known := slices.Clone(tables)
	for _, node := range append([]*kong.Node{app.Node}, app.Leaves(true)...) {
		for _, flag := range node.Flags {
			known = append(known, flag.Name)
		}
	}
	for name := range f.values {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: unknown setting %q", f.path, name)
		}
	}
	return nil
}

// Resolve supplies the value of a flag that neither the command line nor the
// environment sets.
func (f *configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, env := range flag.Envs {
		if _, ok := os.LookupEnv(env); ok {
			return nil, nil
		}
	}
	return f.values[flag.Name], nil
}
