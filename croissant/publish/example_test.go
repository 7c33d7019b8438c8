package publish_test

import (
	"fmt"

	"vaak/catalogue"
	"vaak/croissant/publish"
)

// A record that came from a card without a licence cannot be published. The error says
// what the card needs.
func ExampleReady() {
	d := catalogue.Dataset{
		Slug: "hi-in-calls", URL: "https://vaak.example/catalogue/hi-in-calls",
		Title: "Calls in Hindi", Description: "Telephone calls between two speakers.",
	}
	err := publish.Ready(&catalogue.Stored{Dataset: d}, "https://vaak.example")
	fmt.Println(err)
	// Output:
	// dataset hi-in-calls cannot be published: the card needs provenance.creator with a name; E015 /datePublished: the dataset has no datePublished; give the date, as in "2026-05-04"; it needs recordings.csv, which vaak dataset ingest makes; the card needs licence.name
}
