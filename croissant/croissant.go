// Package croissant says what the Croissant format is: its versions, the parts of a
// document and the JSON-LD context that documents carry.
//
// Croissant metadata describes a dataset for machines: what it is, where its files are
// and what they hold, as JSON-LD (https://docs.mlcommons.org/croissant/). The work on
// documents is done in the packages below: croissant/write makes the document of a
// dataset of the catalogue, croissant/check finds what is wrong with any document, ours
// or another, and croissant/publish serves our documents and decides whether a dataset
// may be published. None of them fetches or opens what a document names.
package croissant

import "vaak/internal/fault"

// Version is a version of the format.
type Version string

// The versions that are written and checked.
const (
	V10 Version = "1.0" // the default
	V11 Version = "1.1"
)

// ParseVersion returns the version that text names; an empty text means [V10]. The
// error is a *fault.Error.
func ParseVersion(text string) (Version, error) {
	switch v := Version(text); v {
	case "":
		return V10, nil
	case V10, V11:
		return v, nil
	}
	return "", fault.BadParameter("version", "version %.40q is not one of 1.0, 1.1", text)
}

// ConformsTo returns the address by which documents name the version, in their property
// conformsTo.
func (v Version) ConformsTo() string { return "http://mlcommons.org/croissant/" + string(v) }

// MediaType returns the content type of documents of the version. Only 1.1 defines a
// profile parameter.
func (v Version) MediaType() string {
	if v == V10 {
		return "application/ld+json"
	}
	return `application/ld+json; profile="` + v.ConformsTo() + `"`
}

// Part selects how much of a dataset's metadata a document contains. Each part is a
// valid document of the same dataset by itself; [Core] and [Measured] together contain
// all that [Whole] contains, except its annotations.
type Part string

// The parts.
const (
	// Whole is the complete document.
	Whole Part = "all"
	// Core leaves out the measured figures. It keeps what a loader needs and what the
	// dataset's card says in words.
	Core Part = "core"
	// Measured has the measured figures and the properties that every document must
	// have. The annotations by which 1.1 repeats figures in record sets are in Whole
	// alone.
	Measured Part = "measurements"
)
