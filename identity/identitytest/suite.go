package identitytest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/identity"
	"vaak/internal/fault"
)

// Opened is one store under test. It has no people, and uses the clock of the machine.
type Opened struct {
	Store identity.Store
	// Orgs are the ids of two organisations that members may belong to.
	Orgs [2]string
	// Again opens the same data once more, as another process would; the test's
	// cleanup closes it. Nil for a store that only one may open.
	Again func(t *testing.T) identity.Store
}

// handles returns the store twice: as two processes open it, or the same store if only one
// may.
func (o Opened) handles(t *testing.T) [2]identity.Store {
	if o.Again == nil {
		return [2]identity.Store{o.Store, o.Store}
	}
	return [2]identity.Store{o.Store, o.Again(t)}
}

// Run runs the suite. Each test calls open once for a store of its own.
func Run(t *testing.T, open func(t *testing.T) Opened) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, o Opened)
	}{
		{"CreateFirst", testCreateFirst},
		{"CreateFirstAtOnce", testCreateFirstAtOnce},
		{"People", testPeople},
		{"PeopleInOrder", testPeopleInOrder},
		{"Unique", testUnique},
		{"UniqueAtOnce", testUniqueAtOnce},
		{"NobodyThere", testNobody},
		{"Times", testTimes},
		{"ChangePerson", testChangePerson},
		{"ChangePersonClash", testChangeClash},
		{"ChangePersonAtOnce", testChangeAtOnce},
		{"ChangePersonOnce", testChangeOnce},
		{"Invitations", testInvitations},
		{"TakeInvitationAtOnce", testTakeAtOnce},
		{"Sessions", testSessions},
		{"SessionsExpire", testSessionsExpire},
		{"SessionsAtOnce", testSessionsAtOnce},
		{"Prune", testPrune},
		{"Events", testEvents},
		{"EventsOfOrganisation", testEventsOfOrganisation},
		{"EventsAtOnce", testEventsAtOnce},
		{"PruneEvents", testPruneEvents},
		{"Reopened", testReopened},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, open(t))
		})
	}
}

// many is how many concurrent calls a test makes.
const many = 16

// created is an instant with microseconds, the finest that a store keeps.
var created = time.Date(2026, 2, 28, 23, 59, 59, 999_999_000, time.UTC)

// operator returns person n, an operator with every field set.
func operator(n int) identity.Person {
	return identity.Person{
		ID: fmt.Sprintf("usr_%016d", n), Email: fmt.Sprintf("operator%d@example.org", n), Name: `O'Neil "?" \ %s नमस्ते 😀`,
		Role: identity.Operator, Created: created, SignedIn: created.Add(time.Microsecond), Disabled: created.Add(2 * time.Microsecond),
		Epoch: 1<<40 + int64(n),
		Proof: identity.Proof{
			Password: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$c3Vt", Codes: "sealed?", CodesUsed: 1 << 33,
			Subject: fmt.Sprintf("https://id.example.org/?a=b %d", n),
		},
	}
}

// member returns person n, a member of an organisation who was invited and has not signed in.
func member(n int, org string) identity.Person {
	return identity.Person{
		ID: fmt.Sprintf("usr_%016d", n), Email: fmt.Sprintf("member%d@example.org", n), Name: "Member",
		Role: identity.Member, OrgID: org, Created: created,
	}
}

// check fails the test at once when err is not nil.
func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// refused reports a test error when err is not of a kind.
func refused(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if got := fault.KindOf(err); got != want {
		t.Errorf("%s: kind %q (%v), want %q", what, got, err, want)
	}
}

// same reports a test error when two values differ.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// atOnce runs f many times at once, each with a number from 0, and returns the errors
// by number.
func atOnce(f func(n int) error) []error {
	var all sync.WaitGroup
	begin, errs := make(chan struct{}), make([]error, many)
	for n := range many {
		all.Go(func() {
			<-begin
			errs[n] = f(n)
		})
	}
	close(begin)
	all.Wait()
	return errs
}

// one reports a test error unless exactly one of many errors is nil and the others are of a
// kind.
func one(t *testing.T, what string, errs []error, want fault.Kind) {
	t.Helper()
	n := 0
	for _, err := range errs {
		if err == nil {
			n++
		} else {
			refused(t, what, err, want)
		}
	}
	if n != 1 {
		t.Errorf("%s: %d of %d succeeded, want 1", what, n, len(errs))
	}
}
