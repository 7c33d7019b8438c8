package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"vaak/internal/fault"
	"vaak/internal/seal"
)

func testSecret() *seal.Secret { return seal.New(bytes.Repeat([]byte{7}, seal.MinBytes)) }

// FuzzSecret: what is taken as a secret is written in the same way, and the reference library verifies
// what it signs; nothing else panics.
func FuzzSecret(f *testing.F) {
	f.Add("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "body")
	f.Add(NewSecret().String(), "")
	f.Add("whsec_", "x")
	f.Add("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS\n", "x")
	f.Fuzz(func(t *testing.T, text, body string) {
		s, err := ParseSecret(text)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || len(text) > 10 && strings.Contains(err.Error(), text) {
				t.Errorf("ParseSecret(%q) = %v", text, err)
			}
			return
		}
		if s.String() != text {
			t.Errorf("ParseSecret(%q).String() = %q", text, s)
		}
		reference, err := standardwebhooks.NewWebhook(text)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		headers := http.Header{}
		headers.Set(HeaderID, "msg_1")
		headers.Set(HeaderTimestamp, Timestamp(now))
		headers.Set(HeaderSignature, Sign("msg_1", now, body, NewSecret(), s))
		if err := reference.Verify([]byte(body), headers); err != nil {
			t.Errorf("the reference library refuses a signature by %q: %v", text, err)
		}
		if err := reference.Verify([]byte(body+" "), headers); err == nil {
			t.Error("the reference library takes a changed body")
		}
	})
}

// TestKinds: the types are complete, their examples are JSON without personal data, and organisations may
// have theirs alone.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, k := range Kinds() {
		e := NewEvent(k.Type, Operator, "s", time.Now(), k.Example)
		var body struct {
			Type      Type
			Timestamp time.Time
			Data      map[string]any
		}
		if err := json.Unmarshal([]byte(e.Body), &body); err != nil || body.Type != k.Type || len(body.Data) == 0 || body.Timestamp.Location() != time.UTC {
			t.Errorf("%s: %s, %v", k.Type, e.Body, err)
		}
		if k.Doc == "" || !k.Type.For(Operator) || k.Type.For("org_x") != k.Owned {
			t.Errorf("%s: %+v", k.Type, k)
		}
	}
	if Type("no.such").For(Operator) || slices.Contains(TypesFor(Operator), Test) {
		t.Error("a type that is not there can be chosen")
	}
	a, b := NewEvent(Test, "o", "s", time.Now(), nil), NewEvent(Test, "o", "s", time.Now(), nil)
	if a.ID == b.ID || a.Once("x").ID != b.Once("x").ID || a.Once("x").ID == a.Once("y").ID || !isID(eventPrefix, a.Once("x").ID) {
		t.Error("ids of events")
	}
}

// TestDocumented: the page has a section for each type, with its example.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Kinds() {
		example, err := json.Marshal(k.Example)
		if err != nil {
			t.Fatal(err)
		}
		who := ""
		if !k.Owned {
			who = " For the operator."
		}
		if want := fmt.Sprintf("### `%s`\n\n%s%s\n\n```json\n%s\n```\n", k.Type, k.Doc, who, example); !strings.Contains(string(page), want) {
			t.Errorf("docs/webhooks.md has no such section:\n%s", want)
		}
	}
}

// outbox is an [Outbox] of one delivery.
type outbox struct {
	mu        sync.Mutex
	claimed   Claimed
	settled   []Settlement
	unclaimed []time.Duration
}

func (o *outbox) Claim(context.Context, int64, time.Duration) (*Claimed, error) {
	c := o.claimed
	return &c, nil
}

func (o *outbox) Unclaim(_ context.Context, _ Claimed, wait time.Duration) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unclaimed = append(o.unclaimed, wait)
	return nil
}

func (o *outbox) Settle(_ context.Context, s Settlement) (State, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settled = append(o.settled, s)
	o.claimed.Delivery.Attempts++
	return Enabled, nil
}

// callerFunc is a [Caller].
type callerFunc func(context.Context, Request) (Answer, error)

func (f callerFunc) Post(ctx context.Context, r Request) (Answer, error) { return f(ctx, r) }

func newCourier(t *testing.T, o *outbox, call callerFunc) *Courier {
	t.Helper()
	c, err := NewCourier(CourierConfig{Outbox: o, Caller: call, Secret: testSecret(), Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newOutbox(secrets ...Sealed) *outbox {
	return &outbox{claimed: Claimed{
		Delivery: Delivery{N: 1, ID: "whd_1", Endpoint: "whe_1", Event: NewEvent(Test, Operator, "s", time.Now(), TestData{"whe_1"})},
		Endpoint: Endpoint{ID: "whe_1", URL: "https://example.org/", State: Enabled, Secrets: secrets},
	}}
}

func sealedFor(id string, s Secret, until time.Time) Sealed {
	return Sealed{Text: sealingKey(testSecret()).Seal(s, id), Until: until}
}

// TestSchedule: a receiver that never works is tried at the times that Standard Webhooks recommends, give or
// take a tenth, and given up then.
func TestSchedule(t *testing.T) {
	t.Parallel()
	o := newOutbox(sealedFor("whe_1", NewSecret(), time.Time{}))
	c := newCourier(t, o, func(context.Context, Request) (Answer, error) { return Answer{Status: 500}, nil })
	want := Pauses()
	for range len(want) + 1 {
		if err := c.Deliver(t.Context(), []byte(`{"n":1}`)); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range o.settled {
		if i == len(want) {
			if s.Outcome != Failed {
				t.Errorf("the last attempt ends as %s", s.Outcome)
			}
			continue
		}
		if wait := s.Next.Sub(s.At); s.Outcome != Waiting || wait < want[i]*9/10 || wait > want[i]*11/10 {
			t.Errorf("after attempt %d: %s for %v, want about %v", i+1, s.Outcome, wait, want[i])
		}
	}
	if d, r, f := c.Figures(); d != 0 || r != int64(len(want)) || f != 1 {
		t.Errorf("Figures = %d, %d, %d", d, r, f)
	}
}

// TestJudgement: which answers deliver, which are tried again, which end the endpoint.
func TestJudgement(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer Answer
		err    error
		want   Outcome
		gone   bool
		least  time.Duration // of the wait
	}{
		{"200", Answer{Status: 200}, nil, Delivered, false, 0},
		{"204", Answer{Status: 204}, nil, Delivered, false, 0},
		{"302", Answer{Status: 302}, nil, Waiting, false, 0},
		{"400", Answer{Status: 400}, nil, Waiting, false, 0},
		{"410", Answer{Status: 410}, nil, Failed, true, 0},
		{"429", Answer{Status: 429, RetryAfter: time.Hour}, nil, Waiting, false, time.Hour},
		{"a year", Answer{Status: 503, RetryAfter: 365 * 24 * time.Hour}, nil, Waiting, false, 24 * time.Hour},
		{"no answer", Answer{}, errors.New("the host refused the connection"), Waiting, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newOutbox(sealedFor("whe_1", NewSecret(), time.Time{}))
			c := newCourier(t, o, func(context.Context, Request) (Answer, error) { return tt.answer, tt.err })
			if err := c.Deliver(t.Context(), []byte(`{"n":1}`)); err != nil {
				t.Fatal(err)
			}
			s := o.settled[0]
			if s.Outcome != tt.want || s.Gone != tt.gone || (s.Attempt.Problem == "") != (tt.want == Delivered) {
				t.Errorf("settled as %+v", s)
			}
			if wait := s.Next.Sub(s.At); tt.want == Waiting && (wait < tt.least || wait > 24*time.Hour) {
				t.Errorf("the wait is %v, want %v at least", wait, tt.least)
			}
		})
	}
}

// TestSecretsThatSign: the newest and the one before, until its end; and none of another deployment.
func TestSecretsThatSign(t *testing.T) {
	t.Parallel()
	now, before, older := NewSecret(), NewSecret(), NewSecret()
	o := newOutbox(sealedFor("whe_1", now, time.Time{}), sealedFor("whe_1", before, time.Now().Add(time.Hour)), sealedFor("whe_1", older, time.Now().Add(-time.Second)))
	var sent Request
	c := newCourier(t, o, func(_ context.Context, r Request) (Answer, error) { sent = r; return Answer{Status: 200}, nil })
	if err := c.Deliver(t.Context(), []byte(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	headers := http.Header{}
	for name, value := range sent.Headers {
		headers.Set(name, value)
	}
	for i, s := range []Secret{now, before, older} {
		reference, err := standardwebhooks.NewWebhookRaw(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := reference.Verify([]byte(sent.Body), headers); (err == nil) != (i < 2) {
			t.Errorf("secret %d: %v", i, err)
		}
	}
	o.claimed.Endpoint.Secrets = []Sealed{{Text: "of another deployment"}}
	if err := c.Deliver(t.Context(), []byte(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	if s := o.settled[1]; s.Outcome != Waiting || !strings.Contains(s.Attempt.Problem, "every server needs the same") {
		t.Errorf("without the deployment's secret: %+v", s)
	}
}

// TestCrowd: a slow endpoint holds a few requests; the others are put off, the first after a moment and
// the rest at once. A server that stops gives its delivery back.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox(sealedFor("whe_1", NewSecret(), time.Time{}))
		c := newCourier(t, o, func(ctx context.Context, _ Request) (Answer, error) {
			<-ctx.Done()
			return Answer{}, ctx.Err()
		})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for range PerEndpoint {
			running.Go(func() {
				if err := c.Deliver(ctx, []byte(`{"n":1}`)); !errors.Is(err, context.Canceled) {
					t.Errorf("Deliver = %v", err)
				}
			})
		}
		synctest.Wait()
		for i, want := range []time.Duration{slotWait, 0, 0} {
			began := time.Now()
			if err := c.Deliver(ctx, []byte(`{"n":1}`)); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != want {
				t.Errorf("delivery %d was put off after %v, want %v", i, took, want)
			}
		}
		stop()
		running.Wait()
		if len(o.unclaimed) != PerEndpoint+3 || len(o.settled) != 0 || len(c.gates) != 0 {
			t.Errorf("%d given back, %d settled, %d gates", len(o.unclaimed), len(o.settled), len(c.gates))
		}
	})
}
