package migrations

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

func TestReadMigrations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		from  int // the version of the first of the files, after empty ones
		text  string
		files []string
		want  string // in the error; "" is success
	}{
		{"in order", 1, "", []string{"0001_a.up.sql", "0002_b.up.sql"}, ""},
		{"gap", 1, "", []string{"0001_a.up.sql", "0003_b.up.sql"}, "0003_b.up.sql"},
		{"twice", 1, "", []string{"0001_a.up.sql", "0001_b.up.sql"}, "0001_b.up.sql"},
		{"stray file", 1, "", []string{"0001_a.up.sql", "notes.txt"}, "notes.txt"},
		{"stated", 12, "-- oldest: 11\n", []string{"0012_b.up.sql"}, ""},
		{"stated early", 3, "-- oldest: 2\n", []string{"0003_b.up.sql"}, ""},
		{"unstated", 12, "-- what for\n", []string{"0012_b.up.sql"}, "0012_b.up.sql does not begin with a line like -- oldest: 11"},
		{"newer than itself", 12, "-- oldest: 13\n", []string{"0012_b.up.sql"}, "oldest 13 is outside 1 to 12"},
		{"older than the first", 12, "-- oldest: 0\n", []string{"0012_b.up.sql"}, "oldest 0 is outside 1 to 12"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{}
			for i := 1; i < tt.from; i++ {
				fsys[fmt.Sprintf("m/%04d_a.up.sql", i)] = &fstest.MapFile{}
			}
			for _, f := range tt.files {
				fsys["m/"+f] = &fstest.MapFile{Data: []byte(tt.text)}
			}
			got, err := read(fsys, "m")
			if tt.want == "" && (err != nil || len(got) != len(fsys)) {
				t.Errorf("read = %v, %v, want %d", got, err, len(tt.files))
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("read: error = %v, want one that names %s", err, tt.want)
			}
		})
	}
}
