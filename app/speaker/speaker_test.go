package speaker

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDataDir(t *testing.T) {
	t.Parallel()
	alone, packaged := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(packaged, "espeak-ng-data"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, setting, worker, want string }{
		{"the library's own", "", filepath.Join(alone, "worker"), ""},
		{"beside the worker", "", filepath.Join(packaged, "worker"), packaged},
		{"the setting wins", alone, filepath.Join(packaged, "worker"), alone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := (Engine{Data: tt.setting}).DataDir(tt.worker); got != tt.want {
				t.Errorf("DataDir(%q) = %q, want %q", tt.worker, got, tt.want)
			}
		})
	}
}
