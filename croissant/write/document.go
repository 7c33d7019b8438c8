package write

import "encoding/json"

// datasetJSON is a document. The fields are in the order in which they are written.
type datasetJSON struct {
	Context       json.RawMessage   `json:"@context"`
	Type          string            `json:"@type"`
	ID            string            `json:"@id"`
	Name          string            `json:"name"`
	AlternateName string            `json:"alternateName"`
	Identifier    []string          `json:"identifier"`
	Description   string            `json:"description,omitempty"`
	ConformsTo    oneOrMore[string] `json:"conformsTo"`
	URL           string            `json:"url"`
	Version       string            `json:"version,omitempty"`
	DatePublished string            `json:"datePublished,omitempty"`
	DateCreated   string            `json:"dateCreated,omitempty"`
	DateModified  string            `json:"dateModified,omitempty"`
	License       *thingJSON        `json:"license,omitempty"`
	SDLicense     string            `json:"sdLicense"`
	UsageInfo     *thingJSON        `json:"usageInfo,omitempty"`
	Conditions    string            `json:"conditionsOfAccess,omitempty"`
	Free          *bool             `json:"isAccessibleForFree,omitempty"`
	WorkStatus    string            `json:"creativeWorkStatus,omitempty"`
	Creator       *thingJSON        `json:"creator,omitempty"`
	Publisher     *thingJSON        `json:"publisher,omitempty"`
	Catalogue     *thingJSON        `json:"includedInDataCatalog,omitempty"`
	InLanguage    []string          `json:"inLanguage,omitempty"`
	Keywords      []string          `json:"keywords,omitempty"`
	Temporal      string            `json:"temporalCoverage,omitempty"`
	Spatial       []thingJSON       `json:"spatialCoverage,omitempty"`
	CiteAs        string            `json:"citeAs,omitempty"`
	Measured      []measuredJSON    `json:"variableMeasured,omitempty"`
	Actions       []actionJSON      `json:"potentialAction,omitempty"`
	SubjectOf     *thingJSON        `json:"subjectOf,omitempty"`
	raiJSON
	Distribution []fileJSON      `json:"distribution,omitempty"`
	RecordSet    []recordSetJSON `json:"recordSet,omitempty"`
}

// thingJSON is any thing of schema.org that has a name and an address.
type thingJSON struct {
	Type           oneOrMore[string] `json:"@type"`
	Name           string            `json:"name,omitempty"`
	URL            string            `json:"url,omitempty"`
	EncodingFormat string            `json:"encodingFormat,omitempty"`
}

// measuredJSON is a measured figure (schema.org PropertyValue).
type measuredJSON struct {
	Type       string   `json:"@type"`
	Name       string   `json:"name"`
	PropertyID string   `json:"propertyID"`
	Value      float64  `json:"value"`
	Min        *float64 `json:"minValue,omitempty"`
	Max        *float64 `json:"maxValue,omitempty"`
	UnitCode   string   `json:"unitCode,omitempty"`
	UnitText   string   `json:"unitText,omitempty"`
	Technique  string   `json:"measurementTechnique,omitempty"`
}

// actionJSON is something that can be done with the dataset.
type actionJSON struct {
	Type   string    `json:"@type"`
	Name   string    `json:"name"`
	Target entryJSON `json:"target"`
}

// entryJSON is the address at which an action is done.
type entryJSON struct {
	Type        string `json:"@type"`
	URLTemplate string `json:"urlTemplate"`
	ContentType string `json:"contentType,omitempty"`
}

// fileJSON is a FileObject or, if it has Includes, a FileSet.
type fileJSON struct {
	Type           string            `json:"@type"`
	ID             string            `json:"@id"`
	Name           string            `json:"name"`
	Description    string            `json:"description"`
	ContainedIn    *refJSON          `json:"containedIn,omitempty"`
	ContentURL     string            `json:"contentUrl,omitempty"`
	ContentSize    string            `json:"contentSize,omitempty"`
	EncodingFormat string            `json:"encodingFormat"`
	SHA256         string            `json:"sha256,omitempty"`
	Includes       oneOrMore[string] `json:"includes,omitempty"`
}

// refJSON refers to a part of the document.
type refJSON struct {
	ID string `json:"@id"`
}

// recordSetJSON is a RecordSet: a table.
type recordSetJSON struct {
	Type        string           `json:"@type"`
	ID          string           `json:"@id"`
	Name        string           `json:"name"`
	Description string           `json:"description"`
	DataType    string           `json:"dataType,omitempty"`
	Key         *refJSON         `json:"key,omitempty"`
	Field       []fieldJSON      `json:"field"`
	Data        []splitJSON      `json:"data,omitempty"`
	Annotation  []annotationJSON `json:"annotation,omitempty"`
}

// fieldJSON is a Field: a column.
type fieldJSON struct {
	Type        string            `json:"@type"`
	ID          string            `json:"@id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	DataType    oneOrMore[string] `json:"dataType"`
	Source      *sourceJSON       `json:"source,omitempty"`
	References  *sourceJSON       `json:"references,omitempty"`
}

// sourceJSON says where the values of a field come from.
type sourceJSON struct {
	Field        *refJSON     `json:"field,omitempty"`
	FileObject   *refJSON     `json:"fileObject,omitempty"`
	FileSet      *refJSON     `json:"fileSet,omitempty"`
	Extract      *extractJSON `json:"extract,omitempty"`
	SamplingRate int          `json:"samplingRate,omitempty"`
}

// extractJSON says which part of a file the values are.
type extractJSON struct {
	Column       string `json:"column,omitempty"`
	FileProperty string `json:"fileProperty,omitempty"`
}

// splitJSON is a row of the splits. A split of unknown purpose has the value null, because every
// row must have all fields.
type splitJSON struct {
	Name string  `json:"splits/name"`
	URL  *string `json:"splits/url"`
}

// annotationJSON is a figure as version 1.1 has it: a field with one value.
type annotationJSON struct {
	Type        string  `json:"@type"`
	ID          string  `json:"@id"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	DataType    string  `json:"dataType"`
	Value       float64 `json:"value"`
}

// oneOrMore is a list that is written without brackets if it has one element, as in the examples
// of the format.
type oneOrMore[T any] []T

// MarshalJSON implements [json.Marshaler].
func (l oneOrMore[T]) MarshalJSON() ([]byte, error) {
	if len(l) == 1 {
		return json.Marshal(l[0])
	}
	return json.Marshal([]T(l))
}
