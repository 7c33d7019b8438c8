package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/engine/enginetest"
	"vaak/internal/checkup"
	"vaak/internal/needed"
	"vaak/store/database"
	"vaak/store/migrations"
	"vaak/store/storetest/pgtest"
)

// foreseen is what a run of upgrade check gave.
type foreseen struct {
	*examination
	upgradeReport
	text string // for people
}

// foresee runs upgrade check on a data directory, as a program and as a person asks for it.
func foresee(t *testing.T, dir string, flags ...string) *foreseen {
	t.Helper()
	args := append([]string{"upgrade", "check", "--data-dir", dir, "--backup-dir", filepath.Dir(dir), "--way", "program"}, flags...)
	if !strings.Contains(strings.Join(flags, " "), "--services") {
		args = append(args, "--services", "catalogue")
	}
	var out, stderr, text bytes.Buffer
	f := &foreseen{examination: &examination{t: t}}
	f.status = run(t.Context(), append(args, "--json"), nil, &out, &stderr)
	f.raw, f.stderr = out.String(), stderr.String()
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f.upgradeReport); err != nil {
		t.Fatalf("vaak %s = %d, %q, %q: %v", strings.Join(args, " "), f.status, f.raw, f.stderr, err)
	}
	f.examination.diagnosis = f.upgradeReport.diagnosis
	if f.examination.OK != (f.status == 0) || f.status > 1 || f.examination.OK != (f.stderr == "") {
		t.Errorf("ok is %v, the status %d and standard error %q", f.examination.OK, f.status, f.stderr)
	}
	if status := run(t.Context(), args, nil, &text, &stderr); status != f.status {
		t.Errorf("without --json the status is %d, with it %d", status, f.status)
	}
	f.text = text.String()
	return f
}

// plans wants the commands to be of a kind.
func (f *foreseen) plans(rolling, restores bool, upgrade, back string) {
	f.t.Helper()
	if f.Rolling != rolling || f.Restores != restores {
		f.t.Errorf("rolling is %v and restores %v, want %v and %v: %s", f.Rolling, f.Restores, rolling, restores, f.raw)
	}
	for _, c := range []struct {
		what string
		got  []string
		want string
	}{{"upgrade", f.Upgrade, upgrade}, {"roll back", f.RollBack, back}} {
		if got := strings.Join(c.got, "; "); !regexp.MustCompile(c.want).MatchString(got) {
			f.t.Errorf("to %s: %q, want what matches %q", c.what, got, c.want)
		}
		for _, line := range c.got {
			if !strings.Contains(f.text, "\n  "+line+"\n") {
				f.t.Errorf("%q is not in\n%s", line, f.text)
			}
		}
	}
}

// databaseAt makes a database of an earlier version.
func databaseAt(t *testing.T, dsn string, version int) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	steps, err := db.Steps()
	if err == nil {
		err = db.MigrateTo(t.Context(), steps[:version])
	}
	if err != nil {
		t.Fatal(err)
	}
}

// deployed returns a data directory with a database, in a directory of its own.
func deployed(t *testing.T, version int) (dir, path string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "var")
	path = filepath.Join(dir, "vaak.db")
	databaseAt(t, "sqlite:"+path, version)
	return dir, path
}

// newest returns the schema version of this program.
func newest(t *testing.T) int {
	t.Helper()
	steps, err := migrations.Of("sqlite")
	if err != nil {
		t.Fatal(err)
	}
	return len(steps)
}

const nowServing = "CAST(1000000.0 * unixepoch('now', 'subsec') AS INTEGER)"

func TestCommandUpgradeOfNothing(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	dir := filepath.Join(above, "var")
	unchanged(t, above, func() {
		f := foresee(t, dir)
		f.expect("schema", checkup.Failure, "there is no database of Vaak at "+regexp.QuoteMeta(dir)).
			expect("servers", checkup.Skipped, "could not be read").expect("backup", checkup.Skipped, "").expect("room", checkup.Skipped, "")
		f.plans(false, false, "^$", "^$")
	})
	foresee(t, dir, "--database", "sqlite::memory:").expect("schema", checkup.Failure, "in memory")
	foresee(t, dir, "--database", "postgres://vaak:hunter2@"+needed.Address(t)+"/vaak").expect("schema", checkup.Failure, "refused")
}

// TestCommandUpgradeFromBefore looks at a deployment of a program that refuses every newer database,
// makes the backup that it asks for, upgrades, and rolls back.
func TestCommandUpgradeFromBefore(t *testing.T) {
	t.Parallel()
	dir, path := deployed(t, 11)
	onDatabase(t, path, "INSERT INTO replicas (id, address, started_at, seen_at) VALUES ('r', '127.0.0.1:8080', 1, "+nowServing+")",
		"INSERT INTO organisations (id, name, plan, created_at) VALUES ('org_a', 'Example', 'free', 1)")
	unchanged(t, dir, func() {
		f := foresee(t, dir)
		f.expect("schema", checkup.OK, fmt.Sprintf(`from version 11 to %d: 12 \(programs\).*; they only add; others wait for about 0.`, newest(t))).
			expect("servers", checkup.OK, `^1: 127.0.0.1:8080 \(a program from before schema version 12\); they go on`).
			expect("backup", checkup.Failure, "has made none").
			expect("room", checkup.OK, "a backup takes up to .* MiB")
		f.plans(true, true, `^\S+ backup --data-dir \S+ (\S+\.tar\.gz); \S+ takeover `, `^kill -TERM .*; \S+ restore --force --data-dir \S+ \S+\.tar\.gz; OLD/vaak serve`)
		if len(f.Steps) != newest(t)-11 || f.Steps[0].Oldest != 11 || !f.Steps[0].OnlyAdds || f.From != 11 || f.To != newest(t) || len(f.Servers) != 1 || !f.Servers[0].GoesOn {
			t.Errorf("the plan is %s", f.raw)
		}
	})
	// What the report says is typed.
	first := foresee(t, dir)
	typed(t, first.Upgrade[0])
	f := foresee(t, dir)
	f.expect("backup", checkup.OK, "less than a minute old")
	if f.status != 0 {
		t.Errorf("after a backup the status is %d: %s", f.status, f.stderr)
	}
	archive := strings.Fields(first.Upgrade[0])[4]
	if again := strings.Join(f.Upgrade, "; "); strings.Contains(again, " backup ") || f.RollBack[1] != first.RollBack[1] {
		t.Errorf("after a backup, to upgrade: %q, to roll back: %q; want no other backup, and this one to be restored", again, f.RollBack)
	}
	old := time.Now().Add(-3 * 24 * time.Hour)
	if err := os.Chtimes(archive, old, old); err != nil {
		t.Fatal(err)
	}
	f = foresee(t, dir)
	f.expect("backup", checkup.Failure, "3 days old")
	if !strings.HasSuffix(f.Upgrade[0], "-2.tar.gz") || !strings.HasSuffix(f.RollBack[1], "-2.tar.gz") {
		t.Errorf("beside an old backup, to upgrade: %q, to roll back: %q; want another file", f.Upgrade, f.RollBack)
	}

	onDatabase(t, path, "DELETE FROM replicas")
	typed(t, "vaak migrate --data-dir "+dir)
	foresee(t, dir).expect("schema", checkup.OK, fmt.Sprint("none: the database is at version ", newest(t))).expect("servers", checkup.OK, "none was heard of").expect("backup", checkup.Warning, "3 days old")
	typed(t, first.RollBack[1])
	if f := foresee(t, dir); f.From != 11 {
		t.Errorf("after the roll back the database is at version %d, want 11", f.From)
	}
	if n := countRows(t, path, "SELECT count(*) FROM organisations"); n != 1 {
		t.Errorf("%d organisations are there after the roll back, want 1", n)
	}
}

// typed has a shell run a command of a report, with the program that is tested.
func typed(t *testing.T, command string) {
	t.Helper()
	_, args, _ := strings.Cut(command, " ")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "vaak "+args)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
}

// TestCommandUpgradeServers has servers of several programs.
func TestCommandUpgradeServers(t *testing.T) {
	t.Parallel()
	insert := func(id, program, knows string) string {
		return "INSERT INTO replicas (id, address, started_at, seen_at, program, knows) VALUES ('" + id + "', '" + id + ":8080', 1, " + nowServing + ", '" + program + "', " + knows + ")"
	}
	for _, tt := range []struct {
		name          string
		do            []string
		want          checkup.State
		found         string
		rolling, back bool
	}{
		{"one", []string{insert("a", "v1.0.0", "12")}, checkup.OK, `^1: a:8080 \(v1.0.0, schema 12\)$`, true, false},
		{"two programs", []string{insert("a", "v1.0.0", "12"), insert("b", "v1.1.0", "12")}, checkup.Warning, "they run different programs", true, false},
		// Its program is from before what every server needs by now.
		{"too old", []string{insert("a", "v0.9.0", "8")}, checkup.Warning, "cannot go on after the migrations: a:8080", false, true},
		{"from before", []string{insert("a", "", "0")}, checkup.OK, `^1: a:8080 \(a program from before schema version 12\)$`, true, true},
		{"silent", []string{insert("a", "v1.0.0", "12"), "UPDATE replicas SET seen_at = seen_at - 16000000"}, checkup.OK, "none was heard of", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, path := deployed(t, newest(t))
			onDatabase(t, path, tt.do...)
			f := foresee(t, dir)
			f.expect("servers", tt.want, tt.found)
			f.plans(tt.rolling, tt.back, "backup", "OLD/vaak")
			if tt.back { // the backup that it would need is missing
				f.expect("backup", checkup.Failure, "has made none")
				return
			}
			if f.status != 0 {
				t.Errorf("the status is %d: %s", f.status, f.stderr)
			}
		})
	}
}

// TestCommandUpgradeNewerDatabase runs the check with the older program.
func TestCommandUpgradeNewerDatabase(t *testing.T) {
	t.Parallel()
	next := newest(t) + 1
	dir, path := deployed(t, next-1)
	onDatabase(t, path, fmt.Sprintf("INSERT INTO schema_migrations (version, name, applied_at, oldest) VALUES (%d, 'x', 0, %d)", next, next-1))
	f := foresee(t, dir)
	usable := fmt.Sprintf("version %d of a newer program, which this one, of version %d, can use", next, next-1)
	f.expect("schema", checkup.OK, usable).expect("store", checkup.OK, usable)
	f.plans(true, false, "^$", "^$")
	examine(t, dir).only().expect("store", checkup.OK, usable)
	onDatabase(t, path, fmt.Sprintf("UPDATE schema_migrations SET oldest = %[1]d WHERE version = %[1]d", next))
	foresee(t, dir).expect("schema", checkup.Failure, fmt.Sprintf("for programs of version %d and later, and this one is of version %d", next, next-1)).
		expect("store", checkup.Failure, "newer program")
	// It says so whatever command is run.
	for _, args := range [][]string{{"org", "list"}, {"migrate"}, {"serve", "--services", "catalogue", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}} {
		var out, stderr bytes.Buffer
		if status := run(t.Context(), append(args, "--data-dir", dir), nil, &out, &stderr); status != 1 || !strings.Contains(stderr.String(), "use a newer program, or restore a backup") {
			t.Errorf("vaak %s = %d, %s", args[0], status, &stderr)
		}
	}
}

// TestCommandUpgradeSettings has settings that this program does not know.
func TestCommandUpgradeSettings(t *testing.T) {
	t.Parallel()
	dir, _ := deployed(t, newest(t))
	config := filepath.Join(filepath.Dir(dir), "vaak.toml")
	if err := os.WriteFile(config, []byte("listen = \"127.0.0.1:0\"\nold-setting = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := foresee(t, dir, "--config", config)
	f.expect("settings", checkup.Failure, `unknown setting "old-setting"`)
	if !strings.HasSuffix(f.stderr, "checks failed: settings\n") {
		t.Errorf("standard error is %q", f.stderr)
	}
	cmd := exec.CommandContext(t.Context(), "vaak", "upgrade", "check", "--json", "--data-dir", dir, "--services", "catalogue", "--backup-dir", filepath.Dir(dir))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "VAAK_GONE=1", "VAAK_LISTEN=127.0.0.1:0", "VAAK_PORT=tcp://10.0.0.1:8080", "VAAK_SERVICE_HOST=10.0.0.1"}
	out, err := cmd.Output()
	var r upgradeReport
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	i := slices.IndexFunc(r.Checks, func(c checkup.Result) bool { return c.Name == "variables" })
	if err != nil || i < 0 || r.Checks[i].State != checkup.Warning || r.Checks[i].Found != "this program has no such settings: VAAK_GONE" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestCommandUpgradeWays has the commands of each way to run.
func TestCommandUpgradeWays(t *testing.T) {
	t.Parallel()
	serving, path := deployed(t, newest(t))
	onDatabase(t, path, "INSERT INTO replicas (id, address, started_at, seen_at, program, knows) VALUES ('a', 'a:8080', 1, "+nowServing+", 'v1', 12)")
	before, _ := deployed(t, 11)
	for _, tt := range []struct{ way, dir, upgrade, back string }{
		{"package", serving, `^vaak-admin backup \S+; apt install ./vaak_NEW_\w+.deb$`, `^apt install --allow-downgrades ./vaak_OLD_\w+.deb$`},
		{"package", before, `^vaak-admin backup \S+; apt install \S+; systemctl start vaak$`, `^systemctl stop vaak; apt install --allow-downgrades \S+; vaak-admin restore --force \S+; systemctl start vaak$`},
		{"kubernetes", serving, `helm upgrade RELEASE deploy/helm/vaak --reset-then-reuse-values --set image.tag=dev --wait$`, "^helm rollback RELEASE --wait$"},
		{"kubernetes", before, `backup .*; helm upgrade`, `^kubectl scale deployment --selector=\S+=RELEASE --replicas=0; kubectl wait pod --selector=\S+=RELEASE,\S+=server --for=delete .*; \S+ restore .*; helm rollback RELEASE --wait$`},
		{"program", serving, `^\S+ backup --data-dir \S+ \S+; \S+ takeover "\$\(pgrep`, "^OLD/vaak takeover"},
	} {
		foresee(t, tt.dir, "--way", tt.way).plans(true, tt.dir == before, tt.upgrade, tt.back)
	}
}

// TestCommandUpgradePlaces has settings in a file, a secret of another name and voices elsewhere, which
// the commands name: the backup holds the voices and not the secret.
func TestCommandUpgradePlaces(t *testing.T) {
	t.Parallel()
	dir, _ := deployed(t, newest(t))
	config, secret, voices := filepath.Join(filepath.Dir(dir), "vaak.toml"), filepath.Join(dir, "key"), filepath.Join(filepath.Dir(dir), "voices")
	text := fmt.Sprintf("listen = \"127.0.0.1:0\"\nsecret = %q\nvoice-dir = %q\n", secret, voices)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	of := fmt.Sprintf(" --config %s --data-dir %s", config, dir)
	f := foresee(t, dir, "--config", config)
	f.plans(true, false, " backup"+of+" --secret "+secret+" --voice-dir "+voices+` \S+; \S+ serve`+of+"$", "OLD/vaak serve"+of+"$")
}

// TestCommandUpgradeLittleRoom has a database that is larger than what is free beside it.
func TestCommandUpgradeLittleRoom(t *testing.T) {
	t.Parallel()
	for version, want := range map[int]checkup.State{11: checkup.Warning, 8: checkup.Failure} { // step 9 reads rows, later ones add
		dir, path := deployed(t, version)
		if err := os.Truncate(path, 8<<40); err != nil {
			t.Skipf("no file of 8 TiB, most of it a hole: %v", err)
		}
		foresee(t, dir).expect("room", want, "")
	}
}

func TestCommandUpgradePostgres(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	dir := filepath.Join(t.TempDir(), "var")
	foresee(t, dir, "--database", dsn).expect("schema", checkup.Failure, "there is no database of Vaak")
	databaseAt(t, dsn, 11)
	onPostgres(t, dsn, "INSERT INTO replicas (id, address, started_at, seen_at) VALUES ('r', '10.0.0.1:8080', 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)")
	dump := filepath.Join(filepath.Dir(dir), "before.dump")
	f := foresee(t, dir, "--database", dsn).
		expect("schema", checkup.OK, "from version 11 to ").
		expect("servers", checkup.OK, `^1: 10.0.0.1:8080 \(a program from before`).
		expect("backup", checkup.Failure, "does not say when it was dumped")
	if f.status != 1 {
		t.Errorf("without a dump the status is %d", f.status)
	}
	if err := os.WriteFile(dump, []byte("a dump"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := foresee(t, dir, "--database", dsn, "--last-backup", dump)
	g.expect("backup", checkup.OK, "less than a minute old")
	g.plans(true, true, `^pg_dump --dbname='postgres://[^']*' --format=custom --file=\S+\.dump; `, `pg_restore --dbname='postgres://[^']*' --clean --if-exists`)
	if strings.Contains(g.raw, "password") || g.status != 0 {
		t.Errorf("status %d: %s", g.status, g.raw)
	}
	if _, err := exec.LookPath("pg_dump"); err == nil {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", g.Upgrade[0])
		if out, err := cmd.CombinedOutput(); err != nil && !strings.Contains(string(out), "server version mismatch") {
			t.Errorf("%s: %v: %s", g.Upgrade[0], err, out)
		}
	}
}

func TestCommandUpgradeEngine(t *testing.T) {
	t.Parallel()
	dir, _ := deployed(t, newest(t))
	f := foresee(t, dir, "--services", "speech", "--espeak-worker", enginetest.Worker(t))
	f.expect("engine", checkup.OK, `libespeak-ng \d`).expect("languages", checkup.OK, "all 80 speak")
	missing := filepath.Join(dir, "none")
	foresee(t, dir, "--services", "speech", "--espeak-worker", missing).expect("engine", checkup.Failure, "no such file")
}
