package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"
)

// hold pauses requests whose address matches a pattern, and returns those that are paused.
func (b *tab) hold(pattern string) <-chan *fetch.EventRequestPaused {
	b.t.Helper()
	paused := make(chan *fetch.EventRequestPaused, 10)
	err := chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*fetch.EventRequestPaused); ok {
			paused <- e
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
	call(b, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: pattern}}})
	return paused
}

// next returns the request that is paused next.
func (b *tab) next(paused <-chan *fetch.EventRequestPaused) *fetch.EventRequestPaused {
	b.t.Helper()
	select {
	case e := <-paused:
		return e
	case <-time.After(patience / 2):
		b.t.Fatalf("the page asks for nothing; it is %s:\n%.600s", b.where(), b.text("main"))
		return nil
	}
}

// release lets a request go on that was paused.
func (b *tab) release(e *fetch.EventRequestPaused) {
	b.t.Helper()
	call(b, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
}

// listed is true when the list of voices is the one for words and a gender.
func listed(words, gender string) string {
	return fmt.Sprintf(`(q => q.get("search") === %q && q.get("gender") === %q)(new URLSearchParams(document.getElementById("found").dataset.query))`, words, gender)
}

// chosen is true when the form says a gender, too.
func chosen(gender string) string {
	return fmt.Sprintf(`document.querySelector("[name=gender]").value === %q`, gender)
}

// TestChoiceWhileSearching chooses a gender at three moments of a search: while its answer
// is on the way, while the values are unfolded as the answer comes, and as the answer is
// put in place. The choice stays each time.
func TestChoiceWhileSearching(t *testing.T) {
	t.Parallel()
	_, _, b := begin(t, "Choice", "voices")
	paused := b.hold("*/voices?*search=*")

	b.fill("search", "tamil")
	search := b.next(paused)
	b.fill("gender", "female")
	b.release(b.next(paused))
	b.until(listed("tamil", "female") + " && " + chosen("female"))
	// The answer that nobody waits for any more may be gone already.
	_, _ = chromedp.Call(b.ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: search.RequestID})

	b.fill("search", "hindi")
	search = b.next(paused)
	ask[bool](b, `(window.unfolded = document.querySelector("[name=gender]"), unfolded.value = "male", true)`)
	b.release(search)
	b.until(listed("hindi", "female"))
	ask[bool](b, `unfolded.dispatchEvent(new Event("change", { bubbles: true }))`)
	b.release(b.next(paused))
	b.until(listed("hindi", "male") + " && " + chosen("male"))

	ask[bool](b, `(document.addEventListener("htmx:afterSwap", () => {
		const gender = document.querySelector("[name=gender]");
		gender.value = "female";
		gender.dispatchEvent(new Event("change", { bubbles: true }));
	}, { once: true }), true)`)
	b.fill("search", "urdu")
	b.release(b.next(paused))
	b.release(b.next(paused))
	b.until(listed("urdu", "female") + " && " + chosen("female"))
	b.pardon("htmx:") // which tells of searches that were taken back
}
