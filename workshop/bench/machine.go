package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/server"
)

// machine is what the figures depend on.
type machine struct {
	cores                               int
	model, memory, kernel, distribution string
	golang, vaak, library               string
	load                                string // before the run
	stolen                              float64
}

func (m machine) table() report.Part {
	t := &report.Table{Header: []string{"what", "value"}}
	t.Add("Processor", m.model)
	t.Add("Cores", strconv.Itoa(m.cores))
	t.Add("Memory", m.memory)
	t.Add("Kernel", m.kernel)
	t.Add("Distribution", m.distribution)
	t.Add("Go", m.golang)
	t.Add("Vaak", m.vaak)
	t.Add("libespeak-ng", m.library)
	t.Add("Load average before the run", m.load)
	t.Add("Time that the hypervisor gave to others", fmt.Sprintf("%.1f %%", 100*m.stolen))
	return t
}

// describe finds out about the machine, after the run that began at before.
func describe(ctx context.Context, bin string, l library.Library, before strain) (machine, error) {
	s, err := l.Speak(ctx, corpus.Sample{Lang: corpus.English, Text: "one"}, 1, true, "")
	if err != nil {
		return machine{}, err
	}
	version, err := server.Command(ctx, filepath.Join(bin, "vaak"), "version")
	if err != nil {
		return machine{}, err
	}
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return machine{}, fmt.Errorf("uname: %w", err)
	}
	return machine{
		cores:        runtime.NumCPU(),
		model:        valueOf("/proc/cpuinfo", "model name", ":"),
		memory:       totalMemory(),
		kernel:       unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Machine[:]),
		distribution: strings.Trim(valueOf("/etc/os-release", "PRETTY_NAME", "="), `"`),
		golang:       runtime.Version(),
		vaak:         strings.TrimPrefix(version, "vaak "),
		library:      s.Version,
		load:         before.load,
		stolen:       server.ReadTicks().Since(before.cores).Stolen(),
	}, nil
}

// valueOf returns the value of the first line of a file that begins with key,
// or "unknown".
func valueOf(file, key, separator string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	for sc := bufio.NewScanner(bytes.NewReader(b)); sc.Scan(); {
		name, value, ok := strings.Cut(sc.Text(), separator)
		if ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func totalMemory() string {
	kib, err := strconv.ParseFloat(strings.TrimSuffix(valueOf("/proc/meminfo", "MemTotal", ":"), " kB"), 64)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%.1f GiB", kib/(1<<20))
}

// strain is what else the machine does.
type strain struct {
	load  string // averages of 1, 5 and 15 minutes
	cores server.Ticks
}

func readStrain() strain {
	s := strain{load: "unknown", cores: server.ReadTicks()}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := strings.Fields(string(b)); len(f) >= 3 {
			s.load = strings.Join(f[:3], ", ")
		}
	}
	return s
}
