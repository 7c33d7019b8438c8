package mcp

import (
	"regexp"

	"github.com/mark3labs/mcp-go/mcp"

	"vaak/mcp/tool"
)

// needs returns a function that tells which scope a connected application needs for a message on
// an offer: for a tool by its name, for a resource and for values of its address by the address.
func needs(o tool.Offer) func(method, name string) string {
	tools, resources := map[string]string{}, map[string]string{}
	type family struct {
		scope   string
		address *regexp.Regexp
	}
	var families []family
	for _, e := range o.Tools {
		tools[e.Tool.Name] = e.Scope
	}
	for _, r := range o.Resources {
		resources[r.Uri] = r.Scope
	}
	for _, t := range o.Templates {
		resources[t.Uri] = t.Scope // in completions the template is named itself
		families = append(families, family{t.Scope, mcp.NewResourceTemplate(t.Uri, t.Name).URITemplate.Regexp()})
	}
	return func(method, name string) string {
		if method == string(mcp.MethodToolsCall) {
			return tools[name]
		}
		if scope, ok := resources[name]; ok {
			return scope
		}
		for _, f := range families {
			if f.address.MatchString(name) {
				return f.scope
			}
		}
		return ""
	}
}

// Scopes returns the scopes that have a meaning at the endpoint of a service.
func (s *Server) Scopes(service Service) (all []string) {
	seen := map[string]bool{"": true}
	o := s.offers[HTTP][service]
	for _, e := range o.Tools {
		if !seen[e.Scope] {
			seen[e.Scope] = true
			all = append(all, e.Scope)
		}
	}
	return all
}
