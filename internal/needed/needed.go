// Package needed decides what becomes of a test whose machine lacks a part that tools/install
// brings, such as a program or a server. `go test` alone skips the test and says why. With
// VAAK_NEED=1, which `make test` sets, the test fails, so that none is left out unseen.
package needed

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

const env = "VAAK_NEED"

// Missing ends the test for want of a part. The format names it and says how it comes here.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if reason := fmt.Sprintf(format, args...); os.Getenv(env) == "1" {
		t.Fatalf("%s, and %s is 1", reason, env)
	} else {
		t.Skipf("%s; %s=1 makes this a failure", reason, env)
	}
}

// Program returns the path of a program on PATH, or ends the test.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "there is no %s; tools/install test brings it", name)
	}
	return path
}

// Address returns an address of this machine at which nobody listens, such as 127.0.0.1:12345. The
// system gives its port to no connection and to nobody who asks for any port, so it stays free
// until the test uses it.
func Address(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(20_000) // below the range of net.ipv4.ip_local_port_range
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			_ = l.Close() // it has accepted nothing
			return l.Addr().String()
		}
	}
	t.Fatal("no port of 127.0.0.1 is free")
	return ""
}

// SpeechData returns the folder of languages and voices of libespeak-ng, or ends the test.
func SpeechData(t testing.TB) string {
	t.Helper()
	for _, pattern := range []string{"/usr/lib/*/espeak-ng-data", "/usr/share/espeak-ng-data"} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	Missing(t, "espeak-ng-data is not where packages put it; tools/install build brings it")
	return ""
}

// ONNXRuntime returns the path of libonnxruntime, or ends the test. VAAK_ONNXRUNTIME names
// another one than that which tools/install put into bin.
func ONNXRuntime(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("VAAK_ONNXRUNTIME"); path != "" {
		return path
	}
	if path := built("libonnxruntime.so"); path != "" {
		return path
	}
	for _, pattern := range []string{"/usr/lib/*/libonnxruntime.so*", "/usr/lib/libonnxruntime.so*", "/usr/local/lib/libonnxruntime.so*"} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	Missing(t, "there is no libonnxruntime.so; tools/install onnx brings it")
	return ""
}

// S3Server returns the path of VersityGW, a server of object storage, or ends the test.
func S3Server(t testing.TB) string {
	t.Helper()
	path := built("versitygw")
	if path == "" {
		Missing(t, "there is no bin/versitygw; tools/install s3 brings it")
	}
	return path
}

// built returns the path of a file in bin of the repository, or "". Tests run in the directory
// of their package, which lies somewhere below.
func built(name string) string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		path := filepath.Join(dir, "bin", name)
		_, module := os.Stat(filepath.Join(dir, "go.mod"))
		if _, file := os.Stat(path); file == nil && module == nil {
			return path
		}
		dir = filepath.Dir(dir)
	}
	return ""
}
