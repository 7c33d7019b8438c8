package helm

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the golden renderings")

// kubernetes is the version that is rendered for. A helm that was built from source says 1.20.
const kubernetes = "1.34.0"

// serviceMonitor is the part of the Prometheus Operator's type that the chart uses.
type serviceMonitor struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		Selector  meta.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port     string `json:"port"`
			Path     string `json:"path"`
			Interval string `json:"interval"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// kinds makes an object of a version and a kind.
var kinds = map[string]func() any{
	"v1 Secret":                               func() any { return new(core.Secret) },
	"v1 ConfigMap":                            func() any { return new(core.ConfigMap) },
	"v1 Service":                              func() any { return new(core.Service) },
	"apps/v1 Deployment":                      func() any { return new(apps.Deployment) },
	"batch/v1 Job":                            func() any { return new(batch.Job) },
	"policy/v1 PodDisruptionBudget":           func() any { return new(policy.PodDisruptionBudget) },
	"autoscaling/v2 HorizontalPodAutoscaler":  func() any { return new(autoscaling.HorizontalPodAutoscaler) },
	"networking.k8s.io/v1 NetworkPolicy":      func() any { return new(networking.NetworkPolicy) },
	"networking.k8s.io/v1 Ingress":            func() any { return new(networking.Ingress) },
	"monitoring.coreos.com/v1 ServiceMonitor": func() any { return new(serviceMonitor) },
}

// run runs helm. HELM names another program than that on PATH.
func run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	name := "helm"
	if other := os.Getenv("HELM"); other != "" {
		name = other
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("there is no helm: `go install helm.sh/helm/v3/cmd/helm@v3.22.0` brings it, and HELM names it")
	}
	var out, problem bytes.Buffer
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &out, &problem
	err = cmd.Run()
	return out.String(), problem.String(), err
}

// decode decodes every object strictly: a field that the type does not have is an error, and so is
// one that is there twice.
func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, part := range regexp.MustCompile(`(?m)^---$`).Split(text, -1) {
		var head struct {
			meta.TypeMeta   `json:",inline"`
			meta.ObjectMeta `json:"metadata"`
		}
		if err := yaml.Unmarshal([]byte(part), &head); err != nil {
			t.Fatalf("%v in %s", err, part)
		}
		if head.Kind == "" {
			continue
		}
		create := kinds[head.APIVersion+" "+head.Kind]
		if create == nil {
			t.Errorf("%s %s has no type here", head.APIVersion, head.Kind)
			continue
		}
		object := create()
		if err := yaml.UnmarshalStrict([]byte(part), object); err != nil {
			t.Errorf("%s %s: %v", head.Kind, head.Name, err)
		}
		key := head.Kind + " " + head.Name
		if all[key] != nil {
			t.Errorf("%s is there twice", key)
		}
		all[key] = object
	}
	return all
}

// TestChart lints and renders the chart with each file of values in testdata.
func TestChart(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("there are %v, %v", files, err)
	}
	for _, values := range files {
		t.Run(values, func(t *testing.T) {
			t.Parallel()
			if out, problem, err := run(t, "lint", "--strict", "vaak", "--kube-version", kubernetes, "--values", values); err != nil {
				t.Errorf("helm lint: %v: %s%s", err, out, problem)
			}
			text, problem, err := run(t, "template", "speech", "vaak", "--namespace", "voice", "--kube-version", kubernetes, "--values", values)
			if err != nil {
				t.Fatalf("helm template: %v: %s", err, problem)
			}
			fit(t, decode(t, text))
			golden := strings.TrimSuffix(values, ".yaml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if text != string(want) {
				t.Errorf("the rendering differs from %s; -update writes it:\n%s", golden, text)
			}
		})
	}
}

// fit checks that the names in the objects fit together, and that no pod has more rights than it
// needs.
func fit(t *testing.T, all map[string]any) {
	t.Helper()
	d, ok := all["Deployment speech-vaak"].(*apps.Deployment)
	if !ok {
		t.Fatalf("there is no Deployment: %v", all)
	}
	pods := map[string]core.PodTemplateSpec{"Deployment": d.Spec.Template}
	if job, ok := all["Job speech-vaak-migrate"].(*batch.Job); ok {
		pods["Job"] = job.Spec.Template
	}
	for kind, pod := range pods {
		volumes := map[string]bool{}
		for _, v := range pod.Spec.Volumes {
			volumes[v.Name] = true
			if c := v.ConfigMap; c != nil && all["ConfigMap "+c.Name] == nil {
				t.Errorf("%s: there is no ConfigMap %s", kind, c.Name)
			}
		}
		if s := pod.Spec.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.SeccompProfile == nil {
			t.Errorf("%s: may run as root", kind)
		}
		for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
			s := c.SecurityContext
			if s == nil || !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || fmt.Sprint(s.Capabilities.Drop) != "[ALL]" {
				t.Errorf("%s %s has rights that it does not need", kind, c.Name)
			}
			for _, m := range c.VolumeMounts {
				if !volumes[m.Name] {
					t.Errorf("%s %s: there is no volume %s", kind, c.Name, m.Name)
				}
			}
		}
	}
	ports := map[string]bool{}
	for _, p := range d.Spec.Template.Spec.Containers[0].Ports {
		ports[p.Name] = true
	}
	labels := d.Spec.Template.Labels
	for name, object := range all {
		switch o := object.(type) {
		case *core.Service:
			for _, p := range o.Spec.Ports {
				if !ports[p.TargetPort.StrVal] {
					t.Errorf("%s: no port %s", name, p.TargetPort.StrVal)
				}
			}
			chosen(t, name, o.Spec.Selector, labels)
		case *policy.PodDisruptionBudget:
			chosen(t, name, o.Spec.Selector.MatchLabels, labels)
		case *networking.NetworkPolicy:
			chosen(t, name, o.Spec.PodSelector.MatchLabels, labels)
		case *serviceMonitor:
			chosen(t, name, o.Spec.Selector.MatchLabels, all["Service speech-vaak-admin"].(*core.Service).Labels)
		case *autoscaling.HorizontalPodAutoscaler:
			if d.Spec.Replicas != nil || o.Spec.ScaleTargetRef.Name != d.Name {
				t.Errorf("%s scales %s, whose replicas are %v", name, o.Spec.ScaleTargetRef.Name, d.Spec.Replicas)
			}
		}
	}
	chosen(t, "Deployment", d.Spec.Selector.MatchLabels, labels)
	if grace, drain := *d.Spec.Template.Spec.TerminationGracePeriodSeconds, int64(60); grace <= drain+5 {
		t.Errorf("a pod has %d s to end, and drains for %d", grace, drain)
	}
}

// chosen checks that a selector chooses what has the labels.
func chosen(t *testing.T, name string, selector, labels map[string]string) {
	t.Helper()
	for k, v := range selector {
		if labels[k] != v {
			t.Errorf("%s chooses %s=%s, and the labels are %v", name, k, v, labels)
		}
	}
}

// TestRefusals checks that wrong values are refused, and that the error names them.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct{ set, want string }{
		{"existingSecret=", "existingSecret"},
		{"replicas=0", "replicas"},
		{"replica=3", "replica"},
		{"services={talk}", "services"},
		{"secret.database=mysql://x", "database"},
		{"trustedProxies={10.0.0.1}", "trustedProxies"},
		{"publicURL=speech.example.org", "publicURL"},
	} {
		t.Run(tt.set, func(t *testing.T) {
			t.Parallel()
			_, problem, err := run(t, "template", "speech", "vaak", "--kube-version", kubernetes, "--set", "existingSecret=vaak", "--set", tt.set)
			if err == nil || !strings.Contains(problem, tt.want) {
				t.Errorf("helm template --set %s: %v, %q; want an error that names %s", tt.set, err, problem, tt.want)
			}
		})
	}
}

// TestExamples decodes the manifests of ../kubernetes as strictly.
func TestExamples(t *testing.T) {
	f, err := os.Open("../kubernetes/pools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if all := decode(t, string(b)); len(all) < 5 {
		t.Errorf("there are %d objects", len(all))
	}
}
