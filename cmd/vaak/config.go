package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/app"
	"vaak/app/speaker"
	"vaak/lang"
	"vaak/rest/live"
	"vaak/speech"
	"vaak/voice"
)

// configFile is the file that --config names. A setting that is also a flag has the name of
// the flag; those with several values are only in the file.
type configFile struct {
	path   string
	values map[string]any
	// lenient gathers the faults of the file instead of refusing it, for the command that
	// reports them.
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

// voices returns what the file says of voices, of which some are added. The defaults of languages
// are not checked.
func (f *configFile) voices(added []voice.Voice) (speaker.Voices, error) {
	naming := voice.Naming{Aliases: f.VoiceAliases, NoBuiltIn: f.BuiltInAliases != nil && !*f.BuiltInAliases, Added: added}
	voices, err := voice.NewDirectory(naming)
	if err != nil {
		return speaker.Voices{}, fmt.Errorf("%s: %w", f.path, err)
	}
	return speaker.Voices{Directory: voices, Defaults: f.DefaultVoices}, nil
}

// origins are the WSOrigins without the slash that some end with.
func (f *configFile) origins() []string {
	list := slices.Clone(f.WSOrigins)
	for i, o := range list {
		list[i] = strings.TrimSuffix(o, "/")
	}
	return list
}

// planSetting is a plan in the file. All limits must be given: one that was forgotten must
// mean neither 0 nor unlimited.
type planSetting struct {
	ID         string `toml:"id"`
	Name       string `toml:"name"` // "" is the id
	Characters *int64 `toml:"characters"`
	RPM        *int   `toml:"rpm"`
	Streams    *int   `toml:"streams"`
}

// configPath finds --config before the flags are parsed, since the file supplies the values of
// other flags.
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

// refuse returns the error, or gathers it where the file is lenient.
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
	// Read twice: into a map for the values of flags, whose names are known to kong alone,
	// and into the struct for the tables.
	if _, err := toml.DecodeFile(path, &f.values); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	meta, err := toml.DecodeFile(path, f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	for _, key := range meta.Undecoded() {
		// Validate checks the names at the top. A misspelt name inside a table is found
		// only here.
		if key[0] == "plans" || key[0] == "mail" {
			return fmt.Errorf("%s: unknown setting %q", path, key)
		}
	}
	if err := f.mailSettings.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// speech returns the speech service on engines with the voices of the file. It keeps nothing and
// charges nobody.
func (f *configFile) speech(e *speaker.Engines, log *slog.Logger) (*speech.Service, error) {
	voices, err := f.voices(e.Added())
	if err != nil {
		return nil, err
	}
	svc, err := speaker.New(e, account.Unmetered{}, voices, speaker.Kept{}, log)
	if err != nil {
		return nil, err
	}
	return svc.Service, nil
}

// plans returns the plans of the file, whose limits the accounts check when they set them.
// An error names the entry, which is counted from 1; the entries before it are returned.
func (f *configFile) plans() ([]app.Plan, error) {
	var all []app.Plan
	for i, p := range f.Plans {
		name := fmt.Sprintf("%s: plans, entry %d (%s)", f.path, i+1, p.ID)
		plan, err := p.plan()
		if err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, app.Plan{Plan: plan, Name: name})
	}
	return all, nil
}

// check returns what is wrong with the settings that only the file has. Some of the errors
// may be nil.
func (f *configFile) check(added []voice.Voice) []error {
	plans, planErr := f.plans()
	for _, p := range plans {
		if err := account.CheckPlan(p.Plan); err != nil {
			planErr = fmt.Errorf("%s: %w", p.Name, err)
			break
		}
	}
	voices, named := f.voices(added)
	return []error{planErr, named, speech.CheckVoices(voices.Directory, f.DefaultVoices), live.CheckOrigins(f.origins())}
}

func (p planSetting) plan() (ledger.Plan, error) {
	if p.Characters == nil || p.RPM == nil || p.Streams == nil {
		return ledger.Plan{}, errors.New("characters, rpm and streams are needed; -1 is unlimited")
	}
	return ledger.Plan{
		ID: p.ID, Name: cmp.Or(p.Name, p.ID), MonthlyCharacters: *p.Characters, RequestsPerMinute: *p.RPM, MaxStreams: *p.Streams,
	}, nil
}

// tables are the settings that are only in the file.
var tables = []string{"voice_aliases", "builtin_voice_aliases", "default_voices", "plans", "ws_origins", "mail", "enquiry_acknowledge", "consent_policy"}

// Validate refuses a file with a setting that does not exist. Kong calls it.
func (f *configFile) Validate(app *kong.Application) error {
	known := slices.Clone(tables)
	for _, node := range append([]*kong.Node{app.Node}, app.Leaves(true)...) {
		for _, flag := range node.Flags {
			known = append(known, flag.Name)
			if isSecret(flag) {
				known = append(known, flag.Name+fileSuffix)
			}
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

// Resolve supplies the value of a flag that neither the command line nor the environment
// sets. Kong calls it.
func (f *configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	// A value from here would win over the environment, which is to win over the file.
	for _, env := range flag.Envs {
		if _, ok := os.LookupEnv(env); ok {
			return nil, nil
		}
	}
	value := f.values[flag.Name]
	if _, ok := value.(string); value != nil && !ok && flag.Target.Kind() == reflect.String {
		return nil, fmt.Errorf("%s: %s has to be text in quotes", f.path, flag.Name) // kong would print the value, which may be a password
	}
	return value, nil
}
