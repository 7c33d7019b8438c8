package server

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of /proc/PID/stat: USER_HZ is 100 on every Linux.
const tick = 10 * time.Millisecond

// stat is what /proc/PID/stat tells.
type stat struct {
	comm   string
	parent int
	Own    time.Duration // user and system time of the process
	reaped time.Duration // the same of the children that it has waited for
}

// ReadStat reads the state of a process.
func ReadStat(pid int) (stat, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(b))
}

// parseStat reads a line of /proc/PID/stat. The name stands in parentheses and
// may hold anything, parentheses too.
func parseStat(line string) (stat, error) {
	from, to := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if from < 0 || to < from {
		return stat{}, fmt.Errorf("no process name in %q", line)
	}
	s := stat{comm: line[from+1 : to]}
	fields := strings.Fields(line[to+1:]) // from the state on, the third of proc(5)
	const ppid, utime, stime, cutime, cstime = 4 - 3, 14 - 3, 15 - 3, 16 - 3, 17 - 3
	if len(fields) <= cstime {
		return stat{}, fmt.Errorf("%d fields after the name in %q", len(fields), line)
	}
	var n [cstime + 1]int64
	for _, i := range []int{ppid, utime, stime, cutime, cstime} {
		var err error
		if n[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil {
			return stat{}, fmt.Errorf("field %d: %w", i+3, err)
		}
	}
	s.parent = int(n[ppid])
	s.Own = time.Duration(n[utime]+n[stime]) * tick
	s.reaped = time.Duration(n[cutime]+n[cstime]) * tick
	return s, nil
}

// children returns the processes whose parent is pid, dead ones that it has not
// waited for included, in ascending order.
func children(pid int) ([]int, error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil, err
	}
	if len(lists) == 0 {
		return childrenByScan(pid)
	}
	var pids []int
	for _, name := range lists {
		b, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a thread that has ended since
		}
		if err != nil {
			return nil, err
		}
		found, err := parsePids(string(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		pids = append(pids, found...)
	}
	slices.Sort(pids)
	return pids, nil
}

// childrenByScan serves kernels that do not list children.
func childrenByScan(pid int) ([]int, error) {
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, name := range names {
		child, err := strconv.Atoi(filepath.Base(name))
		if err != nil {
			continue
		}
		if s, err := ReadStat(child); err == nil && s.parent == pid {
			pids = append(pids, child)
		}
	}
	slices.Sort(pids)
	return pids, nil
}

func parsePids(list string) ([]int, error) {
	var pids []int
	for f := range strings.FieldsSeq(list) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// runTime returns the processor time of a process's first thread, to the
// nanosecond; the utterances of both servers have one thread only.
func runTime(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		return 0, err
	}
	return parseSchedstat(string(b))
}

func parseSchedstat(line string) (time.Duration, error) {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("schedstat: %w", err)
	}
	return time.Duration(n), nil
}

// memory is the resident memory of a process, in KiB.
type memory struct {
	rss int64
	pss int64 // every shared page divided by the processes that share it
}

func readMemory(pid int) (memory, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return memory{}, err
	}
	var m memory
	if m.rss, err = ParseKiB(b, "Rss"); err != nil {
		return memory{}, err
	}
	m.pss, err = ParseKiB(b, "Pss")
	return m, err
}

// ParseKiB finds a line such as "Rss:  1234 kB".
func ParseKiB(text []byte, name string) (int64, error) {
	for sc := bufio.NewScanner(bytes.NewReader(text)); sc.Scan(); {
		rest, ok := strings.CutPrefix(sc.Text(), name+":")
		if !ok {
			continue
		}
		return strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
	}
	return 0, fmt.Errorf("no line %q", name)
}
