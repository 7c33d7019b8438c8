package check

import "vaak/croissant"

import "vaak/croissant/graph"

// The vocabularies.
const (
	schemaOrg    = "https://schema.org/"
	oldSchemaOrg = "http://schema.org/"
	mlcommons    = "http://mlcommons.org/croissant/"
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
	typeFileObject   = mlcommons + "FileObject"
	typeFileSet      = mlcommons + "FileSet"
	typeRecordSet    = mlcommons + "RecordSet"
	typeField        = mlcommons + "Field"
)

// Addresses of properties that several rules read.
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
	propMD5          = mlcommons + "md5"
	propCiteAs       = mlcommons + "citeAs"
	propLive         = mlcommons + "isLiveDataset"
	propRecordSet    = mlcommons + "recordSet"
	propIncludes     = mlcommons + "includes"
	propExcludes     = mlcommons + "excludes"
	propField        = mlcommons + "field"
	propSubField     = mlcommons + "subField"
	propParentField  = mlcommons + "parentField"
	propAnnotation   = mlcommons + "annotation"
	propKey          = mlcommons + "key"
	propData         = mlcommons + "data"
	propDataType     = mlcommons + "dataType"
	propSource       = mlcommons + "source"
	propReferences   = mlcommons + "references"
	propFileObject   = mlcommons + "fileObject"
	propFileSet      = mlcommons + "fileSet"
	propExtract      = mlcommons + "extract"
	propTransform    = mlcommons + "transform"
	propJSONPath     = mlcommons + "jsonPath"
	propColumn       = mlcommons + "column"
	propFileProperty = mlcommons + "fileProperty"
	propSamplingRate = mlcommons + "samplingRate"
	propIsArray      = mlcommons + "isArray"
	propArrayShape   = mlcommons + "arrayShape"
)

// prefixes returns the prefixes of the vocabularies, which a context must define if the
// document uses them. Spare means that the library loads a document without.
func prefixes() []graph.Term {
	return []graph.Term{{Name: "sc", IRI: schemaOrg}, {Name: "cr", IRI: mlcommons}, {Name: "rai", IRI: rai, Spare: true}, {Name: "dct", IRI: dublin}}
}

// containedIn returns the address of the property containedIn, which moved from schema.org
// to the vocabulary of the format in 1.1.
func containedIn(v croissant.Version) string {
	if v == croissant.V10 {
		return schemaOrg + "containedIn"
	}
	return mlcommons + "containedIn"
}

// ownTerms returns the terms that both versions have in the vocabulary of the format. The
// format asks for all of them in the context of every document.
func ownTerms() []string {
	return []string{
		"citeAs", "column", "data", "dataType", "equivalentProperty", "examples",
		"extract", "field", "fileProperty", "fileObject", "fileSet", "format",
		"includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path",
		"recordSet", "references", "regex", "repeated", "replace", "samplingRate",
		"separator", "source", "subField", "transform",
	}
}

// schemaNames returns the names of schema.org that documents use without a prefix.
func schemaNames() []string {
	return []string{
		"name", "description", "license", "url", "creator", "publisher", "datePublished", "distribution",
		"version", "keywords", "inLanguage", "sdLicense", "contentUrl", "contentSize", "encodingFormat", "sha256",
	}
}

// required returns the terms that must have the meaning of the format wherever a document
// of the version uses them.
func required(v croissant.Version) []graph.Term {
	var terms []graph.Term
	names := ownTerms()
	if v != croissant.V10 { // 1.0 does not define these names
		names = append(names, "isArray", "arrayShape", "readLines", "unArchive", "annotation", "sdVersion", "excludes")
	}
	for _, name := range names {
		t := graph.Term{Name: name, IRI: mlcommons + name, Spare: spare(name), Coerced: coerced(name)}
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

// spare reports whether the reference library loads a document in which a term has another
// meaning or none.
func spare(name string) bool {
	switch name {
	case "citeAs", "equivalentProperty", "examples", "extract", "format", "isLiveDataset", "key", "parentField", "path",
		"recordSet", "references", "repeated", "samplingRate", "transform",
		"annotation", "arrayShape", "excludes", "isArray", "sdVersion":
		return true
	}
	return false
}

// coerced returns the type coercions (@type in the context) that the reference library
// accepts for a term besides the usual one, as [graph.Term] has them. "" is none.
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

// dataTypes returns the data types of fields that readers know.
func dataTypes() []string {
	names := []string{"sc:Boolean", "sc:Date", "sc:DateTime", "sc:Float", "sc:Integer", "sc:Text", "sc:Time", "sc:URL",
		"sc:AudioObject", "sc:ImageObject", "sc:VideoObject", "cr:BoundingBox"}
	for _, n := range []string{"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float16", "Float32", "Float64"} {
		names = append(names, "cr:"+n)
	}
	return names
}
