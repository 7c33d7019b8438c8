package croissant

import (
	"strings"

	"vaak/croissant/graph"
)

// checkDataset checks what the dataset says of itself.
func (c *checker) checkDataset() {
	n := c.dataset
	c.conformsTo(n)
	if c.need("E010", n, propName, "give the name that people know it by") {
		c.name(n, true)
	}
	c.need("E011", n, propDescription, "say what it holds")
	c.texts("E011", n, propDescription)
	c.need("E012", n, schemaOrg+"license", "give the address of the license, or a CreativeWork with name and url")
	c.licenses(n, schemaOrg+"license")
	c.licenses(n, schemaOrg+"sdLicense")
	c.need("E013", n, propURL, "give the address of its page")
	c.texts("E013", n, propURL)
	c.need("E014", n, schemaOrg+"creator", `name who made it: {"@type": "Organization", "name": "..."}`)
	c.parties(n, schemaOrg+"creator")
	c.parties(n, schemaOrg+"publisher")
	c.need("E015", n, propPublished, `give the date, as in "2026-05-04"`)
	c.dates(n, propPublished, schemaOrg+"dateCreated", schemaOrg+"dateModified", rai+"dataCollectionTimeFrame")
	c.need("E016", n, propDistribution, "list its files, each a FileObject or FileSet")
	c.recommended(n)
	c.liveness(n)
	c.otherTexts(n)
	c.one(n, propURL, propCiteAs, propLive, propPublished, schemaOrg+"dateCreated", schemaOrg+"dateModified")
	c.oneDescription(n)
}

// conformsTo checks that the version is named, once and as text.
func (c *checker) conformsTo(n *graph.Node) {
	const allowed = `"http://mlcommons.org/croissant/1.0" or "http://mlcommons.org/croissant/1.1"`
	var texts []string
	for _, v := range n.Values(propConformsTo) {
		if s, text := v.Text(); text {
			texts = append(texts, s)
			continue
		}
		c.add("E003", n, v.Pointer, "conformsTo is %s; it must be text, %s", kind(v), allowed)
	}
	path := c.at(n, propConformsTo)
	switch {
	case len(n.Values(propConformsTo)) == 0:
		c.add("E003", n, path, "the dataset does not say which version of the format it is in; add conformsTo, %s", allowed)
	case known(texts) != "" || len(texts) == 0:
	case hasPrefix(texts, "http://mlcommons.org/croissant/0.8"):
		c.add("E003", n, path, "conformsTo is version 0.8, which is not checked here; the versions that are checked are %s", allowed)
	default:
		c.add("E003", n, path, "conformsTo is %s; one of its values must be exactly %s, with http and without a slash at the end", quotes(texts, len(texts)), allowed)
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

// licenses checks that licenses are text or works.
func (c *checker) licenses(n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if _, text := v.Text(); text {
			continue
		}
		if v.Node != nil && v.Node.Has(typeCreativeWork) {
			c.described(v.Node)
			continue
		}
		c.add("E012b", n, typePath(v), "%s is %s; it must be text, such as the address of the license, or an object of type CreativeWork", c.key(n, iri), kind(v))
	}
}

// parties checks that the values of a property are persons or organisations.
func (c *checker) parties(n *graph.Node, iri string) {
	for _, v := range n.Values(iri) {
		if v.Node != nil && (v.Node.Has(typePerson) || v.Node.Has(typeOrganization)) {
			c.described(v.Node)
			continue
		}
		c.add("E014b", n, typePath(v), `%s is %s; it must be an object of type Person or Organization: {"@type": "Organization", "name": "..."}`, c.key(n, iri), kind(v))
	}
}

// described checks what is said of a person, an organisation or a work.
func (c *checker) described(n *graph.Node) {
	if !c.first(n, "described") {
		return
	}
	c.name(n, true)
	for _, iri := range []string{propDescription, propURL, schemaOrg + "email"} {
		c.texts("E049", n, iri)
	}
}

// typePath returns where the type of a value is, or would be if it were an object
// that has one; of anything else it is the value.
func typePath(v graph.Value) string {
	switch {
	case v.Node == nil || !v.Node.Defined:
		return v.Pointer
	case v.Node.TypeKey != "":
		return v.Node.TypeKey
	}
	return graph.Child(v.Node.Pointer, "@type")
}

// recommended warns of what is better there.
func (c *checker) recommended(n *graph.Node) {
	c.need("W01", n, propCiteAs, "add how to cite it, best in BibTeX")
	if c.need("W01", n, propVersion, `add its version, as in "1.0.0"`) {
		c.versions(n, propVersion)
	}
	c.versions(n, croissant+"sdVersion")
	c.need("W05", n, propKeywords, "add words that people search for")
	c.need("W05", n, schemaOrg+"publisher", "add who publishes it")
	c.need("W05", n, propInLanguage, `add the languages of its content, as in "hi-IN"`)
	c.need("W05", n, schemaOrg+"sdLicense", "add the license of this document itself")
}

// liveness checks and reads isLiveDataset.
func (c *checker) liveness(n *graph.Node) {
	c.booleans("E047", n, propLive)
	for _, v := range n.Values(propLive) {
		c.live = c.live || v.Literal == true || v.Literal == "true"
	}
}

// otherTexts checks the properties that are text and have no rule of their own.
func (c *checker) otherTexts(n *graph.Node) {
	c.texts("E049", n, propCiteAs)
	c.texts("E049", n, schemaOrg+"sameAs")
	for _, iri := range []string{propKeywords, propInLanguage} {
		for _, v := range n.Values(iri) {
			if _, text := v.Text(); text {
				continue
			}
			if c.version == V11 && v.Node != nil && v.Node.Has(typeDefinedTerm) {
				c.addAs("W08", false, n, v.Pointer, "%s is a DefinedTerm, which version 1.1 has and the reference library refuses; write text if it matters", c.key(n, iri))
				continue
			}
			c.add("E049", n, v.Pointer, "%s is %s; it must be text", c.key(n, iri), kind(v))
		}
	}
	for _, p := range responsible() {
		c.texts("E049", n, rai+p.name)
		if !p.many {
			c.one(n, rai+p.name)
		}
	}
}

// responsibleProperty is a property of the vocabulary for responsible AI.
type responsibleProperty struct {
	name string
	many bool
}

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

// oneDescription warns of several descriptions in one language.
func (c *checker) oneDescription(n *graph.Node) {
	languages := map[string]bool{}
	for _, v := range n.Values(propDescription) {
		if languages[v.Language] {
			c.one(n, propDescription)
			return
		}
		languages[v.Language] = true
	}
}
