package upgrade

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// Way is how a deployment runs, which decides what is typed.
type Way string

// The ways.
const (
	Package    Way = "package"    // the Debian package and its service
	Kubernetes Way = "kubernetes" // the Helm chart
	Program    Way = "program"    // vaak serve, started by hand or by a supervisor of yours
)

// here finds out how the deployment on this machine runs.
func here() Way {
	if os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		return Kubernetes
	}
	for _, unit := range []string{"/usr/lib/systemd/system/vaak.service", "/lib/systemd/system/vaak.service"} {
		if _, err := os.Stat(unit); err == nil {
			return Package
		}
	}
	return Program
}

// chosen are the labels of the servers of a release of the chart, whatever its name.
const chosen = "--selector=app.kubernetes.io/name=vaak,app.kubernetes.io/instance=RELEASE"

// commands returns what to type to upgrade, and to roll back afterwards. OLD is the directory of the
// old program, OLD and NEW the versions of packages, which this program cannot know.
func (l *Look) commands(p Plan) (upgrade, back []string) {
	save, restore := l.saving(filepath.Join(l.BackupDir, "vaak-before-"+fileName(l.Version)))
	switch l.Way {
	case Kubernetes:
		stop := []string{
			"kubectl scale deployment " + chosen + " --replicas=0",
			"kubectl wait pod " + chosen + ",app.kubernetes.io/component=server --for=delete --timeout=5m",
		}
		// Not --reuse-values, which lacks the values that are new in the chart.
		replace := "helm upgrade RELEASE deploy/helm/vaak --reset-then-reuse-values --set image.tag=" + shell(l.Version) + " --wait"
		if !p.Rolling {
			upgrade = stop
		}
		if upgrade = append(upgrade, replace); save != "" {
			upgrade = slices.Insert(upgrade, len(upgrade)-1, save)
		}
		if p.Restores {
			back = append(stop, restore)
		}
		return upgrade, append(back, "helm rollback RELEASE --wait")
	case Package:
		install := fmt.Sprintf("apt install ./vaak_NEW_%s.deb", runtime.GOARCH)
		earlier := fmt.Sprintf("apt install --allow-downgrades ./vaak_OLD_%s.deb", runtime.GOARCH)
		return around(p, save, restore, "systemctl stop vaak", install, "systemctl start vaak", "systemctl start vaak", earlier)
	}
	program, flags := shell(l.Executable), l.flags()
	take := ` takeover "$(pgrep -o -f 'vaak serve')"`
	if p.Rolling && len(p.Servers) > 0 {
		upgrade, back = []string{program + take}, []string{"OLD/vaak" + take}
		if save != "" {
			upgrade = []string{save, program + take}
		}
		if !p.Restores {
			return upgrade, back
		}
		return upgrade, []string{`kill -TERM "$(pgrep -o -f 'vaak serve')"`, restore, "OLD/vaak serve" + flags}
	}
	return around(p, save, restore, `pkill -TERM -f 'vaak serve'`, "", program+" serve"+flags, "OLD/vaak serve"+flags, "")
}

// around puts commands in order: servers are stopped where both programs cannot run at once, and
// where a backup is restored. An installation replaces running servers one by one.
func around(p Plan, save, restore, stop, install, start, startOld, earlier string) (upgrade, back []string) {
	add := func(to []string, all ...string) []string {
		for _, c := range all {
			if c != "" {
				to = append(to, c)
			}
		}
		return to
	}
	running := len(p.Servers) > 0
	switch {
	case p.Rolling && running:
		upgrade = add(upgrade, save, install)
	case running:
		upgrade = add(upgrade, stop, save, install, start)
	default:
		upgrade = add(upgrade, save, install, start)
	}
	if p.Restores {
		return upgrade, add(back, stop, earlier, restore, startOld)
	}
	if earlier != "" {
		return upgrade, add(back, earlier)
	}
	return upgrade, add(back, stop, startOld)
}

// saving returns the commands that make a backup and bring it back. The name of its file has no
// ending. Where the check has found that very backup, save is "".
func (l *Look) saving(name string) (save, restore string) {
	end := ".tar.gz"
	if l.found.Postgres {
		end = ".dump"
	}
	file, made := l.unused(name, end)
	save, restore = l.Dump+shell(file), l.DumpBack+shell(file)
	if !l.found.Postgres {
		program, restoring := shell(l.Executable), l.flags()+l.kept()
		saving := restoring
		if l.Voices != "" && l.Voices != l.Place.In("voices") {
			saving += " --voice-dir " + shell(l.Voices)
		}
		earlier := program
		switch l.Way {
		case Package:
			program, saving, restoring = "vaak-admin", "", ""
			earlier = program
		case Program:
			earlier = "OLD/vaak"
		}
		save = fmt.Sprintf("%s backup%s %s", program, saving, shell(file))
		restore = fmt.Sprintf("%s restore --force%s %s", earlier, restoring, shell(file))
	}
	if made {
		save = ""
	}
	return save, restore
}

// unused returns the path of a file that is not there yet, since no backup replaces another; or of
// the fresh backup that was made under such a name.
func (l *Look) unused(name, end string) (file string, made bool) {
	file = name + end
	for n := 2; ; n++ {
		if file == l.fresh {
			return file, true
		}
		if _, err := os.Lstat(file); err != nil {
			return file, false
		}
		file = fmt.Sprintf("%s-%d%s", name, n, end)
	}
}

// flags returns the flags that name the deployment. A URL of PostgreSQL, which may hold a
// password, is left to the environment.
func (l *Look) flags() (out string) {
	if l.File != "" {
		out = " --config " + shell(l.File)
	}
	out += " --data-dir " + shell(l.Place.DataDir)
	if l.Place.Database != "" && !l.found.Postgres {
		out += " --database " + shell(l.Place.Database)
	}
	return out
}

// kept returns the flags of what is not at its usual place. Without them a backup would hold a secret
// of another name.
func (l *Look) kept() (out string) {
	if l.Place.Secret != "" {
		out += " --secret " + shell(l.Place.Secret)
	}
	if l.Place.Objects != "" {
		out += " --objects " + shell(l.Place.Objects)
	}
	return out
}

// fileName makes a part of a file name of a version.
func fileName(version string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, version)
}

// shell writes a word so that a shell takes it as it is.
func shell(word string) string {
	plain := word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+-,", r)
	}) < 0
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
