package deploy

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"vaak/internal/needed"
)

// rules is what the tests look at in the file of alerts.
type rules struct {
	Groups []struct {
		Rules []struct {
			Alert, Expr string
			Labels      map[string]string
			Annotations map[string]string
		}
	}
}

var metricRow = regexp.MustCompile("(?m)^\\| `(vaak_[a-z_]+)` \\| (\\w+) \\| ([^|]*) \\|")

// allLabels returns the labels of all metrics of the service, as docs/metrics.md has them. A test
// of package telemetry checks that page.
func allLabels(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, m := range metricRow.FindAllStringSubmatch(readFile(t, "../docs/metrics.md"), -1) {
		var labels []string
		for label := range strings.SplitSeq(m[3], ",") {
			if label = strings.Trim(label, " `"); label != "" {
				labels = append(labels, label)
			}
		}
		all[m[1]] = labels
		if m[2] == "histogram" {
			delete(all, m[1]) // it has no series of its own
			all[m[1]+"_bucket"] = append(labels, "le")
			all[m[1]+"_count"] = labels
		}
	}
	if len(all) < 60 {
		t.Fatalf("there are %d metrics", len(all))
	}
	return all
}

// TestServiceDashboard checks that the metrics and labels of the dashboard of the service exist.
func TestServiceDashboard(t *testing.T) {
	t.Parallel()
	if shown := checkDashboard(t, "grafana/service.json", allLabels(t)); len(shown) < 20 {
		t.Errorf("the dashboard shows %d metrics", len(shown))
	}
}

func readRules(t *testing.T) (r rules) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(readFile(t, "observability/vaak.rules.yaml")), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Groups) != 1 || len(r.Groups[0].Rules) < 20 {
		t.Fatalf("the rules are %+v", r)
	}
	return r
}

// TestAlerts checks that the metrics of each alert exist, that docs/runbook.md has a section for
// it, and that the tests of the alerts have it. The runbook has no other section.
func TestAlerts(t *testing.T) {
	t.Parallel()
	labels, runbook, tests := allLabels(t), readFile(t, "../docs/runbook.md"), readFile(t, "observability/vaak.test.yaml")
	headings := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(runbook, -1) {
		headings[m[1]] = m[1]
	}
	for _, rule := range readRules(t).Groups[0].Rules {
		checkMetrics(t, rule.Alert, rule.Expr, labels)
		if s := rule.Labels["severity"]; s != "page" && s != "ticket" {
			t.Errorf("%s has the severity %q", rule.Alert, s)
		}
		if want := "docs/runbook.md#" + strings.ToLower(rule.Alert); rule.Annotations["runbook"] != want || rule.Annotations["summary"] == "" {
			t.Errorf("the annotations of %s are %v, want a summary and %s", rule.Alert, rule.Annotations, want)
		}
		_, section, ok := strings.Cut(runbook, "\n## "+rule.Alert+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if !ok || !strings.HasPrefix(section, "\n`"+rule.Labels["severity"]+"`") {
			t.Errorf("docs/runbook.md has no section for %s with its severity", rule.Alert)
		}
		for _, part := range []string{"**What it means.** ", "**Look at.** ", "**Do.** "} {
			if !strings.Contains(section, part) {
				t.Errorf("the section of %s has no part %s", rule.Alert, part)
			}
		}
		if strings.Count(tests, "alertname: "+rule.Alert+"\n") < 2 {
			t.Errorf("the tests of the alerts lack %s", rule.Alert)
		}
		delete(headings, rule.Alert)
	}
	if len(headings) > 0 {
		t.Errorf("docs/runbook.md has sections of no alert: %v", headings)
	}
	for _, m := range metricName.FindAllString(runbook, -1) {
		if _, ok := labels[m]; !ok && labels[m+"_count"] == nil {
			t.Errorf("docs/runbook.md names %s, which is no metric", m)
		}
	}
	for _, m := range regexp.MustCompile(`\]\(#(\w+)\)`).FindAllStringSubmatch(runbook, -1) {
		if !strings.Contains(strings.ToLower(runbook), "\n## "+m[1]+"\n") {
			t.Errorf("docs/runbook.md has no section %s", m[1])
		}
	}
}

// TestAlertRules runs the tests of the alerts with the tool of Prometheus.
func TestAlertRules(t *testing.T) {
	t.Parallel()
	promtool := needed.Program(t, "promtool")
	for _, args := range [][]string{{"check", "rules", "vaak.rules.yaml"}, {"test", "rules", "vaak.test.yaml"}} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = "observability"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v: %s", args, err, out)
		}
	}
}
