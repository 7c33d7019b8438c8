package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vaak/internal/fault"
)

// TestCodeAt uses the vectors of RFC 6238, appendix B, for SHA-1. They have eight digits, and our
// codes are the last six.
func TestCodeAt(t *testing.T) {
	t.Parallel()
	for at, want := range map[int64]string{
		59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130",
	} {
		if got := codeAt([]byte("12345678901234567890"), stepOf(time.Unix(at, 0))); got != want[2:] {
			t.Errorf("the code at %d = %s, want %s", at, got, want[2:])
		}
	}
}

func TestStepOfCode(t *testing.T) {
	t.Parallel()
	secret, now := []byte("12345678901234567890"), time.Unix(1_800_000_000, 0)
	at := stepOf(now)
	for _, tt := range []struct {
		step, used int64
		want       bool
	}{{-2, 0, false}, {-1, 0, true}, {0, 0, true}, {1, 0, true}, {2, 0, false}, {0, at - 1, true}, {0, at, false}, {-1, at, false}, {1, at, true}, {1, at + 1, false}} {
		step, ok := stepOfCode(secret, codeAt(secret, at+tt.step), now, tt.used)
		if ok != tt.want || ok && step != at+tt.step {
			t.Errorf("the code of step %+d after %d = %d, %v; want %v", tt.step, tt.used, step, ok, tt.want)
		}
	}
}

func FuzzParseCode(f *testing.F) {
	for _, s := range []string{"123456", " 123 456 ", "12345", "1234567", "١٢٣٤٥٦", "12345a", "", "+12345", "\x00\x00\x00\x00\x00\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		code, ok := parseCode(s)
		if !ok {
			return
		}
		for _, c := range []byte(code) {
			if c < '0' || c > '9' {
				t.Errorf("parseCode(%q) = %q", s, code)
			}
		}
		if len(code) != codeDigits || code != strings.ReplaceAll(s, " ", "") {
			t.Errorf("parseCode(%q) = %q", s, code)
		}
	})
}

// FuzzCheckPassword checks that checkPassword returns for any stored text, and that only the stored
// form of a password matches it.
func FuzzCheckPassword(f *testing.F) {
	kept := hashPassword("secret")
	f.Add(kept, "secret")
	f.Add(kept, "Secret")
	f.Add(strings.Replace(kept, "m=8", "m=4294967295", 1), "secret")
	f.Add(strings.Replace(kept, "t=1", "t=99999", 1), "secret")
	f.Add("$argon2id$v=19$m=8,t=1,p=1$$", "")
	f.Add("$argon2id$v=19$m=8,t=1,p=0$c2FsdHNhbHQ$c3VtIG9mIHNpeHRlZW4gYg", "")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, kept, password string) {
		if !checkPassword(kept, password) {
			return
		}
		h, salt, sum, ok := decode(kept)
		if !ok || h.encode(salt, sum) != kept || h.encode(salt, h.sum(password, salt, uint32(len(sum)))) != kept {
			t.Errorf("checkPassword(%q, %q) is true", kept, password)
		}
	})
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	a, b := hashPassword("secret"), hashPassword("secret")
	if a == b || !checkPassword(a, "secret") || !checkPassword(b, "secret") || checkPassword(a, "secret ") || checkPassword(decoy(), "") {
		t.Errorf("passwords are kept as %s and %s", a, b)
	}
	if got := published.encode(nil, nil); got != "$argon2id$v=19$m=19456,t=2,p=1$$" {
		t.Errorf("the cost is %s", got)
	}
	for _, other := range []string{"", "secret", a + "$", a[:len(a)-1], strings.Replace(a, "argon2id", "argon2i", 1), strings.Replace(a, "v=19", "v=16", 1), strings.Replace(a, "m=8", "m=08", 1)} {
		if checkPassword(other, "secret") {
			t.Errorf("checkPassword(%q) is true", other)
		}
	}
}

func TestNewPassword(t *testing.T) {
	t.Parallel()
	p := Person{Email: "somebody.long@example.org", Name: "Somebody Long"}
	for _, tt := range []struct {
		name, password, want string // want is in the error; "" is none
	}{
		{"twelve", "aZ3$ aZ3% b!", ""},
		{"twelve characters of three bytes", "गुप्त शब्द है", ""},
		{"two hundred", strings.Repeat("abcdé", 40), ""},
		{"eleven", "aZ3$ aZ3% b", "11 characters"},
		{"eleven composed", "e\u0301abcdefghij", "11 characters"},
		{"201", strings.Repeat("abc", 67), "201 characters"},
		{"a megabyte", strings.Repeat("abcde", 1<<18), "more than 200"},
		{"not UTF-8", "aZ3$ aZ3% b!\xff", "UTF-8"},
		{"the address", "Somebody.Long@Example.org", "e-mail address"},
		{"before the @", "somebody.LONG", "e-mail address"},
		{"the name", "SOMEBODY long", "name"},
		{"one character", "pppppppppppp", "over and over"},
		{"a short piece", "abc1abc1abc1a", "over and over"},
		{"common", "PasswordPassword", "tried first"},
		{"common in lower case", "correct horse battery staple", "tried first"},
	} {
		got, err := newPassword(tt.password, p)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
		if err != nil && (fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), tt.password)) {
			t.Errorf("%s: %v is no refusal, or shows the password", tt.name, err)
		}
	}
	for line := range strings.Lines(common) {
		if n := len(strings.TrimSpace(line)); n < MinPassword || strings.ToLower(line) != line {
			t.Errorf("the list has %q, which the rules refuse or nobody finds", line)
		}
	}
}

func TestNormalEmail(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		" A.Z@Example.ORG\t": "a.z@example.org", "a@b.c": "a@b.c", "": "", "@[`{": "@[`{",
		"m\u0130a@b.c": "", "\u212Aa@b.c": "", "a@b.c\xff": "", strings.Repeat("a", 2*MaxEmail+1): "",
	} {
		if got := normalEmail(s); got != want {
			t.Errorf("normalEmail(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestIsEmail(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"a@b.c": true, "a.b+c@example.org": true, "root@localhost": true, "": false, "a": false, "@b.c": false, "a@": false, "a@b..c": false, "a..b@c.d": false,
		"a b@c.d": false, "a@b@c.d": false, "A@b.c": false, "é@b.c": false, "a@-b.c": false, "a@b_c.d": false, "\"a\"@b.c": false, "a@b.c\n": false,
		strings.Repeat("a", 65) + "@b.c": false, "a@" + strings.Repeat("b", 64) + ".c": false, "a@" + strings.Repeat("b.", 130) + "c": false,
	} {
		if got := isEmail(s); got != want {
			t.Errorf("isEmail(%q) = %v", s, got)
		}
	}
}

// TestProofHides checks that no way of printing a person shows the proof.
func TestProofHides(t *testing.T) {
	t.Parallel()
	p := Person{ID: "usr_aaaaaaaaaaaaaaaa", Email: "a@example.org", Proof: Proof{Password: "topsecret", Codes: "topsecret", CodesUsed: 424242, Subject: "topsecret"}}
	var out strings.Builder
	for _, verb := range strings.Split("v +v #v s q x X d t", " ") {
		for _, v := range []any{p, &p, p.Proof, &p.Proof, []Person{p}, map[string]Person{"a": p}} {
			fmt.Fprintf(&out, "%"+verb+"\n", v)
		}
	}
	out.WriteString(p.Proof.String() + p.Proof.GoString())
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("m", "person", p, "proof", p.Proof, "people", []Person{p})
	}
	b, err := json.Marshal([]any{p, p.Proof})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	for _, secret := range []string{"topsecret", "746f70736563726574", "746F70736563726574", "424242"} {
		if strings.Contains(out.String(), secret) {
			at := strings.Index(out.String(), secret)
			t.Errorf("a proof is shown after %q", out.String()[max(0, at-200):at])
		}
	}
}

// TestWork checks that two passwords are hashed at once, of which one may be a stranger's, and that
// the queue of strangers is bounded.
func TestWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, release := newWork(), make(chan struct{})
		hold := func(stranger bool, done chan error) {
			go func() { done <- w.do(t.Context(), stranger, func() { <-release }) }()
			synctest.Wait()
		}
		strangers, known := make(chan error, 100), make(chan error, 100)
		hold(true, strangers)
		for range maxQueue {
			hold(true, strangers)
		}
		if n := len(w.places); n != 1 {
			t.Errorf("strangers have %d places, want 1", n)
		}
		if err := w.do(t.Context(), true, func() { t.Error("one too many runs") }); fault.KindOf(err) != fault.RateLimited {
			t.Errorf("a stranger over the queue: %v", err)
		}
		hold(false, known)
		if n := len(w.places); n != 2 {
			t.Errorf("%d places are taken, want 2: somebody known goes ahead of the queue", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.do(ctx, false, func() { t.Error("a third runs") }); fault.KindOf(err) != fault.Cancelled {
			t.Errorf("a third: %v, want Cancelled", err)
		}
		others := make(chan error, 100)
		for range maxQueue {
			hold(false, others)
		}
		if err := w.do(t.Context(), false, func() { t.Error("one too many runs") }); fault.KindOf(err) != fault.RateLimited {
			t.Errorf("somebody known over the queue: %v", err)
		}
		close(release)
		for range maxQueue {
			if err := <-others; err != nil {
				t.Error(err)
			}
		}
		for range 1 + maxQueue {
			if err := <-strangers; err != nil {
				t.Error(err)
			}
		}
		if err := <-known; err != nil || len(w.places) != 0 || len(w.strangers) != 0 || w.queue.Load() != 0 || w.waiting.Load() != 0 {
			t.Errorf("in the end: %v, places %d, strangers %d, queues %d and %d", err, len(w.places), len(w.strangers), w.queue.Load(), w.waiting.Load())
		}
	})
}

// TestLimitsForget checks that nothing is kept of attempts that have ended, and a bounded number of
// those that failed.
func TestLimitsForget(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	l := newLimits(now)
	for n := range 3 * scopes {
		a, wait := l.begin(now, passwords, bySignIn, fmt.Sprint(n, "@example.org"), fmt.Sprint(n))
		if wait > 0 {
			t.Fatalf("attempt %d has to wait %v", n, wait)
		}
		a.fail(now)
		a.fail(now)
		a.drop()
		if n := l.running.Running(scope("client", fmt.Sprint(n))); n != 0 {
			t.Fatalf("%d still run", n)
		}
		l.know(now, fmt.Sprint(n), "a")
	}
	if a, b, c := l.client.Scopes(), l.minute.Scopes(), l.hour.Scopes(); a > scopes || b > scopes || c > 2*scopes {
		t.Errorf("%d, %d and %d scopes are kept", a, b, c)
	}
	if d := l.client.Look(scope("client", fmt.Sprint(3*scopes-1)), now, math.MaxInt32); d.Limit-d.Remaining != 1 {
		t.Errorf("an attempt that failed twice counts %d times", d.Limit-d.Remaining)
	}
}

// TestLimitsOfRunning checks that attempts which run count as failures, and no longer do so when
// they end without one.
func TestLimitsOfRunning(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	l := newLimits(now)
	begin := func(client int) (*attempt, time.Duration) {
		return l.begin(now, passwords, bySignIn, "a@example.org", fmt.Sprint(client))
	}
	var running []*attempt
	for n := range passwords.minute {
		a, wait := begin(n % 2)
		if wait > 0 {
			t.Fatalf("attempt %d has to wait %v", n, wait)
		}
		running = append(running, a)
	}
	if _, wait := begin(0); wait == 0 {
		t.Error("an attempt begins beside as many as may fail")
	}
	for _, a := range running[1:] {
		a.drop()
	}
	for n := range passwords.minute - 1 {
		a, wait := begin(0)
		if wait > 0 {
			t.Fatalf("attempt %d has to wait %v after others ended", n, wait)
		}
		a.fail(now)
	}
	if _, wait := begin(0); wait == 0 {
		t.Error("an attempt begins beside one that runs and those that failed")
	}
}
