package oauth

import (
	"slices"
	"strings"
)

// The scopes: what an application may do.
const (
	CatalogueRead     = "catalogue:read"
	EnquiriesWrite    = "enquiries:write"
	Speech            = "speech"
	VoicesRead        = "voices:read"
	DictionariesRead  = "dictionaries:read"
	DictionariesWrite = "dictionaries:write"
	UsageRead         = "usage:read"
)

// Scope is a scope as people see it.
type Scope struct{ Name, Words string }

// scopes are all scopes, in the order in which people are asked.
var scopes = []Scope{
	{CatalogueRead, "Read the public catalogue of datasets"},
	{EnquiriesWrite, "Send enquiries about datasets, each after you have agreed to it"},
	{Speech, "Turn text into speech. This is charged to the organisation"},
	{VoicesRead, "See the voices and languages"},
	{DictionariesRead, "Read the pronunciation dictionaries of the organisation"},
	{DictionariesWrite, "Make pronunciation dictionaries for the organisation"},
	{UsageRead, "See what the organisation has used, and what is left"},
}

// All returns all scopes, in the order in which people are asked.
func All() []Scope { return slices.Clone(scopes) }

// Resource is an endpoint that tokens are for.
type Resource struct {
	Title  string
	URL    string   // absolute
	Scopes []string // that have a meaning there
}

// Words returns the scopes of a list as people see them.
func Words(names []string) (all []Scope) {
	for _, s := range scopes {
		if slices.Contains(names, s.Name) {
			all = append(all, s)
		}
	}
	return all
}

// parseScopes reads the parameter scope. An empty one is all that the resource has.
func (r Resource) parseScopes(text string) ([]string, error) {
	if text == "" {
		return slices.Clone(r.Scopes), nil
	}
	asked := strings.Split(text, " ")
	for _, name := range asked {
		if !slices.Contains(r.Scopes, name) {
			return nil, refuse(CodeInvalidScope, "scope %.60q is not one of %s; allowed: %s", name, r.Title, strings.Join(r.Scopes, ", "))
		}
	}
	return ordered(asked), nil
}

// ordered returns scopes in the order in which people are asked, each once.
func ordered(names []string) (all []string) {
	for _, s := range scopes {
		if slices.Contains(names, s.Name) {
			all = append(all, s.Name)
		}
	}
	return all
}

// within reports whether every scope of a list is in another.
func within(names, of []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(of, n) })
}
