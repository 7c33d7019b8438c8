package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// attemptsInserted is how often a job is tried at most, unless its handler allows fewer. The
// handler's number is applied when the job is worked, so that a process that inserts jobs
// need not know their handlers.
const attemptsInserted = 100

var (
	kindForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{1,99}$`)
	laneForm = regexp.MustCompile(`^[a-z]{0,30}$`)
)

// payload is the part of a job that River stores as JSON.
type payload struct {
	kind string
	// Key is Job.Unique.
	Key  string          `json:"key,omitempty" river:"unique"`
	Args json.RawMessage `json:"args,omitempty"`
}

// Kind implements river.JobArgs.
func (p payload) Kind() string { return p.kind }

// insertParams returns jobs as River takes them.
func insertParams(jobs []Job) ([]river.InsertManyParams, error) {
	out := make([]river.InsertManyParams, len(jobs))
	for i, j := range jobs {
		if !kindForm.MatchString(j.Kind) {
			return nil, fmt.Errorf("job kind %q does not match %s", j.Kind, kindForm)
		}
		if j.Priority < 0 || j.Priority > 4 {
			return nil, fmt.Errorf("job %s: priority %d is outside 0 to 4", j.Kind, j.Priority)
		}
		if !laneForm.MatchString(j.Lane) {
			return nil, fmt.Errorf("job %s: lane %q does not match %s", j.Kind, j.Lane, laneForm)
		}
		args, err := encodeArgs(j.Args)
		if err != nil {
			return nil, fmt.Errorf("args of job %s: %w", j.Kind, err)
		}
		if strings.ContainsRune(j.Unique, 0) {
			return nil, fmt.Errorf("job %s: its unique key holds U+0000", j.Kind)
		}
		opts := &river.InsertOpts{MaxAttempts: attemptsInserted, Priority: j.Priority, ScheduledAt: j.At, Queue: j.Lane}
		if j.Unique != "" {
			opts.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: unfinished()}
		}
		out[i] = river.InsertManyParams{Args: payload{kind: j.Kind, Key: j.Unique, Args: args}, InsertOpts: opts}
	}
	return out, nil
}

// encodeArgs returns v as JSON that both databases can store; nil for nil.
func encodeArgs(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if hasNUL(b) {
		return nil, errors.New("they hold U+0000")
	}
	return b, nil
}

// hasNUL reports whether a string in valid JSON holds U+0000: whether a
// \u0000 stands after an even number of backslashes.
func hasNUL(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 {
			return false
		}
		// After a backslash comes one escaped character. It is skipped, so that the second of
		// two backslashes does not begin another escape.
		if bytes.HasPrefix(b[i+1:], []byte("u0000")) {
			return true
		}
		b = b[i+2:]
	}
}

// unfinished returns the states of a job that is not done yet.
func unfinished() []rivertype.JobState {
	return []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
		rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}
}
