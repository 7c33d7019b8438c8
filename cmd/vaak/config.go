package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/lang"
	"vaak/voice"
)

// configFile is what --config names. Settings that are flags have the flag's
// name; maps live here only.
type configFile struct {
	path   string
	values map[string]any
	// lenient has faults of the file gathered instead of refused: for the command that
	// is to tell of them.
	lenient bool
	faults  []error

	// VoiceAliases add to the built-in aliases of voices, replace them, and switch single
	// ones off; BuiltInAliases false switches off all of them.
	VoiceAliases   map[string]voice.ID    `toml:"voice_aliases"`
	BuiltInAliases *bool                  `toml:"builtin_voice_aliases"` // nil is true
	DefaultVoices  map[lang.Code]voice.ID `toml:"default_voices"`
	Plans          []planSetting          `toml:"plans"`
	// WSOrigins are the origins whose pages may open sockets and call as agents do.
	WSOrigins []string `toml:"ws_origins"`

	mailSettings
}

// voices returns what finds the voices that requests name.
func (f *configFile) voices() (*voice.Directory, error) {
	naming := voice.Naming{Aliases: f.VoiceAliases, NoBuiltIn: f.BuiltInAliases != nil && !*f.BuiltInAliases}
	voices, err := voice.NewDirectory(naming)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return voices, nil
}

// origins are the WSOrigins without the slash that some end with.
func (f *configFile) origins() []string {
	list := slices.Clone(f.WSOrigins)
	for i, o := range list {
		list[i] = strings.TrimSuffix(o, "/")
	}
	return list
}

// planSetting is a plan in the file. Its limits have to be there: one that was
// forgotten must be neither 0 nor unlimited.
type planSetting struct {
	ID         string `toml:"id"`
	Name       string `toml:"name"` // "" is the id
	Characters *int64 `toml:"characters"`
	RPM        *int   `toml:"rpm"`
	Streams    *int   `toml:"streams"`
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

// refuse returns the error, or gathers it.
func (f *configFile) refuse(err error) error {
	if err != nil && f.lenient {
		f.faults = append(f.faults, err)
		return nil
	}
	return err
}

func (f *configFile) read(path string) error {
	if path == "" {
		return nil
	}
	f.path = path
	return f.refuse(f.decode(path))
}

func (f *configFile) decode(path string) error {
	if _, err := toml.DecodeFile(path, &f.values); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	meta, err := toml.DecodeFile(path, f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	for _, key := range meta.Undecoded() {
		if key[0] == "plans" || key[0] == "mail" {
			return fmt.Errorf("%s: unknown setting %q", path, key)
		}
	}
	if err := f.mailSettings.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// setPlans brings the plans of the file into the database. An error names the
// entry, which is counted from 1.
func (f *configFile) setPlans(ctx context.Context, a *account.Service) error {
	if len(f.Plans) == 0 {
		return nil
	}
	there, err := a.Plans(ctx)
	if err != nil {
		return err
	}
	for i, p := range f.Plans {
		plan, err := p.plan()
		if err == nil && !slices.Contains(there, plan) {
			err = a.SetPlan(ctx, plan)
		}
		if err != nil {
			return fmt.Errorf("%s: plans, entry %d (%s): %w", f.path, i+1, p.ID, err)
		}
	}
	return nil
}

func (p planSetting) plan() (ledger.Plan, error) {
	if p.Characters == nil || p.RPM == nil || p.Streams == nil {
		return ledger.Plan{}, errors.New("characters, rpm and streams are needed; -1 is unlimited")
	}
	return ledger.Plan{
		ID: p.ID, Name: cmp.Or(p.Name, p.ID), MonthlyCharacters: *p.Characters, RequestsPerMinute: *p.RPM, MaxStreams: *p.Streams,
	}, nil
}

// tables are the settings that are no flags.
var tables = []string{"voice_aliases", "builtin_voice_aliases", "default_voices", "plans", "ws_origins", "mail", "enquiry_acknowledge", "consent_policy"}

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
			if err := f.refuse(fmt.Errorf("%s: unknown setting %q", f.path, name)); err != nil {
				return err
			}
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
	value := f.values[flag.Name]
	if _, ok := value.(string); value != nil && !ok && flag.Target.Kind() == reflect.String {
		return nil, fmt.Errorf("%s: %s has to be text in quotes", f.path, flag.Name) // the parser would print a password
	}
	return value, nil
}
