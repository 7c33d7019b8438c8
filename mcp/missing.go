package mcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"vaak/mcp/schema"
	"vaak/mcp/tool"
)

// missing returns a function that explains to a client that a tool, a prompt or a resource does not
// exist here: where it exists, or which ones exist. It returns "" for what exists, and for a
// resource that a template describes, which may exist.
func (s *Server) missing(f Face, services ...Service) func(method, name string) string {
	here, elsewhere := s.offer(f, services...), map[string]Service{}
	// Tools of the other service on the same face, so that the sentence can name their address.
	for service, o := range s.offers[f] {
		if !slices.Contains(services, service) {
			for _, e := range o.Tools {
				elsewhere[e.Tool.Name] = service
			}
		}
	}
	var tools, prompts []string
	for _, e := range here.Tools {
		tools = append(tools, e.Tool.Name)
	}
	for _, p := range here.Prompts {
		prompts = append(prompts, p.Name)
	}
	resources := addressesOf(here)
	return func(method, name string) string {
		if method == string(mcp.MethodResourcesRead) {
			return resources.missing(name)
		}
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

// addresses holds the addresses of the resources of an offer.
type addresses struct {
	known    []string         // the addresses of resources and templates, to be listed
	patterns []*regexp.Regexp // what addresses of resources look like
}

func addressesOf(o tool.Offer) addresses {
	var a addresses
	for _, r := range o.Resources {
		a.known = append(a.known, r.Uri)
		a.patterns = append(a.patterns, regexp.MustCompile("^"+regexp.QuoteMeta(r.Uri)+"$"))
	}
	for _, t := range o.Templates {
		a.known = append(a.known, t.Uri)
		a.patterns = append(a.patterns, mcp.NewResourceTemplate(t.Uri, t.Name).URITemplate.Regexp())
	}
	return a
}

// missing returns the sentence that no resource has an address, "" when one may have it.
func (a addresses) missing(uri string) string {
	switch {
	case slices.ContainsFunc(a.patterns, func(p *regexp.Regexp) bool { return p.MatchString(uri) }):
		return ""
	case len(a.known) == 0:
		return "there are no resources here"
	}
	return fmt.Sprintf("there is no resource %q; there are %s", schema.Shorten(uri), strings.Join(a.known, ", "))
}
