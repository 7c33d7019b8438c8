package check_test

import (
	"fmt"

	"vaak/croissant/check"
)

// A report says for each finding which rule is broken, where, and whether mlcroissant
// would still load the document.
func ExampleValidate() {
	report := check.Validate([]byte(`{
		"@context": {"@vocab": "https://schema.org/", "sc": "https://schema.org/"},
		"@type": "sc:Dataset",
		"name": "Conversations in Hindi",
		"license": 7
	}`))
	fmt.Println("valid:", report.Valid)
	for _, f := range report.Errors {
		if f.Code == "E003" || f.Code == "E012b" {
			fmt.Printf("%s at %s (loadable: %v): %s\n", f.Code, f.Path, f.Loadable, f.Message)
		}
	}
	// Output:
	// valid: false
	// E003 at /conformsTo (loadable: false): the dataset does not say which version of the format it is in; add conformsTo, "http://mlcommons.org/croissant/1.0" or "http://mlcommons.org/croissant/1.1"
	// E012b at /license (loadable: false): license is the number 7; it must be text, such as the address of the license, or an object of type CreativeWork
}
