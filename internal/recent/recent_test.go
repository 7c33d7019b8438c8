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

// TestLaws: what is there is what was put last under its key and not dropped since, all
// of it stays within the bound, and what was put or asked for is there while less than
// half the bound has come after it. The size of what is in the newer half is known.
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
			"offer": func(rt *rapid.T) {
				n++
				k, v := keys.Draw(rt, "key"), value{rapid.IntRange(0, bound).Draw(rt, "size"), n}
				stay, asked := rapid.Bool().Draw(rt, "stay"), false
				got := m.Offer(k, v, func(there value) bool {
					if asked = true; there != put[k] {
						rt.Errorf("Offer(%d) asks about %+v, want %+v", k, there, put[k])
					}
					return stay
				})
				want := v
				if asked && stay {
					want = put[k]
				}
				if came, must := after[k]; got != want || !asked && must && came <= bound/2 {
					rt.Errorf("Offer(%d) = %+v, want %+v, asked is %v", k, got, want, asked)
				}
				put[k] = want
				if delete(after, k); want.size <= bound/2 {
					touch(k)
				}
			},
			"get": func(rt *rapid.T) {
				k := keys.Draw(rt, "key")
				came, must := after[k]
				got, ok := m.Get(k)
				last, was := put[k]
				if ok && (!was || got != last) || !ok && must && came <= bound/2 {
					rt.Errorf("Get(%d) = %+v, %v; want %+v, after which came %d of %d", k, got, ok, put[k], came, bound)
				}
				if delete(after, k); ok {
					touch(k)
				}
			},
			"drop": func(rt *rapid.T) {
				k := keys.Draw(rt, "key")
				m.Drop(k)
				delete(put, k)
				delete(after, k)
			},
			"clear": func(rt *rapid.T) {
				if rapid.IntRange(0, 9).Draw(rt, "rarely") > 0 {
					rt.Skip("seldom, so that there is much to clear")
				}
				m.Clear()
				clear(put)
				clear(after)
				if total := m.total(); total != 0 {
					rt.Errorf("%d are kept after Clear", total)
				}
			},
			"": func(rt *rapid.T) {
				used := 0
				for k, v := range m.new {
					used += m.size(k, v)
				}
				if used != m.used {
					rt.Errorf("what is in the newer half takes %d, the memory believes %d", used, m.used)
				}
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

// TestDrop: what was dropped is gone from either half, and nothing else is.
func TestDrop(t *testing.T) {
	t.Parallel()
	for _, keys := range []int{3, 6, 7} { // the first key is in the newer half, or the older
		m := New[int, int](12, nil)
		for k := range keys {
			m.Put(k, -k)
		}
		m.Drop(0)
		m.Drop(keys) // was never there
		for k := range keys {
			if v, ok := m.Get(k); ok != (k > 0) || v != -k {
				t.Errorf("of %d, Get(%d) = %d, %v", keys, k, v, ok)
			}
		}
		m.Put(0, 1)
		if v, ok := m.Get(0); v != 1 || !ok {
			t.Errorf("of %d, Get of what was put again = %d, %v", keys, v, ok)
		}
	}
}

// TestDropFreesRoom: what is dropped counts no more, so that as much as fits into half
// the bound stays beside it.
func TestDropFreesRoom(t *testing.T) {
	t.Parallel()
	m := New[int, int](20, nil)
	m.Put(-1, -1)
	for k := range 1000 {
		m.Put(k, k)
		m.Drop(k)
	}
	if _, ok := m.new[-1]; !ok || m.used != 1 {
		t.Errorf("what was put first is in the newer half: %v, of size %d, want true, 1", ok, m.used)
	}
}

// TestClear: nothing is there after it, of either half, and the memory is as new.
func TestClear(t *testing.T) {
	t.Parallel()
	m := New(20, sized)
	for range 2 {
		for k := range 4 {
			m.Put(k, value{4, k})
		}
		m.Clear()
		for k := range 4 {
			if v, ok := m.Get(k); ok {
				t.Errorf("Get(%d) after Clear = %+v, want none", k, v)
			}
		}
		for k := range 10 { // as much as half of it holds
			m.Put(k, value{1, k})
		}
		for k := range 10 {
			if v, ok := m.new[k]; !ok || v.n != k {
				t.Errorf("%d is not in the newer half: %+v, %v", k, v, ok)
			}
		}
		m.Clear()
	}
	m.Clear()
	if m.total() != 0 || m.used != 0 {
		t.Errorf("%d are kept, of size %d, want none", m.total(), m.used)
	}
}

// TestAtOnce has many put, ask and forget at once.
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
				if i%100 == g {
					m.Drop(k)
				}
				if i%1000 == g {
					m.Clear()
				}
			}
		})
	}
	all.Wait()
	if n := m.total(); n > 100 || n == 0 {
		t.Errorf("%d values are kept, want some, at most 100", n)
	}
}
