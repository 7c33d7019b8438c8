package browser

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPublicPages looks at the pages on which people choose datasets, on a desk, in the dark and on
// a phone, and compares two datasets by keyboard and without scripts.
func TestPublicPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vaak(t, dir, "demo")
	s := serve(t, dir, "--services", "catalogue")
	b := open(t, s.public)
	b.visit("/catalogue")
	slugs := ask[[]string](b, `[...document.querySelectorAll("input[name=dataset]")].map(e => e.value)`)
	if len(slugs) < 4 {
		t.Fatalf("the list offers %q to compare, want four or more", slugs)
	}
	four := url.Values{"dataset": slugs[:4]}.Encode()
	for _, path := range []string{
		"/catalogue", "/catalogue?language=hindi&channels=dual&min_speakers=1&unknown=true", "/catalogue?similar=" + slugs[0],
		"/catalogue/compare?" + four, "/catalogue/compare", "/enquiry?intent=collection&message=We+look+for:%0A-+hours",
	} {
		looks := []look{desk, phone}
		if strings.Contains(path, "dataset=") {
			looks = append(looks, dark)
		}
		for _, l := range looks {
			b.show(l)
			b.visit(path)
			b.within(path + " " + l.name)
			b.unfoldAll()
			b.within(path + " " + l.name + ", all unfolded")
			b.accessible(path + " " + l.name)
			b.clean(path)
		}
	}
	for _, l := range []look{desk, dark, phone} {
		b.show(l)
		b.visit("/catalogue/datasets/" + slugs[0])
		b.click("Spectrogram")
		b.until(`document.querySelectorAll("canvas.wave:not([hidden])").length > 0`)
		// Speech has strong tones below half of the band, and nobody speaks all the time.
		if loud := ask[float64](b, `(() => {
			const c = document.querySelector("canvas.wave"), p = c.getContext("2d").getImageData(0, c.height / 2, c.width, c.height / 2).data;
			let n = 0;
			for (let i = 3; i < p.length; i += 4) n += p[i] > 128;
			return n / (p.length / 4);
		})()`); loud < 0.02 || loud > 0.9 {
			t.Errorf("%s: %.3f of the lower half of the spectrogram is loud", l.name, loud)
		}
		b.within(l.name + ", spectrogram")
		b.accessible(l.name + ", spectrogram")
		if picture := os.Getenv("VAAK_PICTURES"); picture != "" {
			b.picture(filepath.Join(picture, "spectrogram-"+l.name+".png"), l)
		}
	}
	b.show(desk)
	b.visit("/catalogue?q=conversatons&sort=title")
	b.skip()
	titles := ask[[]string](b, `[...document.querySelectorAll("label.pick")].map(e => e.textContent.replace(/\s+/g, " ").trim().slice(0, 80))`)
	// The outline of a link to a dataset is that of its card, so only what is used here is looked at.
	next := func(name string) {
		for range 90 {
			b.do(chromedp.KeyEvent(kb.Tab))
			if f := ask[focus](b, focused); f.Name == name {
				if !f.Seen {
					t.Errorf("nobody sees that %q has the keyboard", name)
				}
				return
			}
		}
		t.Fatalf("Tab never comes to %q", name)
	}
	for _, title := range titles[:2] {
		next(title)
		b.do(chromedp.KeyEvent(" "))
	}
	next("Compare the ticked ones")
	b.enter()
	if at := b.where(); strings.Count(at, "dataset=") != 2 || !strings.Contains(at, "/catalogue/compare?") {
		t.Errorf("the keyboard leads to %s, want a comparison of two", at)
	}
	if rows := ask[int](b, `document.querySelectorAll(".comparison tbody th[scope=row]").length`); rows < 15 {
		t.Errorf("%d facts are compared, want 15 or more", rows)
	}
}

// TestDemonstration talks with the agent on a desk, in the dark and on a phone.
func TestDemonstration(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "--services", "speech", "--demo")
	b := open(t, s.public)
	for _, l := range []look{desk, dark, phone} {
		b.show(l)
		b.visit("/demo")
		b.until(`document.querySelectorAll("#questions button").length > 2`)
		b.do(chromedp.Click("#questions li:nth-child(2) button"))
		b.until(`document.querySelectorAll(".agent.speaking .heard").length > 1`)
		b.within(l.name + ", speaking")
		b.accessible(l.name + ", speaking")
		if picture := os.Getenv("VAAK_PICTURES"); picture != "" {
			b.picture(filepath.Join(picture, "demo-"+l.name+".png"), l)
		}
		b.do(chromedp.KeyEvent(kb.Escape))
		b.until(`document.querySelectorAll(".agent .unheard").length > 0`)
		b.within(l.name + ", interrupted")
		b.accessible(l.name + ", interrupted")
		if picture := os.Getenv("VAAK_PICTURES"); picture != "" {
			b.picture(filepath.Join(picture, "demo-interrupted-"+l.name+".png"), l)
		}
		b.clean("/demo")
	}
	// By keyboard alone: a question is typed, and typing interrupts.
	b.do(chromedp.Focus("#text"))
	b.do(chromedp.SendKeys("#text", "How long can I keep it?\r"))
	b.until(`document.querySelectorAll(".agent.speaking .heard").length > 0`)
	b.do(chromedp.SendKeys("#text", "S"))
	b.until(`!document.querySelector(".agent.speaking") && document.querySelectorAll(".agent .unheard").length > 0`)
	b.clean("/demo")
}
