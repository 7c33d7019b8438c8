package graph_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
	"vaak/engine/onnx/ort/orttest"
	"vaak/engine/onnx/tiny"
	"vaak/internal/needed"
)

// damageEnv tells the test program that it is the one to load damaged models, and how many.
const damageEnv = "VAAK_TEST_DAMAGED"

// TestDamaged loads damaged models in a process of its own, which must survive: each model is
// refused, or runs.
func TestDamaged(t *testing.T) {
	t.Parallel()
	damage(t, 600)
}

func TestSoakDamaged(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("a long loop: run it with make soak")
	}
	damage(t, 30_000)
}

func damage(t *testing.T, n int) {
	needed.ONNXRuntime(t)
	if os.Getenv(damageEnv) != "" {
		t.Skip("this is the process that TestDamaged has started")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDamagedHere$", "-test.v", "-test.timeout=60m")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", damageEnv, n))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the process that loaded damaged models: %v\n%s", err, out[max(0, len(out)-4000):])
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "models:") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func TestDamagedHere(t *testing.T) {
	n := 0
	if fmt.Sscan(os.Getenv(damageEnv), &n); n == 0 {
		t.Skip("TestDamaged starts it in a process of its own")
	}
	limitMemory(t, 3<<30)
	lib := orttest.Open(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	ids := sentence(8)
	in := inputs(ids, 0.667, 1, 0.8, 0)
	file, _ := tiny.Piper(tiny.PiperOptions{Speakers: 2})
	counts := map[string]int{}
	for i := range n {
		result := load(t.Context(), lib, damaged(r, file, i), in)
		counts[result]++
	}
	t.Logf("%d models: %v", n, counts)
}

// load does with a model what an engine does, and tells how far it came.
func load(ctx context.Context, lib *ort.Library, file []byte, in map[string]ort.Tensor) string {
	m, err := graph.Parse(file)
	if err != nil {
		return "not parsed"
	}
	if quiet, _, err := m.TakeNoise(); err == nil {
		m = quiet
	}
	if name, err := m.Durations(); err == nil {
		if m, err = m.WithOutputs(name); err != nil {
			return "no durations"
		}
	}
	models := []*graph.Model{m}
	if c, err := m.Cut(); err == nil {
		models = append(models, c.Front, c.Vocoder)
	}
	result := "runs"
	for _, m := range models {
		s, err := lib.NewSession(m.Bytes(), ort.Options{MaxOutputBytes: 1 << 26})
		if err != nil {
			result = "not loaded"
			continue
		}
		given := map[string]ort.Tensor{}
		for _, v := range s.Inputs() {
			if given[v.Name] = in[v.Name]; given[v.Name].Data == nil {
				given[v.Name] = ort.Floats(make([]float32, 2*10), 1, 2, 10)
			}
		}
		var outputs []string
		for _, v := range s.Outputs() {
			outputs = append(outputs, v.Name)
		}
		// A damaged weight can ask for hours of sound.
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		if _, err := s.Run(ctx, given, outputs...); err != nil {
			result = "fails"
		}
		cancel()
		s.Close()
	}
	return result
}

// damaged returns a copy of a file with damage of one of some kinds.
func damaged(r *rand.Rand, file []byte, kind int) []byte {
	b := bytes.Clone(file)
	// The operators come first, and half of the damage is there.
	place := func() int {
		if r.IntN(2) == 0 {
			return r.IntN(min(len(b), 12_000))
		}
		return r.IntN(len(b))
	}
	switch kind % 6 {
	case 0: // some random bytes
		for range 1 + r.IntN(8) {
			b[place()] = byte(r.Uint32())
		}
	case 1: // one bit
		b[place()] ^= 1 << r.IntN(8)
	case 2: // the end is missing
		b = b[:place()]
	case 3: // a part is missing
		from := place()
		b = append(b[:from], b[min(len(b), from+1+r.IntN(64)):]...)
	case 4: // a part comes twice
		from := place()
		part := bytes.Clone(b[from:min(len(b), from+1+r.IntN(256))])
		at := place()
		b = append(b[:at], append(part, b[at:]...)...)
	case 5: // a number is huge, or names a tensor of another operator
		if r.IntN(2) == 0 {
			at := place()
			b = append(b[:at], append(binary.AppendUvarint(nil, r.Uint64()), b[min(len(b), at+1):]...)...)
			break
		}
		from, to := []byte(names[r.IntN(len(names))]), []byte(names[r.IntN(len(names))])
		if len(from) == len(to) {
			b = bytes.Replace(b, from, to, 1+r.IntN(3))
		}
	}
	return b
}

// names of tensors of tiny voices, some as long as others.
var names = []string{"ends", "path", "mask", "ceil", "zero", "three", "begun", "width", "noise", "early", "means", "starts", "y_mask", "little", "places", "frames", "t_shape", "dec_sum", "circle"}

// limitMemory bounds the address space of the process, so that a model that asks for too much
// is refused by malloc.
func limitMemory(t *testing.T, more uint64) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var pages uint64
	if _, err := fmt.Sscan(string(b), &pages); err != nil {
		t.Fatal(err)
	}
	limit := pages*uint64(os.Getpagesize()) + more
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Fatal(err)
	}
}
