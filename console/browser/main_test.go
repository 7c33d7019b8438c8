package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// chromium is the one browser of all tests, as a context of chromedp.
var chromium context.Context

// program is the file of the program that is tested.
var program string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if program, err = findProgram(); err == nil {
		var stop func()
		if chromium, stop, err = startChromium(); err == nil {
			defer stop()
			return m.Run()
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func findProgram() (string, error) {
	path := os.Getenv("VAAK_PROGRAM")
	if path == "" {
		path = filepath.Join("..", "..", "bin", "vaak")
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return "", fmt.Errorf("there is no program to test; `make build` makes it: %w", err)
	}
	return path, nil
}

func findChromium() (string, error) {
	if path := os.Getenv("VAAK_CHROMIUM"); path != "" {
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no Chromium; `tools/install test` installs it, and VAAK_CHROMIUM names another")
}

func startChromium() (context.Context, func(), error) {
	path, err := findChromium()
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.Flag("autoplay-policy", "user-gesture-required"),
		chromedp.Flag("mute-audio", false),
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("lang", "en-GB"))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	stop := func() { stopBrowser(); stopAllocator() }
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, nil, fmt.Errorf("start %s: %w", path, err)
	}
	return ctx, stop, nil
}
