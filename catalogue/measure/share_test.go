package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vaak/audio/audiotest"
)

// A file that changed since its task was made is an error, and nothing is kept of
// the bytes that the task names: they are well elsewhere.
func TestWorkNoticesAChange(t *testing.T) {
	t.Parallel()
	from, _ := newFolder(t)
	cache := &memory{}
	task := Task{Folder: string(from), Path: "mono.flac", SHA256: "0000"}
	if err := Work(t.Context(), from, task, cache); err == nil || cache.puts != 0 {
		t.Errorf("Work = %v with %d reports kept, want an error and none", err, cache.puts)
	}
}

// shareFolder makes a folder of n recordings that differ.
func shareFolder(t *testing.T, n int) (folder, []string) {
	dir := t.TempDir()
	var paths []string
	for i := range n {
		paths = append(paths, fmt.Sprintf("%d.flac", i))
		writeFLAC(t, filepath.Join(dir, paths[i]), 8000, audiotest.Speech(8000, 4000+i))
	}
	return folder(dir), paths
}

// TestShareNeedsNobody hands files to others who do all, some or none of them: the
// figures are the same, and waiting ends when patience does.
func TestShareNeedsNobody(t *testing.T) {
	t.Parallel()
	from, paths := shareFolder(t, 10)
	want, _, err := Files(t.Context(), from, string(from), paths, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name        string
		works       int           // how many files the others measure, one a second
		least, most time.Duration // that it takes
		byOthers    int
	}{
		{"nobody is there", 0, time.Minute, 61 * time.Second, 0},
		{"they are gone in the middle", 4, 64 * time.Second, 66 * time.Second, 4},
		{"they do all", 10, 10 * time.Second, 11 * time.Second, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cache, began := &memory{}, time.Now()
				cfg := Config{Jobs: 3, Cache: cache, Share: func(ctx context.Context, tasks []Task) error {
					go func() {
						for _, task := range tasks[:tt.works] {
							time.Sleep(time.Second)
							if err := Work(ctx, from, task, cache); err != nil {
								t.Error(err)
							}
						}
					}()
					return nil
				}}
				got, _, err := Files(t.Context(), from, string(from), paths, cfg)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("shared (-alone +shared):\n%s", diff)
				}
				if took := time.Since(began); took < tt.least || took > tt.most || cache.puts != len(paths) {
					t.Errorf("took %s with %d measured, want %s to %s with %d", took, cache.puts, tt.least, tt.most, len(paths))
				}
			})
		})
	}
}

// TestShareWhileFilesChange changes files that were handed on: what is measured in
// the end is what is there, and what is gone is told.
func TestShareWhileFilesChange(t *testing.T) {
	t.Parallel()
	from, paths := shareFolder(t, 3)
	synctest.Test(t, func(t *testing.T) {
		cache := &memory{}
		cfg := Config{Cache: cache, Share: func(ctx context.Context, tasks []Task) error {
			writeFLAC(t, filepath.Join(string(from), paths[1]), 8000, audiotest.Speech(8000, 9000))
			if err := os.Remove(filepath.Join(string(from), paths[2])); err != nil {
				t.Error(err)
			}
			for i, task := range tasks {
				if err := Work(ctx, from, task, cache); (err != nil) != (i > 0) {
					t.Errorf("Work of %s = %v", task.Path, err)
				}
			}
			return nil
		}}
		got, faults, err := Files(t.Context(), from, string(from), paths, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Frames != 4000 || got[1].Frames != 9000 || faults[0] != nil || faults[1] != nil || !errors.Is(faults[2], os.ErrNotExist) {
			t.Errorf("Files = %d and %d samples, %v", got[0].Frames, got[1].Frames, faults)
		}
	})
}

// TestShareIsBrokenOff ends the wait for others.
func TestShareIsBrokenOff(t *testing.T) {
	t.Parallel()
	from, paths := shareFolder(t, 2)
	why := errors.New("enough")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, _, err := Files(ctx, from, string(from), paths, Config{Cache: &memory{}, Share: func(context.Context, []Task) error {
			time.AfterFunc(10*time.Second, func() { cancel(why) })
			return nil
		}})
		if !errors.Is(err, why) {
			t.Errorf("Files = %v, want %v", err, why)
		}
	})
}
