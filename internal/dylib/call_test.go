package dylib

import (
	"testing"
	"unsafe"
)

func TestCall(t *testing.T) {
	lib, err := Open("libc.so.6")
	if err != nil {
		t.Fatal(err)
	}
	memcmp, err := lib.Address("memcmp")
	if err != nil {
		t.Fatal(err)
	}
	c := NewCall(memcmp, 3)
	for _, tt := range []struct {
		a, b string
		want int // its sign
	}{{"same", "same", 0}, {"abc", "abd", -1}, {"abd", "abc", 1}} {
		a, b := []byte(tt.a), []byte(tt.b)
		c.Point(0, unsafe.Pointer(&a[0]))
		c.Point(1, unsafe.Pointer(&b[0]))
		c.Set(2, uintptr(len(a)))
		if got := int32(c.Do()); (got < 0) != (tt.want < 0) || (got > 0) != (tt.want > 0) {
			t.Errorf("memcmp(%q, %q) = %d, want the sign of %d", tt.a, tt.b, got, tt.want)
		}
	}
	if allocs := testing.AllocsPerRun(100, func() { c.Do() }); allocs != 0 {
		t.Errorf("a call allocates %v times, want 0", allocs)
	}
}

func BenchmarkCall(b *testing.B) {
	lib, err := Open("libc.so.6")
	if err != nil {
		b.Fatal(err)
	}
	address, err := lib.Address("memcmp")
	if err != nil {
		b.Fatal(err)
	}
	var memcmp func(x, y *byte, n int) int32
	if err := lib.Bind(&memcmp, "memcmp"); err != nil {
		b.Fatal(err)
	}
	x, y := make([]byte, 64), make([]byte, 64)
	c := NewCall(address, 3)
	c.Point(0, unsafe.Pointer(&x[0]))
	c.Point(1, unsafe.Pointer(&y[0]))
	c.Set(2, 64)
	b.Run("call", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.Do()
		}
	})
	b.Run("bound", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			memcmp(&x[0], &y[0], 64)
		}
	})
}
