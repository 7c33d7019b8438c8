package write

import "vaak/croissant"

// only removes from the document what is not in part p. All members that remain are
// those of the whole document, unchanged, so that parts can be put together again.
func (out *datasetJSON) only(p croissant.Part) {
	switch p {
	case croissant.Core:
		out.Measured = nil
		for i := range out.RecordSet {
			out.RecordSet[i].Annotation = nil
		}
	case croissant.Measured:
		// The document uses no property of the vocabulary for responsible AI any more,
		// so it must not claim to conform to it.
		out.ConformsTo = out.ConformsTo[:1]
		out.UsageInfo, out.Conditions, out.Free, out.WorkStatus = nil, "", nil, ""
		out.Catalogue, out.Temporal, out.Spatial, out.Actions, out.SubjectOf = nil, "", nil, nil, nil
		out.raiJSON, out.RecordSet = raiJSON{}, nil
	}
}
