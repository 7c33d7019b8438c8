package web_test

import (
	"strings"
	"testing"

	"vaak/web"
)

// TestGuideTellsOfEnquiries: an agent finds the way that asks the person first, and
// what an error looks like.
func TestGuideTellsOfEnquiries(t *testing.T) {
	t.Parallel()
	cfg := askingConfig(newClerk(), shelves())
	words := []string{"The tool `send_enquiry` of [MCP](#mcp) asks the person", "`catalogue://enquiry-terms`"}
	for _, tools := range [][]string{nil, {"search_datasets", "send_enquiry"}} {
		cfg.CatalogueTools = tools
		h, err := web.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		guide := get(t, h, "/llms.txt").Body.String()
		for _, want := range words {
			if strings.Contains(guide, want) != (tools != nil) {
				t.Errorf("with the tools %q /llms.txt says %q: %v", tools, want, tools == nil)
			}
		}
		for _, want := range []string{"- The [form](", "- `POST " + origin + "/api/catalogue/enquiry`", `{"error": M, "code": CODE, "message": M, "field": F}`} {
			if !strings.Contains(guide, want) {
				t.Errorf("with the tools %q /llms.txt lacks %q", tools, want)
			}
		}
	}
	cfg.Enquiries = nil
	h, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if guide := get(t, h, "/llms.txt").Body.String(); strings.Contains(guide, "enquiry-terms") || strings.Contains(guide, `"field": F`) {
		t.Error("/llms.txt tells of enquiries where nobody takes them")
	}
}
