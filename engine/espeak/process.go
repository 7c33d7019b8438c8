package espeak

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// process is what the system tells of a process.
type process struct {
	name  string
	state byte          // R runs or would, D waits for a disk, S sleeps, T is stopped, Z has ended
	spent time.Duration // of a processor
}

// works reports whether the process is busy, or would be if it got a processor.
func (p process) works() bool { return p.state == 'R' || p.state == 'D' }

// tick is the unit of times in /proc, which is the same on all of Linux.
const tick = 10 * time.Millisecond

// look looks at a process; ok is false when there is none.
func look(pid int) (p process, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, false
	}
	// pid (name) state ..., where the name may have any bytes
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
		p.spent += time.Duration(n) * tick
	}
	return p, true
}

// childrenOf returns the processes that a process has made.
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
