package check

import (
	"slices"
	"strings"

	"vaak/croissant"
	"vaak/croissant/graph"
)

// datasetRules checks what the dataset says about itself.
type datasetRules struct{ *subject }

// check checks the dataset and reports whether its files may change at any time
// (isLiveDataset), in which case they need no checksum.
func (r *datasetRules) check(n *graph.Node) (live bool) {
	r.conformsTo(n)
	if r.need("E010", n, propName, "give the name that people know it by") {
		r.name(n, true)
	}
	r.need("E011", n, propDescription, "say what it holds")
	r.texts("E011", n, propDescription)
	r.need("E012", n, schemaOrg+"license", "give the address of the license, or a CreativeWork with name and url")
	r.licenses(n, schemaOrg+"license")
	r.licenses(n, schemaOrg+"sdLicense")
	r.need("E013", n, propURL, "give the address of its page")
	r.texts("E013", n, propURL)
	r.need("E014", n, schemaOrg+"creator", `name who made it: {"@type": "Organization", "name": "..."}`)
	r.parties(n, schemaOrg+"creator")
	r.parties(n, schemaOrg+"publisher")
	r.need("E015", n, propPublished, `give the date, as in "2026-05-04"`)
	r.dates(n, propPublished, schemaOrg+"dateCreated", schemaOrg+"dateModified", rai+"dataCollectionTimeFrame")
	r.need("E016", n, propDistribution, "list its files, each a FileObject or FileSet")
	r.recommended(n)
	live = r.live(n)
	r.otherTexts(n)
	r.one(n, propURL, propCiteAs, propLive, propPublished, schemaOrg+"dateCreated", schemaOrg+"dateModified")
	r.oneDescription(n)
	return live
}

// conformsTo checks that one value of conformsTo names a version, as text.
func (r *datasetRules) conformsTo(n *graph.Node) {
	const allowed = `"http://mlcommons.org/croissant/1.0" or "http://mlcommons.org/croissant/1.1"`
	var texts []string
	for _, v := range n.Values(propConformsTo) {
		if s, text := v.Text(); text {
			texts = append(texts, s)
			continue
		}
		r.add("E003", n, v.Pointer, "conformsTo is %s; it must be text, %s", kind(v), allowed)
	}
	// Values that are not text are reported above; only texts can name a version.
	path := r.at(n, propConformsTo)
	switch {
	case len(n.Values(propConformsTo)) == 0:
		r.add("E003", n, path, "the dataset does not say which version of the format it is in; add conformsTo, %s", allowed)
	case known(texts) != "" || len(texts) == 0:
	case hasPrefix(texts, "http://mlcommons.org/croissant/0.8"):
		r.add("E003", n, path, "conformsTo is version 0.8, which is not checked here; the versions that are checked are %s", allowed)
	default:
		r.add("E003", n, path, "conformsTo is %s; one of its values must be exactly %s, with http and without a slash at the end", quotes(texts, len(texts)), allowed)
	}
}

func hasPrefix(list []string, prefix string) bool {
	for _, s := range list {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

// licenses checks that the values of a property are text or CreativeWorks.
func (r *datasetRules) licenses(n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if _, text := v.Text(); text {
			continue
		}
		if v.Node != nil && v.Node.Has(typeCreativeWork) {
			r.described(v.Node)
			continue
		}
		r.add("E012b", n, typePath(v), "%s is %s; it must be text, such as the address of the license, or an object of type CreativeWork", r.key(n, iri), kind(v))
	}
}

// parties checks that the values of a property are Persons or Organizations.
func (r *datasetRules) parties(n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if v.Node != nil && (v.Node.Has(typePerson) || v.Node.Has(typeOrganization)) {
			r.described(v.Node)
			continue
		}
		r.add("E014b", n, typePath(v), `%s is %s; it must be an object of type Person or Organization: {"@type": "Organization", "name": "..."}`, r.key(n, iri), kind(v))
	}
}

// described checks the properties of a person, an organisation or a work.
func (r *datasetRules) described(n *graph.Node) {
	if !r.first(n, "described") {
		return
	}
	r.name(n, true)
	for _, iri := range []string{propDescription, propURL, schemaOrg + "email"} {
		r.texts("E049", n, iri)
	}
}

// recommended warns about properties that are missing and that the format recommends.
func (r *datasetRules) recommended(n *graph.Node) {
	r.need("W01", n, propCiteAs, "add how to cite it, best in BibTeX")
	if r.need("W01", n, propVersion, `add its version, as in "1.0.0"`) {
		r.versions(n, propVersion)
	}
	r.versions(n, mlcommons+"sdVersion")
	r.need("W05", n, propKeywords, "add words that people search for")
	r.need("W05", n, schemaOrg+"publisher", "add who publishes it")
	r.need("W05", n, propInLanguage, `add the languages of its content, as in "hi-IN"`)
	r.need("W05", n, schemaOrg+"sdLicense", "add the license of this document itself")
}

// live checks and returns isLiveDataset. The text "true" is a fault, but it says what is
// meant, and reporting missing checksums as well would mislead.
func (r *datasetRules) live(n *graph.Node) bool {
	r.booleans("E047", n, propLive)
	return slices.ContainsFunc(n.Values(propLive), func(v graph.Value) bool {
		return v.Literal == true || v.Literal == "true"
	})
}

// otherTexts checks properties that must be text and have no rule of their own.
func (r *datasetRules) otherTexts(n *graph.Node) {
	r.texts("E049", n, propCiteAs)
	r.texts("E049", n, schemaOrg+"sameAs")
	for _, iri := range []string{propKeywords, propInLanguage} {
		for _, v := range n.Values(iri) {
			if _, text := v.Text(); text {
				continue
			}
			// The specification of 1.1 allows DefinedTerm, so this is a warning and not an error.
			if r.version == croissant.V11 && v.Node != nil && v.Node.Has(typeDefinedTerm) {
				r.addAs("W08", false, n, v.Pointer, "%s is a DefinedTerm, which version 1.1 has and the reference library refuses; write text if it matters", r.key(n, iri))
				continue
			}
			r.add("E049", n, v.Pointer, "%s is %s; it must be text", r.key(n, iri), kind(v))
		}
	}
	for _, p := range responsible() {
		r.texts("E049", n, rai+p.name)
		if !p.many {
			r.one(n, rai+p.name)
		}
	}
}

// responsibleProperty is a property of the vocabulary for responsible AI.
type responsibleProperty struct {
	name string
	many bool // the library reads all its values, not only the first
}

// responsible returns the properties of Croissant RAI 1.0 that the library reads.
func responsible() []responsibleProperty {
	return []responsibleProperty{
		{"annotationsPerItem", false}, {"annotatorDemographics", true}, {"dataAnnotationAnalysis", true},
		{"dataAnnotationPlatform", true}, {"dataAnnotationProtocol", true}, {"dataBiases", true},
		{"dataCollection", false}, {"dataCollectionMissingData", false}, {"dataCollectionRawData", false},
		{"dataCollectionType", true}, {"dataImputationProtocol", false}, {"dataDataManipulationProtocol", false},
		{"dataManipulationProtocol", false}, {"dataLimitations", true}, {"dataPreprocessingProtocol", true},
		{"dataReleaseMaintenancePlan", false}, {"dataSocialImpact", false}, {"dataUseCases", true},
		{"machineAnnotationTools", true}, {"personalSensitiveInformation", true},
	}
}

// oneDescription warns about several descriptions in one language. One in each of several
// languages is fine.
func (r *datasetRules) oneDescription(n *graph.Node) {
	languages := map[string]bool{}
	for _, v := range n.Values(propDescription) {
		if languages[v.Language] {
			r.one(n, propDescription)
			return
		}
		languages[v.Language] = true
	}
}
