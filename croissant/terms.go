package croissant

import "vaak/croissant/graph"

// The vocabularies.
const (
	schemaOrg    = "https://schema.org/"
	oldSchemaOrg = "http://schema.org/"
	croissant    = "http://mlcommons.org/croissant/"
	rai          = "http://mlcommons.org/croissant/RAI/"
	dublin       = "http://purl.org/dc/terms/"
)

// Addresses of types.
const (
	typeDataset      = schemaOrg + "Dataset"
	typeCreativeWork = schemaOrg + "CreativeWork"
	typePerson       = schemaOrg + "Person"
	typeOrganization = schemaOrg + "Organization"
	typeDefinedTerm  = schemaOrg + "DefinedTerm"
	typeFileObject   = croissant + "FileObject"
	typeFileSet      = croissant + "FileSet"
	typeRecordSet    = croissant + "RecordSet"
	typeField        = croissant + "Field"
)

// Addresses of properties that more than one rule reads.
const (
	propName         = schemaOrg + "name"
	propDescription  = schemaOrg + "description"
	propDistribution = schemaOrg + "distribution"
	propVersion      = schemaOrg + "version"
	propURL          = schemaOrg + "url"
	propContentURL   = schemaOrg + "contentUrl"
	propContentSize  = schemaOrg + "contentSize"
	propEncoding     = schemaOrg + "encodingFormat"
	propSHA256       = schemaOrg + "sha256"
	propValue        = schemaOrg + "value"
	propPublished    = schemaOrg + "datePublished"
	propInLanguage   = schemaOrg + "inLanguage"
	propKeywords     = schemaOrg + "keywords"
	propConformsTo   = dublin + "conformsTo"
	propMD5          = croissant + "md5"
	propCiteAs       = croissant + "citeAs"
	propLive         = croissant + "isLiveDataset"
	propRecordSet    = croissant + "recordSet"
	propIncludes     = croissant + "includes"
	propExcludes     = croissant + "excludes"
	propField        = croissant + "field"
	propSubField     = croissant + "subField"
	propParentField  = croissant + "parentField"
	propAnnotation   = croissant + "annotation"
	propKey          = croissant + "key"
	propData         = croissant + "data"
	propDataType     = croissant + "dataType"
	propSource       = croissant + "source"
	propReferences   = croissant + "references"
	propFileObject   = croissant + "fileObject"
	propFileSet      = croissant + "fileSet"
	propExtract      = croissant + "extract"
	propTransform    = croissant + "transform"
	propJSONPath     = croissant + "jsonPath"
	propColumn       = croissant + "column"
	propFileProperty = croissant + "fileProperty"
	propSamplingRate = croissant + "samplingRate"
	propIsArray      = croissant + "isArray"
	propArrayShape   = croissant + "arrayShape"
)

// prefixes are the names that documents write those of the vocabularies with.
func prefixes() []graph.Term {
	return []graph.Term{{Name: "sc", IRI: schemaOrg}, {Name: "cr", IRI: croissant}, {Name: "rai", IRI: rai, Spare: true}, {Name: "dct", IRI: dublin}}
}

// containedIn moved from one vocabulary to the other.
func containedIn(v Version) string {
	if v == V10 {
		return schemaOrg + "containedIn"
	}
	return croissant + "containedIn"
}

// ownTerms are the names of both versions that mean something in the format's
// vocabulary; documents are expected to have all of them in their context.
func ownTerms() []string {
	return []string{
		"citeAs", "column", "data", "dataType", "equivalentProperty", "examples",
		"extract", "field", "fileProperty", "fileObject", "fileSet", "format",
		"includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path",
		"recordSet", "references", "regex", "repeated", "replace", "samplingRate",
		"separator", "source", "subField", "transform",
	}
}

// schemaNames are names of schema.org that documents use without a prefix.
func schemaNames() []string {
	return []string{
		"name", "description", "license", "url", "creator", "publisher", "datePublished", "distribution",
		"version", "keywords", "inLanguage", "sdLicense", "contentUrl", "contentSize", "encodingFormat", "sha256",
	}
}

// required are the terms whose meaning is checked wherever a document of a version
// uses them.
func required(v Version) []graph.Term {
	var terms []graph.Term
	names := ownTerms()
	if v != V10 { // in 1.0 they are words like any other
		names = append(names, "isArray", "arrayShape", "readLines", "unArchive", "annotation", "sdVersion", "excludes")
	}
	for _, name := range names {
		t := graph.Term{Name: name, IRI: croissant + name, Spare: spare(name), Coerced: coerced(name)}
		switch name {
		case "data", "examples":
			t.Type = "@json"
		case "dataType":
			t.Type = "@vocab"
		}
		terms = append(terms, t)
	}
	return append(terms,
		graph.Term{Name: "conformsTo", IRI: propConformsTo, Coerced: []string{""}},
		graph.Term{Name: "containedIn", IRI: containedIn(v), Spare: true, Coerced: coerced("containedIn")})
}

// spare says whether the reference library loads documents in which a name has
// another meaning or none.
func spare(name string) bool {
	switch name {
	case "citeAs", "equivalentProperty", "examples", "extract", "format", "isLiveDataset", "key", "parentField", "path",
		"recordSet", "references", "repeated", "samplingRate", "transform",
		"annotation", "arrayShape", "excludes", "isArray", "sdVersion":
		return true
	}
	return false
}

// coerced are the ways of reading the values of a name that the reference library
// takes as well, as [graph.Term] has them.
func coerced(name string) []string {
	switch name {
	case "annotation", "containedIn", "extract", "field", "fileObject", "fileSet", "parentField", "recordSet", "references",
		"source", "subField", "transform": // objects
		return []string{"@id", "@vocab", ""}
	case "examples", "isLiveDataset", "key", "path": // not looked at
		return []string{"@id", "@vocab", "@json", ""}
	case "citeAs":
		return []string{"@vocab", "@json", ""}
	case "fileProperty":
		return []string{""}
	case "dataType":
		return []string{"@id"}
	case "data", "isArray", "readLines", "repeated", "samplingRate", "unArchive":
		return nil
	}
	return []string{"@json", ""} // texts
}

// canonical is the context that is assumed where a document has none that can be
// used.
func canonical() map[string]any {
	c := map[string]any{
		"@language": "en", "@vocab": schemaOrg, "sc": schemaOrg, "cr": croissant,
		"rai": rai, "dct": dublin, "conformsTo": "dct:conformsTo",
	}
	for _, name := range ownTerms() {
		c[name] = "cr:" + name
	}
	c["data"] = map[string]any{"@id": "cr:data", "@type": "@json"}
	c["examples"] = map[string]any{"@id": "cr:examples", "@type": "@json"}
	c["dataType"] = map[string]any{"@id": "cr:dataType", "@type": "@vocab"}
	return c
}

// dataTypes are the types that values of a field can have.
func dataTypes() []string {
	names := []string{"sc:Boolean", "sc:Date", "sc:DateTime", "sc:Float", "sc:Integer", "sc:Text", "sc:Time", "sc:URL",
		"sc:AudioObject", "sc:ImageObject", "sc:VideoObject", "cr:BoundingBox"}
	for _, n := range []string{"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float16", "Float32", "Float64"} {
		names = append(names, "cr:"+n)
	}
	return names
}
