package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLedger(t *testing.T) {
	t.Parallel()
	got := parseLedger(`goos: linux
BenchmarkLedger/SQLite/16/commits-2         	    1234	   98765 ns/op	     10125 ops/s
BenchmarkLedger/SQLite/16/one-2             	     500	  198765 ns/op	      2531.5 ops/s
BenchmarkLedger/SQLite/16/one-2             	     500	  198765 ns/op	      1.2e+03 ops/s
BenchmarkLedger/PostgreSQL/64/many          	     500	  198765 ns/op	      400 ops/s
BenchmarkOther/PostgreSQL/64/many           	     500	  198765 ns/op	      400 ops/s
ok  	vaak/store	12.3s
`)
	want := map[string]*ledgerFigures{
		"SQLite, 16":     {commits: []float64{10125}, one: []float64{2531.5, 1200}},
		"PostgreSQL, 64": {many: []float64{400}},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(ledgerFigures{})); d != "" {
		t.Errorf("parseLedger: -want +got\n%s", d)
	}
}
