package storetest

import (
	"context"
	"testing"
	"time"

	"vaak/dictionary"
)

// WatchDictionaries watches until the test ends, and returns the ids of the changes that are
// reported after the watch has begun.
func WatchDictionaries(t *testing.T, s dictionary.Store) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	seen, done := make(chan string, 10_000), make(chan error, 1)
	go func() { done <- s.Watch(ctx, func(id string) { seen <- id }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != context.Canceled {
			t.Errorf("Watch = %v, want the end of its context", err)
		}
	})
	AwaitDictionary(t, seen, "", patience) // as it begins
	return seen
}

// AwaitDictionary waits until a change of a dictionary, or of any, is reported.
func AwaitDictionary(t *testing.T, seen <-chan string, id string, within time.Duration) {
	t.Helper()
	for deadline := time.After(within); ; {
		select {
		case got := <-seen:
			if got == id || got == "" {
				return
			}
		case <-deadline:
			t.Fatalf("a change of dictionary %q was not told within %v", id, within)
		}
	}
}

// none checks that no change was reported beyond those that the test has waited for.
func none(t *testing.T, seen <-chan string) {
	t.Helper()
	select {
	case id := <-seen:
		t.Errorf("told of %q, want nothing", id)
	default:
	}
}

// testWatchDictionaries checks that a process hears of its own changes at once, and of
// nothing else.
func testWatchDictionaries(t *testing.T, o OpenedDictionaries) {
	ctx, s := t.Context(), o.Dictionaries
	first, other := WatchDictionaries(t, s), WatchDictionaries(t, s)
	d, two := create(t, s, lexicon(1, 1), everyOption...), create(t, s, lexicon(2, 2))
	for range 5 {
		d = putRules(t, s, 1, d, everyOption...)
		AwaitDictionary(t, first, d.ID, patience)
		AwaitDictionary(t, other, d.ID, patience)
	}
	two = putRules(t, s, 2, two)
	AwaitDictionary(t, first, two.ID, patience)
	if ok, err := s.Delete(ctx, d.ID); !ok || err != nil {
		t.Fatalf("Delete = %v, %v", ok, err)
	}
	AwaitDictionary(t, first, d.ID, patience)
	for range 3 { // a call that changes nothing is not reported
		if ok, err := s.Put(ctx, two.ID, d.Latest.ID, edition(2, 3, nil), nil); ok || err != nil {
			t.Fatalf("Put after another's version = %v, %v", ok, err)
		}
		if ok, err := s.Delete(ctx, d.ID); ok || err != nil {
			t.Fatalf("Delete again = %v, %v", ok, err)
		}
	}
	if o.Again == nil { // else versions are compared, and "" may be reported
		none(t, first)
	}
}

// testWatchDictionariesOthers checks that one process hears of the changes of another.
func testWatchDictionariesOthers(t *testing.T, o OpenedDictionaries) {
	if o.Again == nil {
		t.Skip("only one may open this store")
	}
	other := o.Again(t)
	seen, d := WatchDictionaries(t, o.Dictionaries), create(t, other, lexicon(1, 1))
	for range 5 {
		d = putRules(t, other, 1, d, everyOption...)
		AwaitDictionary(t, seen, d.ID, patience)
		wantDictionary(t, o.Dictionaries, d, everyOption...) // it can be read when it is reported
	}
	if ok, err := other.Delete(t.Context(), d.ID); !ok || err != nil {
		t.Fatalf("Delete = %v, %v", ok, err)
	}
	AwaitDictionary(t, seen, d.ID, patience)
	wantNoDictionary(t, o.Dictionaries, d)
}
