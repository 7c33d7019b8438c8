package telemetry

import "slices"

// Families returns all declared families, sorted by name, with their full names.
func (t *Telemetry) Families() []Family {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.families)
}
