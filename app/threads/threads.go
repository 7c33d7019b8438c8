// Package threads counts the processes and threads that a server may have, and makes
// threads ahead of need. The runtime of Go ends a program that is refused a thread, so a
// server that came to its limit under load would die; one that already has the threads
// goes on.
package threads

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Numbers of processes and threads. The system counts both against the same limits.
const (
	// keptThreads are made at the start and never end. The runtime may want a new thread
	// for each system call that takes long.
	keptThreads = 64
	// fewThreads is the smallest number of kept threads with which the server starts.
	fewThreads = 24
	// ownThreads is what the runtime has before any are made ahead.
	ownThreads = 12
	// engineProcesses is what the workers of the engine take, two threads each.
	engineProcesses = 20
)

// Limit is a bound on the processes and threads that somebody may have.
type Limit struct {
	Name string // who has the limit, such as "the user"
	Most int
	Used int // how many there are, as far as this process can see
}

// Room returns how many more there may be.
func (l Limit) Room() int { return max(0, l.Most-l.Used) }

// String says it as "the user may have 100 processes and threads, and has 20".
func (l Limit) String() string {
	return fmt.Sprintf("%s may have %d processes and threads, and has %d", l.Name, l.Most, l.Used)
}

// Limits returns the bounds that hold for this process: that of its user and those of
// its control groups. It is empty when nothing bounds them.
func Limits() []Limit {
	limits := groupLimits("/", "/proc/self/cgroup")
	var user unix.Rlimit
	// 1<<30 and more stands for "unlimited".
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &user); err == nil && user.Cur < 1<<30 && bounded("/proc/self") {
		limits = append(limits, Limit{"the user", int(user.Cur), threadsOf("/proc", os.Getuid())})
	}
	return limits
}

// tightest returns the limit with the least room; ok is false when there are no limits.
func tightest(all []Limit) (l Limit, ok bool) {
	if len(all) == 0 {
		return l, false
	}
	return slices.MinFunc(all, func(a, b Limit) int { return a.Room() - b.Room() }), true
}

// groupLimits reads the bounds of the control groups that a file such as
// /proc/self/cgroup names, and of those above them, from the file systems below root.
func groupLimits(root, groups string) (all []Limit) {
	b, err := os.ReadFile(groups)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		// A line is hierarchy:controllers:path. Version 2 of control groups has one line
		// without controllers; version 1 has one for each hierarchy (see cgroups(7)).
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 || f[1] != "" && !slices.Contains(strings.Split(f[1], ","), "pids") {
			continue
		}
		mount := filepath.Join(root, "sys/fs/cgroup")
		if f[1] != "" {
			mount = filepath.Join(mount, "pids")
		}
		// A bound of a group holds for all groups below it, so each directory up to the
		// root may be the one that binds.
		for path := filepath.Clean("/" + f[2]); ; path = filepath.Dir(path) {
			// The file says "max" where there is no bound, which is no number.
			most, err1 := numberIn(filepath.Join(mount, path, "pids.max"))
			used, err2 := numberIn(filepath.Join(mount, path, "pids.current"))
			if err1 == nil && err2 == nil {
				all = append(all, Limit{"the control group", most, used})
			}
			if path == "/" {
				break
			}
		}
	}
	return all
}

func numberIn(file string) (int, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

// bounded reports whether the limit of its user holds for a process, given by its
// directory below /proc. It does not hold for root of the machine, nor for a process with
// CAP_SYS_ADMIN or CAP_SYS_RESOURCE (see getrlimit(2)).
func bounded(process string) bool {
	const rights = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_SYS_RESOURCE
	users, err := os.ReadFile(filepath.Join(process, "uid_map"))
	if err == nil && strings.Join(strings.Fields(string(users)), " ") != "0 0 4294967295" {
		return true // root of a user namespace is not root of the machine
	}
	status := statusOf(process)
	has, err := strconv.ParseUint(status["CapEff"], 16, 64)
	return firstOf(status["Uid"]) != "0" && (err != nil || has&rights == 0)
}

// threadsOf counts the threads of a user in all processes below proc.
func threadsOf(proc string, user int) (n int) {
	all, err := os.ReadDir(proc)
	if err != nil {
		return 0
	}
	for _, p := range all {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		status := statusOf(filepath.Join(proc, p.Name()))
		if firstOf(status["Uid"]) == strconv.Itoa(user) {
			threads, _ := strconv.Atoi(status["Threads"]) // 0 when the process has just ended
			n += threads
		}
	}
	return n
}

// statusOf reads the file status of a process. It returns nil when the process has ended.
func statusOf(process string) map[string]string {
	b, err := os.ReadFile(filepath.Join(process, "status"))
	if err != nil {
		return nil
	}
	all := map[string]string{}
	for line := range strings.Lines(string(b)) {
		key, value, _ := strings.Cut(line, ":")
		all[key] = strings.TrimSpace(value)
	}
	return all
}

func firstOf(list string) string {
	first, _, _ := strings.Cut(list, "\t")
	return first
}

// Needed returns how many processes and threads a server has before it gets any request:
// the least with which it starts, and the number that it wants. A server that speaks has
// workers of the engine besides.
func Needed(speaks bool) (least, wanted int) {
	others := others(speaks)
	return others + fewThreads, others + keptThreads
}

// others returns how many processes and threads there are beside the kept ones.
func others(speaks bool) int {
	if speaks {
		return ownThreads + engineProcesses
	}
	return ownThreads
}

// threadsToKeep returns how many threads to make within the limits. The error says which
// limit is too low for the server to start.
func threadsToKeep(limits []Limit, speaks bool) (int, error) {
	tight, ok := tightest(limits)
	if !ok {
		return keptThreads, nil
	}
	others := others(speaks)
	// The share of the runtime and the engine is taken off first. Kept threads never end,
	// so they must not use it up.
	if room := tight.Room() - others; room < keptThreads {
		if room < fewThreads {
			return 0, fmt.Errorf("%v; serving takes %d more at least, and another for each stream: %s", tight, fewThreads+others, Raise)
		}
		return room, nil
	}
	return keptThreads, nil
}

// Raise says how to raise the limits.
const Raise = "raise the limit: ulimit -u in a shell, LimitNPROC= and TasksMax= of a systemd unit, --pids-limit of a container"

// Keep makes the threads that the runtime needs later, so that the server goes on when it
// can get no more. The error says which limit is too low to start. Speaks tells whether
// the server runs an engine.
func Keep(speaks bool, log *slog.Logger) error {
	limits := Limits()
	n, err := threadsToKeep(limits, speaks)
	if err != nil {
		return err
	}
	if n < keptThreads {
		tight, _ := tightest(limits)
		log.Warn("few threads can be kept for when no more can be made; see vaak doctor", "threads", n, "limit", tight.String())
	}
	makeThreads(n)
	return nil
}

// makeThreads makes the runtime start n threads, which stay. A goroutine that waits while
// it is locked to its thread keeps that thread from running others, so n of them at the
// same time take n threads.
func makeThreads(n int) {
	var here, all sync.WaitGroup
	leave := make(chan struct{})
	here.Add(n)
	for range n {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // else the thread would end with the goroutine
			here.Done()
			<-leave
		})
	}
	// No goroutine may leave before all are there. One that left early would give its
	// thread to the next, and there would be fewer than n.
	here.Wait()
	close(leave)
	all.Wait()
}
