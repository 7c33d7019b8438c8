package mcp_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaak/enquiry"
	"vaak/mcp"
	"vaak/mcp/tool"
)

var (
	docsRow  = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (.*?) \\|")
	docsName = regexp.MustCompile("`([a-z_]+)`")
)

// TestDocsNameEveryTool holds the tables of docs/mcp.md against the tools and their
// arguments.
func TestDocsNameEveryTool(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	for _, row := range docsRow.FindAllStringSubmatch(string(page), -1) {
		documented[row[1]] = []string{}
		for _, name := range docsName.FindAllStringSubmatch(row[2], -1) {
			documented[row[1]] = append(documented[row[1]], name[1])
		}
	}
	tools := slices.Concat(everyTool(t, mcp.Catalogue), everyTool(t, mcp.Speech))
	if len(tools) != len(documented) {
		t.Errorf("docs/mcp.md has %d tools, there are %d", len(documented), len(tools))
	}
	for _, tool := range tools {
		var input struct{ Properties map[string]any }
		if err := json.Unmarshal(tool.Input, &input); err != nil {
			t.Fatal(err)
		}
		names, ok := documented[tool.Name]
		if !ok {
			t.Errorf("docs/mcp.md lacks %s", tool.Name)
		}
		for name := range input.Properties {
			if !slices.Contains(names, name) {
				t.Errorf("docs/mcp.md: %s lacks the argument %s", tool.Name, name)
			}
		}
		for _, name := range names {
			if _, ok := input.Properties[name]; !ok {
				t.Errorf("docs/mcp.md: %s has the argument %s, which there is not", tool.Name, name)
			}
		}
	}
	for _, uri := range []string{"catalogue://filters", "catalogue://enquiry-terms", "dataset://{slug}", "dataset://{slug}/croissant", "voice://{voice_id}", "speech://audio/{id}"} {
		if !strings.Contains(string(page), "`"+uri+"`") {
			t.Errorf("docs/mcp.md lacks the resource %s", uri)
		}
	}
}

// everyTool are the tools of a service as clients find them, with all
// that a deployment may have.
func everyTool(t *testing.T, service mcp.Service) []tool.Tool {
	t.Helper()
	if service == mcp.Catalogue {
		return newEnquiries(t, enquiry.AllowAttested).tools.Tools(mcp.Stdio, mcp.Catalogue) // those over HTTP, and one more
	}
	return newWorld(t, deployment{}).tools.Tools(mcp.HTTP, mcp.Speech)
}
