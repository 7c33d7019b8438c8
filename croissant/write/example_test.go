package write_test

import (
	"encoding/json"
	"fmt"

	"vaak/catalogue"
	"vaak/croissant"
	"vaak/croissant/write"
)

// Core is the document without the measured figures.
func ExampleDocument() {
	d := catalogue.Dataset{
		Slug: "hi-in-calls", URL: "https://vaak.example/catalogue/hi-in-calls",
		Title: "Calls in Hindi", Description: "Telephone calls between two speakers.", BCP47: "hi-IN",
	}
	body, err := write.Document(&catalogue.Stored{Dataset: d}, "https://vaak.example", croissant.V11, croissant.Core)
	if err != nil {
		fmt.Println(err)
		return
	}
	var document map[string]any
	if err := json.Unmarshal(body, &document); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(document["@type"], document["name"], document["conformsTo"])
	fmt.Println(document["citeAs"])
	// Output:
	// sc:Dataset Calls in Hindi http://mlcommons.org/croissant/1.1
	// @misc{hi_in_calls, title={Calls in Hindi}, url={https://vaak.example/catalogue/hi-in-calls}}
}
