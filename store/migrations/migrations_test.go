package migrations

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestReadMigrations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files []string
		want  string // in the error; "" is success
	}{
		{"in order", []string{"0001_a.up.sql", "0002_b.up.sql"}, ""},
		{"gap", []string{"0001_a.up.sql", "0003_b.up.sql"}, "0003_b.up.sql"},
		{"twice", []string{"0001_a.up.sql", "0001_b.up.sql"}, "0001_b.up.sql"},
		{"stray file", []string{"0001_a.up.sql", "notes.txt"}, "notes.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{}
			for _, f := range tt.files {
				fsys["m/"+f] = &fstest.MapFile{}
			}
			got, err := read(fsys, "m")
			if tt.want == "" && (err != nil || len(got) != len(tt.files)) {
				t.Errorf("read = %v, %v, want %d", got, err, len(tt.files))
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("read: error = %v, want one that names %s", err, tt.want)
			}
		})
	}
}
