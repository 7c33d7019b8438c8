package frontend_test

import (
	"fmt"
	"strings"

	"vaak/lang"
	"vaak/text"
	"vaak/text/frontend"
	"vaak/text/respell"
)

// Prepare turns a text into runs of one language each, in words.
func ExampleFrontend_Prepare() {
	p, err := frontend.New().Prepare("आपका OTP 482913 है", lang.Tag{Code: "hi"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for r := range p.Runs() {
		fmt.Printf("%s: %s\n", r.Language, strings.TrimSpace(r.Text))
	}
	// Output:
	// hi: आपका
	// en: O T P
	// hi: चार आठ दो नौ एक तीन है
}

// The map of a run leads from spoken words back to the characters of the caller, for
// captions and for the place of an error.
func ExampleRun() {
	s := "Meet me on 12 May 2024"
	p, err := frontend.New().Prepare(s, lang.Tag{Code: "en"})
	if err != nil {
		fmt.Println(err)
		return
	}
	run := p.Opening[0]
	at := strings.Index(run.Text, "twenty")
	written := run.Map.Back(text.Span{Start: at, End: at + len("twenty")})
	fmt.Printf("%q was written %q\n", "twenty", written.In(s))
	// Output:
	// "twenty" was written "12 May 2024"
}

// A dictionary replaces terms before anything else is read.
func ExampleFrontend_With() {
	d := respell.Compile([]respell.Rule{{Term: "nginx", Respelling: "engine x"}})
	f := frontend.New().With(frontend.Respelling{Dictionaries: respell.Dictionaries{d}})
	p, err := f.Prepare("Restart nginx.", lang.Tag{Code: "en"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s (%d replaced)\n", p.Opening[0].Text, p.Respelled())
	// Output:
	// Restart engine x. (1 replaced)
}
