package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestStory goes through it all from an empty data directory, with nothing but a
// browser and one client: set up, an organisation, a key, a dictionary, sound, use,
// and the end of key and dictionary.
func TestStory(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	b := open(t, s.console)
	s.setUp(t, b)
	if got := b.path(); got != "/organisations" {
		t.Fatalf("setting up led to %s", got)
	}

	b.unfold("Create an organisation")
	b.fill("name", "First Light")
	b.follow("Create organisation", 200)
	b.visit("/organisations")
	b.follow("First Light", 200)
	at := b.path()
	if !strings.HasPrefix(at, "/o/org_") {
		t.Fatalf("the organisation is at %s", at)
	}

	b.visit(at + "/keys")
	key := b.createKey("production")
	if status, size := s.speak(t, key, "The first light of the day."); status != http.StatusOK || size < 10_000 {
		t.Fatalf("the new key gets status %d and %d bytes", status, size)
	}

	b.visit(at + "/dictionaries")
	b.unfold("Create a dictionary")
	b.fill("name", "Places")
	b.fill("term.0", "Versova")
	b.fill("say.0", "Vursova")
	b.follow("Create dictionary", 200)
	dictionary := b.path()
	b.says("The dictionary is made, with 1 rule")

	b.visit(at + "/playground")
	b.fill("input", "The next stop is Versova.")
	b.fill("dictionary", dictionary[strings.LastIndexByte(dictionary, '/')+1:])
	b.click("Speak")
	b.until(heard)
	b.until(`document.getElementById("spoken").textContent.startsWith("Charged 25 characters")`)

	// What is charged is seen soon, not at once.
	b.visit(at + "/keys")
	b.says("The playground")
	if row := b.row("The playground"); !strings.Contains(row, "25") {
		t.Errorf("the playground's row is %q, want 25 characters", row)
	}
	b.visit(at)
	b.says(fmt.Sprint(25+len("The first light of the day."))+" characters", "playground")

	b.visit(at + "/keys")
	b.click("Revoke production")
	b.follow("Revoke this key", 200)
	b.says("The key production is revoked")
	if status, _ := s.speak(t, key, "Once more."); status != http.StatusUnauthorized {
		t.Errorf("the revoked key gets status %d", status)
	}

	b.visit(dictionary)
	b.click("Delete this dictionary")
	ask[bool](b, `(() => { [...document.querySelectorAll("[name=sure]")].find(f => f.checkVisibility()).click(); return true })()`)
	b.follow("Delete the dictionary", 200)
	if got := b.path(); got != at+"/dictionaries" {
		t.Errorf("deleting led to %s", got)
	}
	b.says("There is no dictionary yet")
}

// createKey makes a key on the page of keys and returns it.
func (b *tab) createKey(label string) string {
	b.t.Helper()
	b.unfold("Create a key")
	b.fill("label", label)
	b.follow("Create key", 200)
	key := b.text("#new-key")
	if !strings.HasPrefix(key, "sk_live_") {
		b.t.Fatalf("the new key is %q:\n%.2000s", key, b.text("main"))
	}
	return key
}

// row returns what the first row of a table says that begins with words.
func (b *tab) row(words string) string {
	b.t.Helper()
	return ask[string](b, fmt.Sprintf(`[...document.querySelectorAll("tbody tr")].find(r => r.innerText.trim().startsWith(%q))?.innerText ?? ""`, words))
}

// Without scripts people sign in, make a key, use it and revoke it.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	org := vaak(t, s.dir, "org", "create", "Plain")
	first := open(t, s.console)
	s.setUp(t, first)
	first.visit("/me")
	first.follow("Sign out", 200)

	b := open(t, s.console)
	b.noScripts()
	b.signIn()
	b.visit("/o/" + org + "/keys")
	key := b.createKey("plain")
	if status, _ := s.speak(t, key, "Hello."); status != http.StatusOK {
		t.Errorf("the key gets status %d", status)
	}
	b.visit("/o/" + org + "/keys")
	b.click("Revoke plain")
	b.follow("Revoke this key", 200)
	if status, _ := s.speak(t, key, "Hello."); status != http.StatusUnauthorized {
		t.Errorf("the revoked key gets status %d", status)
	}
	b.visit("/o/" + org + "/playground")
	b.fill("input", "Doctor Who")
	b.follow("How is it read?", 200)
	b.says("10 characters")
}
