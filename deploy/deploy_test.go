package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"vaak/engine"
	"vaak/engine/remote"
	"vaak/engine/remote/settings"
	"vaak/internal/needed"
	"vaak/internal/telemetry"
	"vaak/store/files/bucket"
	"vaak/voice"
)

// readPools reads the text of a file of pools as the server does, and checks the voices that its
// voices fall back on.
func readPools(t *testing.T, text string) settings.Settings {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pools.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := remote.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Pools) == 0 || len(s.Voices) == 0 {
		t.Errorf("there are %d pools and %d voices", len(s.Pools), len(s.Voices))
	}
	for _, v := range s.Voices {
		for _, r := range v.Rungs {
			if _, ok := voice.Lookup(r.Voice); r.Voice != "" && !ok {
				t.Errorf("voice %s falls back on %s, which does not exist", v.Key, r.Voice)
			}
		}
	}
	return s
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPoolFiles reads every example of a file of pools.
func TestPoolFiles(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".toml" {
			t.Run(path, func(t *testing.T) { readPools(t, readFile(t, path)) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var tomlBlock = regexp.MustCompile("(?ms)^```toml\n(.*?)^```$")

// TestGuide reads every file of pools that docs/pools.md shows. Those that are parts of one begin
// with a comment that says so.
func TestGuide(t *testing.T) {
	t.Parallel()
	whole := 0
	for _, m := range tomlBlock.FindAllStringSubmatch(readFile(t, "../docs/pools.md"), -1) {
		if strings.HasPrefix(m[1], "# part") {
			continue
		}
		readPools(t, m[1])
		whole++
	}
	if whole == 0 {
		t.Error("docs/pools.md shows no file")
	}
}

// TestSettings checks that docs/pools.md has every setting of the file.
func TestSettings(t *testing.T) {
	t.Parallel()
	guide := readFile(t, "../docs/pools.md")
	source := readFile(t, "../engine/remote/settings/read.go")
	names := regexp.MustCompile("`toml:\"([a-z_]+)\"`").FindAllStringSubmatch(source, -1)
	if len(names) < 30 {
		t.Errorf("the source has %d settings", len(names))
	}
	for _, m := range names {
		line, header := "\n| `"+m[1]+"` |", "`["+m[1]+".NAME]`" // the tables of pools and voices have names
		if !strings.Contains(guide, line) && !strings.Contains(guide, header) {
			t.Errorf("docs/pools.md has no line of a table for the setting %s", m[1])
		}
	}
	usual := readPools(t, "[pools.p]\nkind = \"openai\"\nmembers = [{ url = \"http://h\" }]\n[voices.v]\npool = \"p\"\n").Pools[0]
	for name, d := range map[string]time.Duration{"queue": usual.Queue, "first_audio": usual.FirstAudio, "stall": usual.Stall} {
		if cells := row(t, guide, name); !strings.Contains(cells[3], fmt.Sprintf("%q", d)) {
			t.Errorf("docs/pools.md says that %s is by default %s, want %s", name, cells[3], d)
		}
	}
}

// row returns the cells of the line of a table that begins with a name.
func row(t *testing.T, text, name string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n| `"+name+"` | ")
	line, _, _ := strings.Cut(rest, "\n")
	cells := append([]string{name}, strings.Split(line, " | ")...)
	if !ok || len(cells) < 5 {
		t.Fatalf("docs/pools.md has no line of a table for %s", name)
	}
	return cells
}

// TestKinds checks that the table of kinds in docs/pools.md is true.
func TestKinds(t *testing.T) {
	t.Parallel()
	guide := readFile(t, "../docs/pools.md")
	for _, k := range remote.Kinds {
		cells := row(t, guide, k.Name)
		if rate := fmt.Sprintf("%d,%03d", k.Rate/1000, k.Rate%1000); cells[2] != rate {
			t.Errorf("the rate of %s is %s, want %s", k.Name, cells[2], rate)
		}
		named := len(regexp.MustCompile("`[a-z_]+`").FindAllString(cells[3], -1))
		for _, p := range k.Parameters {
			known := slices.Contains(engine.Usual, p)
			if text := fmt.Sprintf("`%s` %g to %g", p.Name, p.Min, p.Max); !strings.Contains(cells[3], "`"+p.Name+"`") || !known && !strings.Contains(cells[3], text) {
				t.Errorf("the sampling of %s is %s, want %s", k.Name, cells[3], text)
			}
		}
		if named != len(k.Parameters) {
			t.Errorf("the sampling of %s is %s, want %d parameters", k.Name, cells[3], len(k.Parameters))
		}
		if cells[4] == "yes" != k.Reference || strings.HasPrefix(cells[5], "yes") != k.Times {
			t.Errorf("%s takes a recording: %s, and tells times: %s; want %v and %v", k.Name, cells[4], cells[5], k.Reference, k.Times)
		}
	}
}

// TestCompose checks that the members of the example are services, and that the port is theirs.
func TestCompose(t *testing.T) {
	t.Parallel()
	var file struct {
		Services map[string]struct {
			Environment map[string]string
			Command     []string
			Volumes     []string
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "compose/pools/compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	for _, p := range readPools(t, readFile(t, "compose/pools/pools.toml")).Pools {
		for _, m := range p.Members {
			name, port, _ := strings.Cut(strings.TrimPrefix(m.URL, "http://"), ":")
			service, ok := file.Services[name]
			if !ok || !slices.Contains(service.Command, port) || !slices.Contains(service.Command, p.Target.Model) {
				t.Errorf("member %s with model %s is none of the services: %v", m.URL, p.Target.Model, service.Command)
			}
		}
	}
	vaak := file.Services["vaak"]
	if at := vaak.Environment["VAAK_POOLS"]; !slices.Contains(vaak.Volumes, "./pools.toml:"+at+":ro") {
		t.Errorf("VAAK_POOLS is %s, and the volumes are %v", at, vaak.Volumes)
	}
}

// TestWhole checks that the servers of compose.yaml are those of its proxy, that they believe the
// proxy, and that nothing but the proxy and the console is published.
func TestWhole(t *testing.T) {
	t.Parallel()
	var file struct {
		Services map[string]struct {
			Environment map[string]string
			Ports       []string
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
		}
		Networks struct {
			Default struct {
				IPAM struct{ Config []struct{ Subnet string } }
			}
		}
	}
	// A service that merges the settings of all replaces some of them.
	if err := yaml.UnmarshalWithOptions([]byte(readFile(t, "compose/compose.yaml")), &file, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatal(err)
	}
	_, backends, _ := strings.Cut(readFile(t, "compose/haproxy.cfg"), "\nbackend vaak\n")
	ready, unready, _ := strings.Cut(backends, "\nbackend unready\n")
	server := regexp.MustCompile(`(?m)^    server (\S+) (\S+):8080$`)
	members, others := server.FindAllStringSubmatch(ready, -1), server.FindAllStringSubmatch(unready, -1)
	if len(members) != 2 || !reflect.DeepEqual(members, others) {
		t.Errorf("the proxy has the servers %q, and %q when none is ready, want the same two", members, others)
	}
	for _, m := range members {
		s, ok := file.Services[m[2]]
		if !ok || !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) {
			t.Errorf("%s is no service, or has more rights than it needs: %+v", m[2], s)
		}
		if subnet := file.Networks.Default.IPAM.Config[0].Subnet; s.Environment["VAAK_TRUSTED_PROXIES"] != subnet {
			t.Errorf("%s believes %s, and the network is %s", m[2], s.Environment["VAAK_TRUSTED_PROXIES"], subnet)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:8082:") {
				t.Errorf("%s publishes %s", m[2], p)
			}
		}
	}
	if len(file.Services["postgres"].Ports) > 0 {
		t.Error("the database is published")
	}
}

// TestStorage checks that the servers of compose.yaml use the object storage in it, and starts that
// with the command of the file.
func TestStorage(t *testing.T) {
	t.Parallel()
	type service struct {
		Environment map[string]string
		Entrypoint  []string
		Ports       []string
	}
	var file struct{ Services map[string]service }
	if err := yaml.UnmarshalWithOptions([]byte(readFile(t, "compose/compose.yaml")), &file, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatal(err)
	}
	storage := file.Services["storage"]
	for _, name := range []string{"vaak-1", "vaak-2"} {
		env := file.Services[name].Environment
		at, err := bucket.Parse(env["VAAK_OBJECTS"])
		if err != nil || at.Bucket != "vaak" || at.Endpoint != "storage:7070" || len(storage.Ports) > 0 ||
			env["AWS_ACCESS_KEY_ID"] != storage.Environment["ROOT_ACCESS_KEY_ID"] || env["AWS_SECRET_ACCESS_KEY"] != storage.Environment["ROOT_SECRET_ACCESS_KEY"] {
			t.Errorf("%s has its objects at %+v, %v; the storage has %v", name, at, err, storage)
		}
	}
	if len(storage.Entrypoint) != 3 || !strings.Contains(storage.Entrypoint[2], "mkdir -p /data/vaak") {
		t.Fatalf("the storage begins with %q, and its bucket is not made", storage.Entrypoint)
	}
	program := needed.S3Server(t)
	dir, err := os.MkdirTemp("", "s3") // short, for the path of the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	socket := filepath.Join(dir, "socket")
	command := strings.NewReplacer("/data", filepath.Join(dir, "data"), "/meta", filepath.Join(dir, "meta"), ":7070", socket, "exec versitygw", "exec "+program).Replace(storage.Entrypoint[2])
	cmd := exec.CommandContext(t.Context(), storage.Entrypoint[0], storage.Entrypoint[1], command)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID=vaak", "ROOT_SECRET_ACCESS_KEY=secret")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		if c, err := net.Dial("unix", socket); err == nil {
			_ = c.Close() // it only asks
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the storage ended: %v: %s", err, &output)
		case <-ticks.C:
		}
	}
	_ = cmd.Process.Kill() // it keeps nothing that is wanted
	<-ended
	if info, err := os.Stat(filepath.Join(dir, "data", "vaak")); err != nil || !info.IsDir() {
		t.Errorf("there is no bucket: %v", err)
	}
}

// manifest is what the test looks at in a Kubernetes object.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		ClusterIP string `yaml:"clusterIP"`
		Selector  map[string]any
		Ports     []struct{ Port int }
		Template  struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Containers []struct {
					Env          []struct{ Name, Value string }
					VolumeMounts []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
				Volumes []struct {
					Name      string
					ConfigMap *struct{ Name string } `yaml:"configMap"`
				}
			}
		}
	}
}

// TestKubernetes checks that the names in the manifests fit together.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	all := map[string]manifest{}
	for dec := yaml.NewDecoder(bytes.NewReader([]byte(readFile(t, "kubernetes/pools.yaml")))); ; {
		var m manifest
		err := dec.Decode(&m)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all[m.Kind+" "+m.Metadata.Name] = m
	}
	for _, p := range readPools(t, all["ConfigMap vaak-pools"].Data["pools.toml"]).Pools {
		if got := p.Members[0]; !got.Each || got.URL != "http://speech:8091" {
			t.Errorf("the members are %+v, want those behind the name speech", p.Members)
		}
	}
	service := all["Service speech"].Spec
	if service.ClusterIP != "None" || service.Ports[0].Port != 8091 || service.Selector["app"] != all["Deployment speech"].Spec.Template.Metadata.Labels["app"] {
		t.Errorf("the service of the model servers is %+v, want a headless one of their port", service)
	}
	pod := all["Deployment vaak"].Spec.Template.Spec
	volume, directory := "", ""
	for _, v := range pod.Volumes {
		if v.ConfigMap != nil && v.ConfigMap.Name == "vaak-pools" {
			volume = v.Name
		}
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		if m.Name == volume {
			directory = m.MountPath
		}
	}
	if i := slices.IndexFunc(pod.Containers[0].Env, func(e struct{ Name, Value string }) bool { return e.Name == "VAAK_POOLS" }); i < 0 || pod.Containers[0].Env[i].Value != directory+"/pools.toml" {
		t.Errorf("the pools are mounted at %q, and the environment is %+v", directory, pod.Containers[0].Env)
	}
}

// dashboard is what the test looks at in a dashboard of Grafana.
type dashboard struct {
	UID        string
	Title      string
	Templating struct {
		List []struct {
			Name       string
			Definition string
		}
	}
	Panels []struct {
		ID          int
		Title       string
		Description string
		GridPos     struct{ X, Y, W, H int }
		Targets     []struct{ RefID, Expr, LegendFormat string }
	}
}

var (
	metricName = regexp.MustCompile(`vaak_[a-z_]+`)
	labelName  = regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"|by \(([a-z_, ]+)\)|\{\{([a-z_]+)\}\}`)
)

// TestDashboard checks that the metrics and labels of the dashboard of pools exist, and that it
// shows all metrics of pools.
func TestDashboard(t *testing.T) {
	t.Parallel()
	labels := poolLabels(t)
	shown := checkDashboard(t, "grafana/pools.json", labels)
	for name := range labels {
		if !shown[name] {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}

// checkMetrics checks that the metrics of a text exist and have its labels, and returns them.
func checkMetrics(t *testing.T, where, text string, labels map[string][]string) []string {
	t.Helper()
	known := []string{"instance", "job"}
	names := metricName.FindAllString(text, -1)
	for _, name := range names {
		if _, ok := labels[name]; !ok {
			t.Errorf("%s: %s is no metric", where, name)
		}
		known = append(known, labels[name]...)
	}
	for _, m := range labelName.FindAllStringSubmatch(text, -1) {
		for label := range strings.SplitSeq(m[1]+m[2]+m[3], ", ") {
			if !slices.Contains(known, label) {
				t.Errorf("%s: %s has no label %s", where, names, label)
			}
		}
	}
	return names
}

// checkDashboard checks a dashboard against the labels of metrics, and returns the metrics that
// it shows.
func checkDashboard(t *testing.T, path string, labels map[string][]string) (shown map[string]bool) {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal([]byte(readFile(t, path)), &d); err != nil {
		t.Fatal(err)
	}
	if d.UID == "" || d.Title == "" || len(d.Panels) == 0 {
		t.Errorf("the dashboard is %+v", d)
	}
	shown = map[string]bool{}
	check := func(where, text string) {
		for _, name := range checkMetrics(t, where, text, labels) {
			shown[name] = true
		}
	}
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 || ids[p.ID] {
			t.Errorf("panel %d %q lacks a title, a description, a query, or an id of its own", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, q := range p.Targets {
			check(p.Title, q.Expr+" "+q.LegendFormat)
			for _, pair := range []string{"()", "{}", "[]"} {
				if strings.Count(q.Expr, pair[:1]) != strings.Count(q.Expr, pair[1:]) {
					t.Errorf("%s: brackets of %s do not match", p.Title, q.Expr)
				}
			}
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if x >= 24 || taken[[2]int{x, y}] != "" {
					t.Fatalf("panel %s lies outside or over %s", p.Title, taken[[2]int{x, y}])
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	for _, v := range d.Templating.List {
		check("variable "+v.Name, v.Definition)
	}
	return shown
}

// poolLabels returns the labels of all metrics of pools.
func poolLabels(t *testing.T) map[string][]string {
	t.Helper()
	tel, err := telemetry.New(telemetry.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tel.Watch(telemetry.Sources{Pools: func(context.Context) ([]telemetry.Pool, error) {
		m := telemetry.PoolMember{Address: "a", State: "up", P50: 1, P99: 1, Outcomes: map[string]int64{"ok": 1}}
		return []telemetry.Pool{{Name: "p", Members: []telemetry.PoolMember{m}}}, nil
	}})
	w := httptest.NewRecorder()
	tel.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	all := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^(vaak_pool_[a-z_]+)\{(.*)\}`).FindAllStringSubmatch(w.Body.String(), -1) {
		all[m[1]] = nil
		for _, label := range regexp.MustCompile(`([a-z]+)="`).FindAllStringSubmatch(m[2], -1) {
			all[m[1]] = append(all[m[1]], label[1])
		}
	}
	if len(all) < 12 {
		t.Fatalf("there are %d metrics of pools: %v", len(all), all)
	}
	return all
}
