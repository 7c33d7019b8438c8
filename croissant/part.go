package croissant

// Part is what of a document is written. Every part is a valid document by itself, of
// the same dataset; [Core] and [Measured] together say all that [Whole] says.
type Part string

// The parts.
const (
	// Whole is all of it.
	Whole Part = "all"
	// Core is all but the measured figures: what a loader needs, and what is said in
	// words.
	Core Part = "core"
	// Measured is the measured figures, with what every document must say. The
	// annotations by which 1.1 repeats figures in record sets are in Whole alone.
	Measured Part = "measurements"
)

// only leaves out of a document what is not in the part.
func (out *datasetJSON) only(p Part) {
	switch p {
	case Core:
		out.Measured = nil
		for i := range out.RecordSet {
			out.RecordSet[i].Annotation = nil
		}
	case Measured:
		out.ConformsTo = out.ConformsTo[:1] // without the words for responsible AI
		out.UsageInfo, out.Conditions, out.Free, out.WorkStatus = nil, "", nil, ""
		out.Catalogue, out.Temporal, out.Spatial, out.Actions, out.SubjectOf = nil, "", nil, nil, nil
		out.raiJSON, out.RecordSet = raiJSON{}, nil
	}
}
