package storetest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vaak/dictionary"
	"vaak/text/respell"
)

// downTo returns numbers from high to low.
func downTo(high, low int) (all []int) {
	for n := high; n >= low; n-- {
		all = append(all, n)
	}
	return all
}

// testVersionsByNumber checks that beyond KeptVersions the oldest version is deleted, of the
// dictionary that was edited and of no other.
func testVersionsByNumber(t *testing.T, o OpenedDictionaries) {
	const most = dictionary.KeptVersions
	s := o.Dictionaries
	d, other := create(t, s, lexicon(1, 1), everyOption...), create(t, s, lexicon(2, 1), everyOption...)
	for d.Latest.Number < most {
		d = putRules(t, s, 1, d, respell.Rule{Term: fmt.Sprint(d.Latest.Number + 1), Respelling: "x"})
	}
	wantVersions(t, s, 1, downTo(most, 1)...)
	wantRules(t, s, d.ID, edition(1, 1, everyOption), everyOption...)
	d = putRules(t, s, 1, d, everyOption...)
	wantVersions(t, s, 1, downTo(most+1, 2)...)
	d = putRules(t, s, 1, d)
	wantVersions(t, s, 1, downTo(most+2, 3)...)
	wantDictionary(t, s, d)
	wantDictionary(t, s, other, everyOption...)
}

// megabytes returns a rule of slightly more than n MiB.
func megabytes(n int) respell.Rule {
	return respell.Rule{Term: "large", Respelling: strings.Repeat("x", n<<20)}
}

// testVersionsByBytes checks that the versions before the latest have KeptBytes at most
// together, and that the latest stays, however large it is.
func testVersionsByBytes(t *testing.T, o OpenedDictionaries) {
	if testing.Short() {
		t.Skip("megabytes of rules, slow under the race detector: go test without -short runs it")
	}
	const most = dictionary.KeptBytes >> 20
	s, small := o.Dictionaries, everyOption[0]
	d, other := create(t, s, lexicon(1, 1), small), create(t, s, lexicon(2, 1), megabytes(most/2-1))
	other = putRules(t, s, 2, other, megabytes(most/2-1))
	for _, step := range []struct {
		rule respell.Rule
		kept []int // versions, afterwards
	}{
		{megabytes(most/2 - 1), []int{2, 1}},
		{megabytes(most/2 - 1), []int{3, 2, 1}},
		{megabytes(most / 2), []int{4, 3, 2, 1}},
		{small, []int{5, 4, 3}},
		{megabytes(most + 1), []int{6, 5, 4, 3}},
		{small, []int{7}}, // version 6 is too large, and no older version is kept without it
		{small, []int{8, 7}},
	} {
		d = putRules(t, s, 1, d, step.rule)
		wantKept(t, s, 1, step.kept...)
	}
	wantVersions(t, s, 1, 8, 7)
	wantDictionary(t, s, d, small)
	wantKept(t, s, 2, 2, 1)
	wantDictionary(t, s, other, megabytes(most/2-1))
}

func testDeleteDictionary(t *testing.T, o OpenedDictionaries) {
	ctx, s := t.Context(), o.Dictionaries
	d, other := create(t, s, lexicon(1, 1), everyOption...), create(t, s, lexicon(2, 1), everyOption...)
	first := d
	d = putRules(t, s, 1, d, everyOption[1:]...)
	if ok, err := s.Delete(ctx, d.ID); !ok || err != nil {
		t.Fatalf("Delete = %v, %v", ok, err)
	}
	wantNoDictionary(t, s, d)
	wantNoDictionary(t, s, first)
	wantList(t, s, dictionary.Everyone, other)
	if ok, err := s.Delete(ctx, d.ID); ok || err != nil {
		t.Errorf("Delete again = %v, %v, want false", ok, err)
	}
	if ok, err := s.Put(ctx, d.ID, d.Latest.ID, edition(1, 3, nil), nil); ok || err != nil {
		t.Errorf("Put of what was deleted = %v, %v, want false", ok, err)
	}
	wantNoDictionary(t, s, d)
	wantDictionary(t, s, other, everyOption...)
	create(t, s, first, everyOption...) // succeeds, since nothing of it is left
	wantVersions(t, s, 1, 1)
}

// testDeleteWhilePut deletes a dictionary while others edit it. No call fails, and nothing of
// the dictionary is left.
func testDeleteWhilePut(t *testing.T, o OpenedDictionaries) {
	stores := o.openings(t)
	for n := 1; n <= 5; n++ {
		d := create(t, o.Dictionaries, lexicon(n, 1), everyOption...)
		var puts, deletes atomic.Int32
		var all sync.WaitGroup
		for w := range 6 {
			all.Go(func() {
				v := edition(n, 2, everyOption)
				v.ID = uuid(n<<20 + 100 + w)
				ok, err := stores[w%2].Put(t.Context(), d.ID, d.Latest.ID, v, everyOption)
				if err != nil {
					t.Errorf("Put: %v", err)
				}
				if ok {
					puts.Add(1)
				}
			})
			if w%3 != 0 {
				continue
			}
			all.Go(func() {
				ok, err := stores[(w+1)%2].Delete(t.Context(), d.ID)
				if err != nil {
					t.Errorf("Delete: %v", err)
				}
				if ok {
					deletes.Add(1)
				}
			})
		}
		all.Wait()
		if deletes.Load() != 1 || puts.Load() > 1 {
			t.Errorf("%d deleted it and %d put, want one, and at most one before", deletes.Load(), puts.Load())
		}
		wantNoDictionary(t, o.Dictionaries, d)
	}
}
