package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"vaak/mcp/schema"
)

// missing says what to tell a client of services that names a tool or a prompt
// which they do not have: where it is, or which there are.
func (s *Server) missing(f Face, services ...Service) func(method, name string) string {
	here, elsewhere := s.offer(f, services...), map[string]Service{}
	for service, o := range s.offers[f] {
		if !slices.Contains(services, service) {
			for _, e := range o.tools {
				elsewhere[e.tool.Name] = service
			}
		}
	}
	var tools, prompts []string
	for _, e := range here.tools {
		tools = append(tools, e.tool.Name)
	}
	for _, p := range here.prompts {
		prompts = append(prompts, p.name)
	}
	return func(method, name string) string {
		kind, names := "prompt", prompts
		if method == string(mcp.MethodToolsCall) {
			kind, names = "tool", tools
		}
		switch service, moved := elsewhere[name]; {
		case slices.Contains(names, name):
			return ""
		case kind == "tool" && moved && f == HTTP:
			return fmt.Sprintf("%s is a tool of %s, which is at %s of this server; here are %s", name, service, Paths[service], strings.Join(names, ", "))
		case len(names) == 0:
			return fmt.Sprintf("there are no %ss here", kind)
		}
		return fmt.Sprintf("there is no %s %q; there are %s", kind, schema.Shorten(name), strings.Join(names, ", "))
	}
}
