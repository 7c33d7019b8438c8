package work

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"vaak/catalogue/ingest"
	"vaak/catalogue/measure"
	"vaak/store"
	"vaak/store/jobs"
)

// jobMeasure is the kind of a job that measures a file. laneMeasure is the lane of the
// processes that can read the files.
const (
	jobMeasure  = "dataset.measure"
	laneMeasure = "measure"
)

// measureTimeout is how long one file may take: a day of audio takes minutes. The job of
// a process that was killed is worked again after this time. Nobody waits for that: the
// command that shared the files measures those whose results do not come.
const measureTimeout = time.Hour

// ShareMeasuring queues a job for each file. Servers that can read the files work these
// jobs; see [Measure].
func ShareMeasuring(ctx context.Context, db *store.Store, tasks []measure.Task) error {
	all := make([]jobs.Job, len(tasks))
	for i, t := range tasks {
		all[i] = jobs.Job{Kind: jobMeasure, Args: t, Unique: t.SHA256 + " " + measure.Method, Lane: laneMeasure}
	}
	return db.Enqueue(ctx, all...)
}

// Measure returns the handler of the jobs of [ShareMeasuring], for files below root. It
// returns nil if root is empty.
func Measure(db *store.Store, root string) []jobs.Handler {
	if root == "" {
		return nil
	}
	return []jobs.Handler{{
		Kind: jobMeasure, Lane: laneMeasure, AtOnce: runtime.GOMAXPROCS(0), Timeout: measureTimeout,
		Work: func(ctx context.Context, text []byte) error {
			var task measure.Task
			if err := json.Unmarshal(text, &task); err != nil {
				return fmt.Errorf("read the arguments: %w", err)
			}
			folder, err := folderBelow(root, task.Folder)
			if err != nil {
				return err
			}
			defer folder.Close() // read only
			return measure.Work(ctx, ingest.Opener(folder), task, db.Catalogue())
		},
	}}
}

// folderBelow opens a folder that must be root or below it. The path comes from a row of
// the database, so it is not trusted to stay there.
func folderBelow(root, folder string) (*os.Root, error) {
	path, err := filepath.Rel(root, folder)
	if err != nil || path == ".." || strings.HasPrefix(path, "../") {
		return nil, fmt.Errorf("folder %s is not below %s, whose files this server measures", folder, root)
	}
	base, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer base.Close() // the folder has a handle of its own
	return base.OpenRoot(path)
}
