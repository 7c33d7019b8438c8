package recent

import (
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// value has a size, and tells whether it is the one that was put last.
type value struct{ size, n int }

func sized(_ int, v value) int { return v.size }

// total counts what is kept anew.
func (m *Memory[K, V]) total() (n int) {
	for _, half := range []map[K]V{m.new, m.old} {
		for k, v := range half {
			n += m.size(k, v)
		}
	}
	return n
}

// TestLaws: what is there is what was put last under its key, all of it stays within
// the bound, and what was put or asked for is there while less than half the bound
// has come after it.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		bound := rapid.IntRange(2, 40).Draw(rt, "bound")
		m := New(bound, sized)
		put := map[int]value{} // last, by key
		after := map[int]int{} // size of what came after it
		touch := func(k int) {
			for other := range after {
				after[other] += put[k].size
			}
			after[k] = put[k].size
		}
		keys := rapid.IntRange(0, 7)
		n := 0
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				n++
				k, v := keys.Draw(rt, "key"), value{rapid.IntRange(0, bound).Draw(rt, "size"), n}
				m.Put(k, v)
				put[k] = v
				if delete(after, k); v.size <= bound/2 {
					touch(k)
				}
			},
			"get": func(rt *rapid.T) {
				k := keys.Draw(rt, "key")
				came, must := after[k]
				got, ok := m.Get(k)
				if ok && got != put[k] || !ok && must && came <= bound/2 {
					rt.Errorf("Get(%d) = %+v, %v; want %+v, after which came %d of %d", k, got, ok, put[k], came, bound)
				}
				if delete(after, k); ok {
					touch(k)
				}
			},
			"": func(rt *rapid.T) {
				if total := m.total(); total > bound {
					rt.Errorf("%d are kept, the bound is %d", total, bound)
				}
			},
		})
	})
}

// TestWanted: what is asked for stays, however much comes and goes beside it.
func TestWanted(t *testing.T) {
	t.Parallel()
	m := New[string, int](64, nil)
	m.Put("wanted", -1)
	for i := range 1000 {
		m.Put(fmt.Sprint(i), i)
		if v, ok := m.Get("wanted"); v != -1 || !ok {
			t.Fatalf("after %d others Get = %d, %v; want what was put", i, v, ok)
		}
		if n := len(m.new) + len(m.old); n > 64 {
			t.Fatalf("%d values are kept, want at most 64", n)
		}
	}
}

// TestTooLarge: what takes more than half the bound is not kept, and what was under
// its key is gone.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	m := New(10, sized)
	m.Put(1, value{5, 1})
	m.Put(1, value{6, 2})
	if v, ok := m.Get(1); ok {
		t.Errorf("Get = %+v, want none", v)
	}
}

// TestAtOnce has many put and ask at once.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	m := New[int, int](100, nil)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 2000 {
				k := (i*7 + g) % 150
				if v, ok := m.Get(k); ok && v != -k {
					t.Errorf("Get(%d) = %d, want %d", k, v, -k)
				}
				m.Put(k, -k)
			}
		})
	}
	all.Wait()
	if n := m.total(); n > 100 || n == 0 {
		t.Errorf("%d values are kept, want some, at most 100", n)
	}
}
