package espeak

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"vaak/internal/needed"
)

// compareNoise is a program that compares the worker's rand with random of the C library, which
// gives the numbers of its own rand.
const compareNoise = `
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	static const unsigned seeds[] = {1, 0, 2, 42, 2147483647u, 2147483648u, 4294967295u};

	for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
		srand(seeds[k]);
		srandom(seeds[k]);
		for (long i = 0; i < 300000; i++) {
			long got = rand(), want = random();
			if (got != want) {
				printf("seed %u, number %ld: %ld, want %ld\n", seeds[k], i, got, want);
				return 1;
			}
		}
	}
	return 0;
}
`

// TestNoise compiles the worker's source of random numbers, and compares them with those of the
// C library, with which voices sounded before.
func TestNoise(t *testing.T) {
	t.Parallel()
	compiler := needed.Program(t, cmp.Or(os.Getenv("CC"), "cc"))
	// Read here, so that go test runs this again when it changes.
	noise, err := os.ReadFile(filepath.Join("worker", "noise.c"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "compare.c"), filepath.Join(dir, "compare")
	if err := os.WriteFile(source, append(noise, compareNoise...), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), compiler, "-O2", "-std=c11", "-D_GNU_SOURCE", "-o", program, source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), program).CombinedOutput(); err != nil {
		t.Errorf("rand of the worker: %v: %s", err, out)
	}
}
