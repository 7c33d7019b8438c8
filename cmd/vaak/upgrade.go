package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"vaak/app"
	"vaak/app/deployment"
	"vaak/app/upgrade"
	"vaak/internal/checkup"
)

// upgradeName is the name of the command, whose check reports the faults of the configuration
// file too.
const upgradeName = "upgrade"

type upgradeCommand struct {
	Check upgradeCheckCommand `cmd:"" help:"Tell, with the new program and before it serves, what upgrading to it does to a deployment: migrations, servers that run, backup, room, and the commands that upgrade and roll back. It changes nothing."`
}

// upgradeCheckCommand has all flags of serve, so that the same line, environment and file say
// which deployment is meant.
type upgradeCheckCommand struct {
	doctorCommand
	Way        string `help:"How the deployment runs: package, kubernetes or program. Default: what this machine looks like." enum:"package,kubernetes,program," default:"" placeholder:"WAY"`
	LastBackup string `help:"File of the newest backup or dump. Default: the last one that vaak backup has made of the data directory." type:"path" placeholder:"FILE"`
	BackupDir  string `help:"Directory for the backup before the upgrade. Default: ${default}." default:"/var/tmp" type:"path" placeholder:"DIR"`
}

// upgradeReport is the report in JSON.
type upgradeReport struct {
	diagnosis
	upgrade.Plan
}

// Run runs all checks, and prints what they found and the commands; the error says which failed.
func (c upgradeCheckCommand) Run(ctx context.Context, s streams, file *configFile, parser *kong.Kong) error {
	limited, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	cfg := upgrade.Config{
		Config: c.config(file), Executable: executable, Variables: strayVariables(parser.Model, os.Environ()),
		Voices: cmp.Or(c.VoiceDir, c.place().In(deployment.Voices)), LastBackup: c.LastBackup, BackupDir: c.BackupDir, Way: upgrade.Way(c.Way),
	}
	if inPostgres(cfg.Place) {
		if name, err := withoutPassword(cfg.Place.DSN()); err == nil {
			cfg.Dump = "pg_dump --dbname=" + quoted(name) + " --format=custom --file="
			cfg.DumpBack = "pg_restore --dbname=" + quoted(name) + " --clean --if-exists --no-owner --single-transaction "
		}
	}
	look := upgrade.New(cfg)
	defer look.Close()
	began := time.Now()
	var failed error // to write
	tell := func(r checkup.Result) {
		if failed == nil && !c.JSON {
			failed = s.tell(r)
		}
	}
	report := checkup.Run(limited, look.Checks(), tell)
	took := time.Since(began)
	verdict := failures(report)
	if ctx.Err() != nil {
		verdict = errors.New("interrupted")
	}
	plan := look.Plan()
	if c.JSON {
		failed = s.inertJSON(upgradeReport{diagnosis{
			Version: version, Platform: app.Platform(), OK: verdict == nil, Counts: counted(report),
			Took: float64(took.Microseconds()) / 1000, Checks: report.Results,
		}, plan})
	} else if failed == nil {
		_, failed = fmt.Fprintf(s.out, "\n%s in %.1f s\n%s", summed(report), took.Seconds(), planned(plan, verdict == nil))
	}
	return errors.Join(failed, verdict)
}

// planned writes the commands of a plan for people.
func planned(p upgrade.Plan, good bool) string {
	if len(p.Upgrade) == 0 {
		return ""
	}
	var b strings.Builder
	how := "rolling: servers are replaced one by one, and no request is lost"
	switch {
	case len(p.Servers) == 0:
		how = "while no server runs"
	case !p.Rolling:
		how = "with all servers stopped"
	}
	if !good {
		how += "; not before the failures above are mended"
	}
	fmt.Fprintf(&b, "\nto upgrade, %s:\n", how)
	for _, command := range p.Upgrade {
		fmt.Fprintf(&b, "  %s\n", inert(command))
	}
	how = "what was written since stays"
	if p.Restores {
		how = "by restoring the backup, and what was written since is lost"
	}
	fmt.Fprintf(&b, "to roll back, %s:\n", how)
	for _, command := range p.RollBack {
		fmt.Fprintf(&b, "  %s\n", inert(command))
	}
	return b.String()
}

// strayVariables returns the names in the environment that look like settings of this program and
// are none.
func strayVariables(model *kong.Application, environ []string) (names []string) {
	known := map[string]bool{}
	for _, node := range append([]*kong.Node{model.Node}, model.Leaves(true)...) {
		for _, flag := range node.Flags {
			for _, env := range flag.Envs {
				known[env] = true
				known[env+strings.ToUpper(strings.ReplaceAll(fileSuffix, "-", "_"))] = isSecret(flag)
			}
		}
	}
	for _, one := range environ {
		name, _, _ := strings.Cut(one, "=")
		// Kubernetes sets VAAK_PORT and VAAK_SERVICE_HOST for a Service called vaak.
		if strings.HasPrefix(name, "VAAK_") && !known[name] && !strings.HasPrefix(name, "VAAK_PORT") && !strings.HasPrefix(name, "VAAK_SERVICE_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
