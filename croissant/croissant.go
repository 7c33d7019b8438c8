// Package croissant writes and checks Croissant metadata: what a dataset is, where
// its files are and what they hold, as JSON-LD that machines read.
//
// [Write] makes the document of a dataset of the catalogue, [Validate] checks any
// document, ours and others', and [Service] keeps the documents that were asked
// for. Nothing here ever fetches or opens what a document names.
package croissant

import "vaak/internal/fault"

// Version is a version of the format.
type Version string

// The versions that are written and checked.
const (
	V10 Version = "1.0" // the default
	V11 Version = "1.1"
)

// ParseVersion returns the version that a text names; "" is the default. The error
// is a *fault.Error.
func ParseVersion(text string) (Version, error) {
	switch v := Version(text); v {
	case "":
		return V10, nil
	case V10, V11:
		return v, nil
	}
	return "", fault.BadParameter("version", "version %.40q is not one of 1.0, 1.1", text)
}

// ConformsTo is the address that names the version in documents.
func (v Version) ConformsTo() string { return "http://mlcommons.org/croissant/" + string(v) }

// MediaType is the content type of documents of the version.
func (v Version) MediaType() string {
	if v == V10 {
		return "application/ld+json" // 1.0 names no profile
	}
	return `application/ld+json; profile="` + v.ConformsTo() + `"`
}
