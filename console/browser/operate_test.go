package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestOperators does what operators do: terms of an organisation, its people, datasets
// and enquiries. What they did stands in the audit.
func TestOperators(t *testing.T) {
	t.Parallel()
	w := live(t)
	b := open(t, w.console)
	b.signIn()

	b.visit("/plans")
	b.unfold("Add a plan")
	b.fill("plan", "harbour")
	b.fill("name", "Harbour")
	b.fill("characters", "500000")
	b.fill("rpm", "60")
	b.fill("streams", "4")
	b.follow("Add plan", 200)
	b.says("Harbour", "500,000")

	at := "/organisations/" + w.org
	b.visit(at)
	b.fill("plan", "harbour")
	b.follow("Set plan and subscription", 200)
	b.says("The plan and the subscription are set.")
	b.fill("characters", "25000")
	b.follow("Grant characters", 200)
	b.says("25,000 characters are granted.")
	b.fill("rpm", "90")
	b.follow("Set limits", 200)
	b.says("The limits over all keys are set.")

	b.visit("/people")
	b.unfold("Invite somebody")
	b.fill("name", "Mia Member")
	b.fill("email", "mia@lotus.example")
	b.fill("role", "member")
	b.fill("organisation", w.org)
	b.follow("Invite", 200)
	link := b.text("#invitation-link")
	member := open(t, w.console)
	member.visit(strings.TrimPrefix(link, w.console))
	member.fill("password", password)
	member.fill("again", password)
	member.follow("Sign in", 200)
	if got := member.path(); got != "/o/"+w.org {
		t.Errorf("the member comes to %s", got)
	}
	if r, err := chromedp.Run(member.ctx, chromedp.NavigateResponse(w.console+"/people")); err != nil || r == nil || r.Status != 404 {
		t.Errorf("the member gets %+v, %v of the page of people; want status 404", r, err)
	}
	member.pardon("404")
	b.visit("/people")
	b.follow("Mia Member", 200)
	b.unfold("Disable")
	b.follow("Disable this person", 200)
	b.says("disabled")
	member.visit("/o/" + w.org)
	if got := member.path(); !strings.HasPrefix(got, "/signin") {
		t.Errorf("who is disabled comes to %s", got)
	}

	b.visit("/datasets/demo-hi-in-banking-dual")
	b.unfold("Suspend")
	b.follow("Suspend this dataset", 200)
	b.says("suspended")
	ask[bool](b, `(document.querySelector("[name=looked_at]").click(), true)`) // its transcript has numbers of accounts
	b.follow("Publish", 200)
	b.says("published")

	b.visit("/enquiries")
	w.reach(b, page{path: "/enquiries", link: `main .page a[href^="/enquiries/"]`})
	b.unfold("Delete what the person typed")
	ask[bool](b, `(document.querySelector("[name=sure]")?.click(), true)`)
	b.follow("Delete it", 200)
	b.says("What the person typed is deleted.")

	b.visit("/audit")
	b.says("Mia Member", "harbour")
	if !ask[bool](b, fmt.Sprintf(`document.querySelector('main a[href$=%q]') !== null`, w.org)) {
		t.Errorf("the audit has no link to organisation %s", w.org)
	}
}

// TestDictionaryEditor edits rules, hears what they do to a sentence before they are
// saved, and goes back to what was.
func TestDictionaryEditor(t *testing.T) {
	t.Parallel()
	_, _, b := begin(t, "Words of ours", "dictionaries")
	b.unfold("Create a dictionary")
	b.fill("name", "Places")
	b.fill("term.0", "Versova")
	b.fill("say.0", "Vursova")
	b.follow("Create dictionary", 200)
	at := b.path()

	b.fill("say.0", "Warsowa")
	b.fill("sentence", "To Versova!")
	b.until(`document.getElementById("tried").innerText.includes("Warsowa")`)
	b.follow("Save as version 2", 200)
	b.visit(at + "/versions?from=1&to=2")
	b.says("1 changed", "Vursova", "Warsowa")
	b.click("Restore version 1")
	b.follow("Restore", 200)
	b.visit(at)
	if got := ask[string](b, `document.querySelector("[name='say.0']").value`); got != "Vursova" {
		t.Errorf("the restored version says %q", got)
	}
}

// TestVoices finds voices while words are typed, and plays one.
func TestVoices(t *testing.T) {
	t.Parallel()
	_, _, b := begin(t, "Ears", "voices")
	count := `document.querySelectorAll("#found .card").length`
	all := ask[string](b, `document.querySelector("#found [role=status]").innerText`)
	b.fill("search", "tamil")
	b.until(fmt.Sprintf(`document.querySelector("#found [role=status]").innerText !== %q && %s > 0`, all, count))
	b.until(`document.getElementById("found").dataset.query.includes("search=tamil")`) // each letter brings a list
	name := ask[string](b, `document.querySelector("#found .card h2").innerText`)
	b.click("Play " + name)
	b.until(fmt.Sprintf(`document.querySelector('[aria-label="Stop %s"]') !== null`, name))
	b.until(fmt.Sprintf(`document.querySelector('[aria-label="Play %s"]') !== null`, name))
	if said := b.text("#preview-status"); said != "" {
		t.Errorf("playing ended with %q", said)
	}
	for _, gender := range []string{"female", "male"} { // the second choice is made in a list that was put in place
		b.fill("gender", gender)
		b.until(fmt.Sprintf(`document.getElementById("found").dataset.query.includes("gender=%s&") && location.search.includes("search=tamil")`, gender))
	}
}
