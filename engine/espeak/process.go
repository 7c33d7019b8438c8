package espeak

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// process is the state of a process, from /proc.
type process struct {
	name    string
	state   byte          // R runs or would, D waits for a disk, S sleeps, T is stopped, Z has ended
	cpuTime time.Duration // processor time used so far
}

// busy reports whether the process runs, or would run if it got a processor.
func (p process) busy() bool { return p.state == 'R' || p.state == 'D' }

// tick is the unit of times in /proc (USER_HZ), which is 1/100 s on all Linux systems.
const tick = 10 * time.Millisecond

// readProcess returns the state of a process; ok is false if there is none.
func readProcess(pid int) (p process, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, false
	}
	// The line is "pid (name) state ...", where the name may contain any bytes; see proc(5).
	open, end := strings.IndexByte(string(b), '('), strings.LastIndexByte(string(b), ')')
	if open < 0 || end < open {
		return p, false
	}
	p.name = string(b[open+1 : end])
	f := strings.Fields(string(b[end+1:]))
	const state, user, system = 0, 11, 12
	if len(f) <= system {
		return p, false
	}
	p.state = f[state][0]
	for _, field := range []int{user, system} {
		n, err := strconv.Atoi(f[field])
		if err != nil {
			return p, false
		}
		p.cpuTime += time.Duration(n) * tick
	}
	return p, true
}

// childrenOf returns the child processes of a process.
func childrenOf(pid int) []int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil
	}
	var all []int
	for _, f := range strings.Fields(string(b)) {
		if n, err := strconv.Atoi(f); err == nil {
			all = append(all, n)
		}
	}
	return all
}
