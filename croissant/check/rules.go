package check

// Rule is a requirement that documents are checked for.
type Rule struct {
	Code     string   // E and three digits, sometimes with a letter, or W and two digits
	Severity Severity // of its findings
	Title    string   // what a document must have or be
	Mend     string   // how to correct a document that breaks the rule
	Origin   string   // who asks for it: "library" (mlcroissant does too), "specification" or "ours"
}

// loadable reports whether the reference library usually loads a document that breaks
// the rule: it refuses what its own rules call an error. Where that depends on the
// document, the code that adds the finding decides instead (see addAs).
func (r Rule) loadable() bool { return r.Origin != "library" || r.Severity == Warning }

// Rules returns all rules in the order of their codes.
func Rules() []Rule {
	return []Rule{
		{"E000", Error, "The document is one JSON value in UTF-8 without duplicate members, of at most 1 MiB, 64 levels and 60,000 values; the names on the way to a value have at most 1,024 bytes.", "Write it with a JSON library, and read it again before sending.", "library"},
		{"E001", Error, "The root is an object in which @type and the other keywords of JSON-LD are used as JSON-LD has them, and exactly one object is the dataset: its type is schema.org/Dataset.", `Add "@type": "sc:Dataset" to the object at the root; write keywords as the message says.`, "library"},
		{"E002", Error, "The context is one inline object at the root, in which the names and prefixes of the format have their meaning, of at most 1,000 terms and 64 KiB; an address in it has at most 512 bytes.", "Copy the context of the format into the document; nothing is fetched.", "library"},
		{"E003", Error, "conformsTo names a known version of the format.", `Add "conformsTo": "http://mlcommons.org/croissant/1.0" (or 1.1).`, "library"},
		{"E010", Error, "The dataset has a name.", "Add name.", "specification"},
		{"E011", Error, "The dataset has a description.", "Add description.", "specification"},
		{"E012", Error, "The dataset has a license.", "Add the address of the license, or a CreativeWork.", "specification"},
		{"E012b", Error, "A license is text or a CreativeWork.", `Give its address as text, or an object with "@type": "CreativeWork".`, "library"},
		{"E013", Error, "The dataset has a url, which is text.", "Add the address of its page.", "specification"},
		{"E014", Error, "The dataset has a creator.", "Add a Person or an Organization.", "specification"},
		{"E014b", Error, "creator and publisher are of type Person or Organization.", `Write {"@type": "Organization", "name": "..."}.`, "library"},
		{"E015", Error, "The dataset has a datePublished.", "Add the date, as in 2026-05-04.", "specification"},
		{"E016", Error, "The dataset has a distribution.", "Add its files: FileObject or FileSet.", "specification"},
		{"E017", Error, "A name is text; in 1.1 also one text for each language.", "Keep one text.", "library"},
		{"E018", Error, "Dates are in ISO 8601.", "Write 2026-05-04 or 2026-05-04T08:30:00Z.", "library"},
		{"E020", Error, "An @id is text without white space.", "Write - or _ for white space, everywhere the @id stands.", "library"},
		{"E021", Error, "One @id is defined once.", `Give the second object another @id, or leave only {"@id": "..."} of it.`, "ours"},
		{"E022", Error, "What is in distribution is a cr:FileObject or a cr:FileSet.", "Set its @type.", "library"},
		{"E023", Error, "A FileObject has contentUrl, unless it is contained in another.", "Add the address of the file.", "library"},
		{"E024", Error, "A FileObject has sha256 or md5, unless it is contained in another or the dataset is live.", "Add the checksum of the file.", "library"},
		{"E025", Warning, "sha256 is 64 hexadecimal digits, md5 32.", "Write the checksum itself.", "ours"},
		{"E026", Error, "FileObject and FileSet have encodingFormat.", "Add the media type, as in text/csv.", "library"},
		{"E027", Error, "containedIn names something in the distribution, and no file contains itself.", "Name the @id of the archive.", "library"},
		{"E028", Error, "contentSize is text.", `Write it in quotes: "812345 B".`, "library"},
		{"E029", Error, "A FileSet has includes.", "Add a pattern, as in audio/*.flac.", "library"},
		{"E030", Error, "What is in recordSet is a cr:RecordSet.", "Set its @type.", "library"},
		{"E031", Error, "What is in field, subField and annotation is a cr:Field.", "Set its @type.", "library"},
		{"E032", Error, "A field without subField has source or, in 1.1, value, unless its RecordSet has data.", "Say where its values come from.", "specification"},
		{"E033", Error, "A source names a file or field of the document.", "Name the @id of one that is defined.", "library"},
		{"E034", Error, "A field has a data type that is known, its own or that of the field it comes from.", "Add one of the types to dataType.", "library"},
		{"E035", Error, "fileProperty is one of content, filename, filepath, fullpath, lines, lineNumbers.", "Choose one of them.", "library"},
		{"E036", Error, "A source is an object with exactly one of field, fileObject and fileSet, and no @type.", `Keep one, as in {"fileObject": {"@id": "..."}}.`, "library"},
		{"E037", Error, "extract has exactly one of column, fileProperty and jsonPath, and no @type.", "Keep one.", "library"},
		{"E038", Error, "references names a field of the document.", `Write {"field": {"@id": "..."}}.`, "library"},
		{"E039", Error, "key names fields of its RecordSet.", "Name the @id of one of them.", "ours"},
		{"E040", Error, "data is an array of objects, at least one.", "Write one object for each row.", "library"},
		{"E041", Error, "Each row of data has exactly the @ids of the fields as its names, and each field an @id.", "Add what is missing, and leave out what is not a field.", "library"},
		{"E042", Error, "A transform has one of format, jsonPath, regex, replace and separator, or readLines or unArchive, and no @type.", "Make one transform of each.", "library"},
		{"E043", Error, "A jsonPath is one that readers know.", "Write it as in $.items[*].name; filters are not known.", "library"},
		{"E044", Error, "A field has value or source, not both.", "Keep one.", "library"},
		{"E045", Error, "arrayShape is a list of integers with commas, and isArray is true.", `Write "isArray": true and, for example, "arrayShape": "-1,3".`, "library"},
		{"E046", Error, "samplingRate is an integer, in Hz.", "Write the number without quotes.", "library"},
		{"E047", Error, "isLiveDataset is true or false.", "Write it without quotes.", "specification"},
		{"E048", Error, "The fields of a RecordSet come from one source, or references joins its sources.", "Add references to the field that links the two.", "library"},
		{"E049", Error, "Properties that are text, numbers or booleans hold such values, and no object is empty.", "Write a value of the kind that is asked for; leave out what says nothing.", "library"},
		{"W01", Warning, "citeAs and version are there.", "Add them.", "library"},
		{"W02", Warning, "The context has all names of the format.", "Copy the context of the format.", "library"},
		{"W03", Warning, "version is MAJOR.MINOR.PATCH.", "Write 1.0.0.", "library"},
		{"W04", Warning, "Properties that have one value have one.", "Keep the one that is meant; readers take the first.", "library"},
		{"W05", Warning, "keywords, publisher, inLanguage and sdLicense are there.", "Add them.", "specification"},
		{"W06", Warning, "schema.org addresses begin with https://schema.org/.", "Write https.", "ours"},
		{"W07", Warning, "contentUrl is an absolute address.", "Begin it with https://.", "ours"},
		{"W08", Warning, "Nothing is used that the reference library does not read, although version 1.1 has it.", "Write text, if the library matters.", "library"},
		{"W09", Warning, "data is an array, also where it has one row.", "Write the object between brackets: [{...}].", "specification"},
	}
}

// rulesByCode returns the rules by their codes.
func rulesByCode() map[string]Rule {
	m := map[string]Rule{}
	for _, r := range Rules() {
		m[r.Code] = r
	}
	return m
}
