package catalogue_test

import (
	"context"
	"fmt"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
)

// A dataset is written from a draft, and found by most words of a query. A word matches
// what begins with it.
func ExampleService_List() {
	ctx := context.Background()
	memory := &cataloguetest.Memory{}
	service, err := catalogue.New(ctx, catalogue.Config{Store: memory, Files: memory, PublicURL: "https://vaak.example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for slug, title := range map[string]string{"calls": "Calls to a bank", "stories": "Stories for children"} {
		d := cataloguetest.Dataset(slug)
		d.Title = title
		if _, err := service.Put(ctx, catalogue.Draft{Dataset: d, Publish: true}); err != nil {
			fmt.Println(err)
			return
		}
	}
	page, err := service.List(catalogue.Query{Q: "child"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range page.Datasets {
		fmt.Println(d.Slug, "-", d.Title)
	}
	// Output: stories - Stories for children
}

// Gaps are the fields of a record that are unknown. This one is not published yet, so it has
// no date. The sample exists, so it is not a gap, but its missing transcript is.
func ExampleGaps() {
	d := cataloguetest.Full("calls")
	d.Citation, d.Sample.Transcript = nil, nil
	fmt.Println(catalogue.Gaps(&d))
	// Output: [citation datePublished sample.transcript]
}
