package browser

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// tallest is how much of a long page a picture shows, in pixels.
const tallest = 2000

// TestScreens writes pictures of the pages into the directory that VAAK_SCREENS names:
// as they look on a desk, in the dark and on a phone.
func TestScreens(t *testing.T) {
	dir := os.Getenv("VAAK_SCREENS")
	if dir == "" {
		t.Skip("VAAK_SCREENS names no directory")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w := live(t)
	in, out := open(t, w.console), open(t, w.console)
	in.signIn()
	for _, p := range pages {
		b := in
		if p.out {
			b = out
		}
		for _, l := range []look{desk, dark, phone} {
			b.show(l)
			w.reach(b, p)
			b.settle()
			if p.prepare != "" {
				ask[any](b, p.prepare)
				b.settle()
			}
			b.picture(filepath.Join(dir, p.name+"-"+l.name+".png"), l)
		}
	}
}

// picture writes what the page looks like to a file.
func (b *tab) picture(file string, l look) {
	b.t.Helper()
	height := min(max(ask[int64](b, "document.documentElement.scrollHeight"), l.height), tallest)
	b.do(chromedp.EmulateViewport(l.width, height))
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		shot, err = small(shot)
	}
	if err == nil {
		err = os.WriteFile(file, shot, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// small writes a picture with the colours that it has most of, up to 256: pages have
// few, and letters shades of them.
func small(shot []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, err
	}
	few := image.NewPaletted(full.Bounds(), commonest(full, 256))
	draw.Draw(few, few.Bounds(), full, full.Bounds().Min, draw.Src)
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, few)
	return b.Bytes(), err
}
