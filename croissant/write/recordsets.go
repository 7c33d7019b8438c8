package write

import (
	"strings"

	"vaak/catalogue"
	"vaak/catalogue/clean"
	"vaak/croissant"
)

// column is a column of a public CSV file.
type column struct{ name, kind, about string }

// Data types of columns.
const (
	textType    = "sc:Text"
	integerType = "sc:Integer"
	floatType   = "cr:Float64"
)

// manifestColumns are the columns of recordings.csv, in order.
var manifestColumns = []column{
	{"recording_id", textType, "Id of the recording."},
	{"split", textType, "Part of the dataset that it belongs to; empty where there are no parts."},
	{"session", textType, "Conversation that it is of, where one is in several files."},
	{"duration_s", floatType, "Duration in seconds."},
	{"channels", integerType, "How many channels it has."},
	{"layout", textType, "What its channels hold: dual, a speaker on each; stereo, a mix; mono, one channel."},
	{"sample_rate_hz", integerType, "Sample rate in Hz."},
	{"codec", textType, "How its samples are coded."},
	{"size_bytes", integerType, "Size of the licensed file in bytes."},
	{"sha256", textType, "SHA-256 of the licensed file, to check it after delivery."},
	{"path", textType, "Path of the licensed file in the delivered package."},
}

// segmentColumns are the columns of the sample's transcript, in order. All except the times may be
// empty.
var segmentColumns = []column{
	{"start_s", floatType, "Start in seconds."},
	{"end_s", floatType, "End in seconds."},
	{"channel", integerType, "Channel, from 1; empty where it is not told."},
	{"speaker", textType, "Label of the speaker; empty where it is not told."},
	{"role", textType, "Role of the speaker, such as agent; empty where it is not told."},
	{"text", textType, "What is said; empty where only times are known."},
}

// recordSets returns the tables that can be read without a licence.
func (w *writer) recordSets() []recordSetJSON {
	var all []recordSetJSON
	if len(w.d.Splits) > 0 {
		all = append(all, splits(w.d.Splits))
	}
	if w.file(w.d.Manifest) != nil {
		set := table("recordings", "Every recording of the dataset.", manifestID, manifestColumns)
		set.Key = &refJSON{"recordings/recording_id"}
		if len(w.d.Splits) > 0 {
			// Field 1 is the split; the reference joins both tables.
			set.Field[1].References = &sourceJSON{Field: &refJSON{"splits/name"}}
		}
		set.Annotation = w.annotations(set.ID, wholeFigures(w.d))
		all = append(all, set)
	}
	if f := w.sampleFile(); f != nil {
		all = append(all, w.sample())
	}
	if w.segmentsFile() != nil {
		all = append(all, table("sample_segments", "The transcript of the sample.", segmentsID, segmentColumns))
	}
	return all
}

// table returns the RecordSet of a CSV file.
func table(id, about, file string, columns []column) recordSetJSON {
	set := recordSetJSON{Type: "cr:RecordSet", ID: id, Name: id, Description: about}
	for _, c := range columns {
		set.Field = append(set.Field, fieldJSON{
			Type: "cr:Field", ID: id + "/" + c.name, Name: c.name, Description: c.about, DataType: oneOrMore[string]{c.kind},
			Source: &sourceJSON{FileObject: &refJSON{file}, Extract: &extractJSON{Column: c.name}},
		})
	}
	return set
}

// sample returns the RecordSet of the sample: one record with its audio.
func (w *writer) sample() recordSetJSON {
	field := fieldJSON{
		Type: "cr:Field", ID: "sample/audio", Name: "audio", DataType: oneOrMore[string]{"sc:AudioObject"},
		Description: "The file of the sample, with all its channels.",
		Source: &sourceJSON{
			FileSet: &refJSON{sampleSetID}, Extract: &extractJSON{FileProperty: "content"}, SamplingRate: w.d.Sample.SampleRateHz,
		},
	}
	return recordSetJSON{
		Type: "cr:RecordSet", ID: "sample", Name: "sample", Description: "The conversation that everybody may hear.",
		Field: []fieldJSON{field}, Annotation: w.annotations("sample", sampleFigures(w.d)),
	}
}

// splitClasses maps names of splits to the classes of the format.
var splitClasses = map[string]string{
	"train": "cr:TrainingSplit", "validation": "cr:ValidationSplit", "test": "cr:TestSplit",
}

// splits returns the RecordSet of the splits. Its rows are in the document.
func splits(parts []catalogue.Split) recordSetJSON {
	set := recordSetJSON{
		Type: "cr:RecordSet", ID: "splits", Name: "splits", Description: "Parts of the dataset.",
		DataType: "cr:Split", Key: &refJSON{"splits/name"},
		Field: []fieldJSON{
			{Type: "cr:Field", ID: "splits/name", Name: "name", Description: "Name of the part.", DataType: oneOrMore[string]{textType}},
			{Type: "cr:Field", ID: "splits/url", Name: "url", Description: "What it is for, where that is known.",
				DataType: oneOrMore[string]{"sc:URL", "https://www.wikidata.org/wiki/Q3985153"}},
		},
	}
	for _, p := range parts {
		row := splitJSON{Name: clean.Line(p.Name)}
		if class, known := splitClasses[p.Name]; known {
			row.URL = &class
		}
		set.Data = append(set.Data, row)
	}
	return set
}

// annotations returns figures as version 1.1 has them: fields of a RecordSet with one value. It
// returns nil for 1.0.
func (w *writer) annotations(set string, figures []figure) []annotationJSON {
	if w.version != croissant.V11 {
		return nil
	}
	var all []annotationJSON
	for _, f := range figures {
		all = append(all, annotationJSON{
			Type: "cr:Field", ID: set + "/measured/" + f.path, Name: f.name,
			Description: strings.Join(some(f.unit.text, f.how), "; "), DataType: floatType, Value: f.value,
		})
	}
	return all
}
