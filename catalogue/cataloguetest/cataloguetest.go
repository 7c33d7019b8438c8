// Package cataloguetest has a catalogue in memory and records to put into it, for tests of other
// packages.
package cataloguetest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"slices"
	"sync"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// Memory is a [catalogue.Store] and [catalogue.Files] in memory. Its zero value is empty.
type Memory struct {
	mu       sync.Mutex
	revision int64
	records  map[string]catalogue.Stored // by slug
	bytes    map[string][]byte
	watchers map[chan struct{}]bool
}

var (
	_ catalogue.Store = (*Memory)(nil)
	_ catalogue.Files = (*Memory)(nil)
)

// Dataset implements [catalogue.Store].
func (m *Memory) Dataset(_ context.Context, slugOrID string) (catalogue.Stored, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.records {
		if s.Dataset.Slug == slugOrID || s.Dataset.ID == slugOrID {
			return clone(s), true, nil
		}
	}
	return catalogue.Stored{}, false, nil
}

// Text implements [catalogue.Store].
func (m *Memory) Text(ctx context.Context, slugOrID string) (t catalogue.Text, ok bool, err error) {
	s, ok, err := m.Dataset(ctx, slugOrID)
	if err != nil || !ok {
		return t, false, err
	}
	t = catalogue.Text{Revision: s.Revision, Status: s.Dataset.Status}
	if t.Record, err = json.Marshal(s.Dataset); err != nil {
		return t, false, err
	}
	t.Files, err = json.Marshal(s.Files)
	return t, err == nil, err
}

// clone returns a copy that shares nothing with s, as a database would.
func clone(s catalogue.Stored) (out catalogue.Stored) {
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // the test has made a record that cannot be JSON
	}
	return out
}

// Entries implements [catalogue.Store].
func (m *Memory) Entries(_ context.Context, after int64, limit int) ([]catalogue.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []catalogue.Entry
	for _, s := range m.records {
		if s.Revision > after {
			out = append(out, s.Entry())
		}
	}
	slices.SortFunc(out, func(a, b catalogue.Entry) int { return cmp.Compare(a.Revision, b.Revision) })
	return out[:min(len(out), limit)], nil
}

// PutDataset implements [catalogue.Store].
func (m *Memory) PutDataset(_ context.Context, s catalogue.Stored) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if have := m.records[s.Dataset.Slug]; have.Revision != s.Revision {
		return 0, fault.New(fault.Conflict, "dataset_changed", "slug", "dataset %s was changed meanwhile", s.Dataset.Slug)
	}
	if m.records == nil {
		m.records = map[string]catalogue.Stored{}
	}
	m.revision++
	s.Revision = m.revision
	m.records[s.Dataset.Slug] = clone(s)
	for c := range m.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
	return m.revision, nil
}

// Watch implements [catalogue.Store].
func (m *Memory) Watch(ctx context.Context, changed func()) error {
	c := make(chan struct{}, 1)
	m.mu.Lock()
	if m.watchers == nil {
		m.watchers = map[chan struct{}]bool{}
	}
	m.watchers[c] = true
	m.mu.Unlock()
	changed()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c:
			changed()
		}
	}
}

// Put implements [catalogue.Files].
func (m *Memory) Put(_ context.Context, r io.Reader) (key string, size int64, sum string, err error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return "", 0, "", err
	}
	digest := sha256.Sum256(b)
	sum = hex.EncodeToString(digest[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes == nil {
		m.bytes = map[string][]byte{}
	}
	m.bytes["sha256/"+sum] = b
	return "sha256/" + sum, int64(len(b)), sum, nil
}

// Open implements [catalogue.Files].
func (m *Memory) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.bytes[key]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return struct {
		io.ReadSeeker
		io.Closer
	}{bytes.NewReader(b), io.NopCloser(nil)}, nil
}
