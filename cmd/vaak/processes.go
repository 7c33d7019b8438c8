package main

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

// How many processes and threads the server has, which the system counts alike.
const (
	// keptThreads are the threads that are made at the start and never end: the runtime
	// of Go ends the program when it is refused one that it wants, as it may for each
	// system call that takes long.
	keptThreads = 64
	// fewThreads is with how few of them the server starts.
	fewThreads = 24
	// ownThreads are those that the runtime has before.
	ownThreads = 12
	// engineProcesses are the workers of the engine, of two threads each.
	engineProcesses = 20
)

// processLimit is a bound on processes and threads.
type processLimit struct {
	name string // as a sentence has it
	most int
	used int // of it, as far as this process can see
}

func (l processLimit) room() int { return max(0, l.most-l.used) }

// String says it as "the user may have 100 processes and threads, and has 20".
func (l processLimit) String() string {
	return fmt.Sprintf("%s may have %d processes and threads, and has %d", l.name, l.most, l.used)
}

// processLimits returns the bounds that hold for this process: that of its user and
// those of its control groups.
func processLimits() []processLimit {
	limits := groupLimits("/", "/proc/self/cgroup")
	var user unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &user); err == nil && user.Cur < 1<<30 && bounded("/proc/self") {
		limits = append(limits, processLimit{"the user", int(user.Cur), threadsOf("/proc", os.Getuid())})
	}
	return limits
}

// tightest returns the limit with the least room; ok is false when there is none.
func tightest(all []processLimit) (l processLimit, ok bool) {
	if len(all) == 0 {
		return l, false
	}
	return slices.MinFunc(all, func(a, b processLimit) int { return a.room() - b.room() }), true
}

// groupLimits reads the bounds of the control groups that a file such as
// /proc/self/cgroup names, and of those above them, from the file systems below root.
func groupLimits(root, groups string) (all []processLimit) {
	b, err := os.ReadFile(groups)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		// hierarchy:controllers:path, where the second version has no controllers.
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 || f[1] != "" && !slices.Contains(strings.Split(f[1], ","), "pids") {
			continue
		}
		mount := filepath.Join(root, "sys/fs/cgroup")
		if f[1] != "" {
			mount = filepath.Join(mount, "pids")
		}
		for path := filepath.Clean("/" + f[2]); ; path = filepath.Dir(path) {
			most, err1 := numberIn(filepath.Join(mount, path, "pids.max")) // "max" is none
			used, err2 := numberIn(filepath.Join(mount, path, "pids.current"))
			if err1 == nil && err2 == nil {
				all = append(all, processLimit{"the control group", most, used})
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

// bounded reports whether the limit of its user holds for a process: not for root of
// the machine, nor for those with two of root's capabilities.
func bounded(process string) bool {
	const rights = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_SYS_RESOURCE
	users, err := os.ReadFile(filepath.Join(process, "uid_map"))
	if err == nil && strings.Join(strings.Fields(string(users)), " ") != "0 0 4294967295" {
		return true // who is root here is not of the machine
	}
	status := statusOf(process)
	has, err := strconv.ParseUint(status["CapEff"], 16, 64)
	return firstOf(status["Uid"]) != "0" && (err != nil || has&rights == 0)
}

// threadsOf counts the threads of a user, of all processes below proc.
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
			threads, _ := strconv.Atoi(status["Threads"]) // of one that has just ended there are none
			n += threads
		}
	}
	return n
}

// statusOf reads the file status of a process; of one that has ended there is nothing.
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

// threadsToKeep returns how many threads to make within the limits, or why the server
// could not go on with so few.
func threadsToKeep(limits []processLimit, speaks bool) (int, error) {
	tight, ok := tightest(limits)
	if !ok {
		return keptThreads, nil
	}
	others := ownThreads
	if speaks {
		others += engineProcesses
	}
	if room := tight.room() - others; room < keptThreads {
		if room < fewThreads {
			return 0, fmt.Errorf("%v; serving takes %d more at least, and another for each stream: %s", tight, fewThreads+others, raiseProcesses)
		}
		return room, nil
	}
	return keptThreads, nil
}

// raiseProcesses says how to raise the limits.
const raiseProcesses = "raise the limit: ulimit -u in a shell, LimitNPROC= and TasksMax= of a systemd unit, --pids-limit of a container"

// keepThreads makes threads that the runtime keeps for when it wants some, so that it
// goes on when it could have no more.
func (c serveCommand) keepThreads(log *slog.Logger) error {
	limits := processLimits()
	n, err := threadsToKeep(limits, c.runs(speechService))
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

// makeThreads has the runtime make n threads, which stay: while a goroutine waits that
// is locked to its thread, the others need another.
func makeThreads(n int) {
	var here, all sync.WaitGroup
	leave := make(chan struct{})
	here.Add(n)
	for range n {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread() // a thread ends with a goroutine that is locked to it
			here.Done()
			<-leave
		})
	}
	here.Wait()
	close(leave)
	all.Wait()
}
