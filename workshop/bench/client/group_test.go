package client

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestGroup: Wait waits for all, and its error is that of the first that failed.
func TestGroup(t *testing.T) {
	t.Parallel()
	first := errors.New("first")
	for _, tt := range []struct {
		name string
		errs []error // of what ends after 0 s, 1 s, ...
		want error
	}{
		{"nothing", nil, nil},
		{"all well", []error{nil, nil, nil}, nil},
		{"one fails", []error{nil, first, nil}, first},
		{"more fail", []error{nil, first, errors.New("second"), nil}, first},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var g Group
				ended := make([]bool, len(tt.errs))
				for i, err := range tt.errs {
					g.Go(func() error {
						time.Sleep(time.Duration(i) * time.Second)
						ended[i] = true
						return err
					})
				}
				if err := g.Wait(); err != tt.want {
					t.Errorf("Wait = %v, want %v", err, tt.want)
				}
				for i, yes := range ended {
					if !yes {
						t.Errorf("Wait returned before %d ended", i)
					}
				}
			})
		})
	}
}
