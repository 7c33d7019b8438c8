// Package dictionarytest keeps pronunciation dictionaries in memory, for tests of
// other packages.
package dictionarytest

import (
	"context"
	"slices"
	"sync"

	"vaak/dictionary"
	"vaak/text/respell"
)

// Memory is a store in memory. The zero Memory is empty and ready.
type Memory struct {
	mu       sync.Mutex
	all      []*kept // oldest first
	watchers map[int]func(id string)
	next     int
}

var _ dictionary.Store = (*Memory)(nil)

// kept is a dictionary with its versions, the latest first.
type kept struct {
	dictionary.Dictionary
	versions []version
}

type version struct {
	dictionary.Version
	rules []respell.Rule
}

// Create implements [dictionary.Store].
func (m *Memory) Create(_ context.Context, d dictionary.Dictionary, rules []respell.Rule, most int) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, k := range m.all {
		if k.Org == d.Org {
			n++
		}
	}
	if n >= most {
		return false, nil
	}
	m.all = append(m.all, &kept{d, []version{{d.Latest, slices.Clone(rules)}}})
	return true, nil
}

// List implements [dictionary.Store].
func (m *Memory) List(_ context.Context, org string) ([]dictionary.Dictionary, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []dictionary.Dictionary
	for _, k := range m.all {
		if org == dictionary.Everyone || k.Org == org {
			all = append(all, k.Dictionary)
		}
	}
	return all, nil
}

// find returns the dictionary of an id, or nil.
func (m *Memory) find(id string) *kept {
	for _, k := range m.all {
		if k.ID == id {
			return k
		}
	}
	return nil
}

// Get implements [dictionary.Store].
func (m *Memory) Get(_ context.Context, id string) (dictionary.Dictionary, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.find(id); k != nil {
		return k.Dictionary, true, nil
	}
	return dictionary.Dictionary{}, false, nil
}

// Rules implements [dictionary.Store].
func (m *Memory) Rules(_ context.Context, id, of string) (dictionary.Version, []respell.Rule, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.find(id); k != nil {
		for _, v := range k.versions {
			if v.ID == of {
				return v.Version, slices.Clone(v.rules), true, nil
			}
		}
	}
	return dictionary.Version{}, nil, false, nil
}

// Versions implements [dictionary.Store].
func (m *Memory) Versions(_ context.Context, id string) ([]dictionary.Version, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.find(id)
	if k == nil {
		return nil, nil
	}
	var all []dictionary.Version
	for _, v := range k.versions {
		all = append(all, v.Version)
	}
	return all, nil
}

// Put implements [dictionary.Store]. It counts versions and not their bytes.
func (m *Memory) Put(_ context.Context, id, after string, v dictionary.Version, rules []respell.Rule) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.find(id)
	if k == nil || k.Latest.ID != after {
		return false, nil
	}
	k.Latest = v
	k.versions = slices.Insert(k.versions, 0, version{v, slices.Clone(rules)})
	k.versions = k.versions[:min(len(k.versions), dictionary.KeptVersions)]
	m.changed(id)
	return true, nil
}

// Delete implements [dictionary.Store].
func (m *Memory) Delete(_ context.Context, id string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.all)
	m.all = slices.DeleteFunc(m.all, func(k *kept) bool { return k.ID == id })
	m.changed(id)
	return len(m.all) < before, nil
}

// changed tells everyone who watches that a dictionary changed.
func (m *Memory) changed(id string) {
	for _, tell := range m.watchers {
		tell(id)
	}
}

// Watch implements [dictionary.Store].
func (m *Memory) Watch(ctx context.Context, changed func(id string)) error {
	m.mu.Lock()
	if m.watchers == nil {
		m.watchers = map[int]func(string){}
	}
	n := m.next
	m.next++
	m.watchers[n] = changed
	changed("")
	m.mu.Unlock()
	<-ctx.Done()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watchers, n)
	return ctx.Err()
}
