package frame

import "sync/atomic"

// Renewing keeps a value that is made of something that seldom changes. It is safe for concurrent
// use.
type Renewing[T any] struct {
	stamp func() any
	build func() (T, error)
	kept  atomic.Pointer[renewed[T]]
}

// renewed is a value, and the stamp of what it was made of.
type renewed[T any] struct {
	stamp any
	value T
}

// Renew returns a value that build makes now, and again whenever stamp has changed.
func Renew[T any](stamp func() any, build func() (T, error)) (*Renewing[T], error) {
	r := &Renewing[T]{stamp: stamp, build: build}
	_, err := r.Get()
	return r, err
}

// Get returns the value.
func (r *Renewing[T]) Get() (T, error) {
	// Before the value is made: what changes meanwhile is seen by the next call.
	stamp := r.stamp()
	if k := r.kept.Load(); k != nil && k.stamp == stamp {
		return k.value, nil
	}
	value, err := r.build()
	if err == nil {
		r.kept.Store(&renewed[T]{stamp, value})
	}
	return value, err
}
