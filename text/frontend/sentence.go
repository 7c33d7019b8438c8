package frontend

import "vaak/text/segment"

// EndsSentence reports whether the run ends where a sentence does, so that a
// pause belongs between it and the next.
func (r Run) EndsSentence() bool { return segment.EndsSentence(r.Text) }
