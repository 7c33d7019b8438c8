package dictionary_test

import (
	"context"
	"errors"
	"fmt"

	"vaak/dictionary"
	"vaak/dictionary/dictionarytest"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text/respell"
)

// A service keeps the dictionaries of organisations. A request to speak names up to three of
// them and gets them ready to be applied to its text.
func ExampleService_Use() {
	ctx := context.Background()
	s, err := dictionary.New(dictionary.Config{Store: &dictionarytest.Memory{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	made, err := s.Create(ctx, "org_1", "key_1", dictionary.Draft{Name: "Product names", Rules: []respell.Rule{
		{Term: "API", Respelling: "A P I"},
		{Term: "API", Respelling: "ए पी आई", Only: []string{"hi"}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ready, err := s.Use(ctx, "org_1", dictionary.Locator{ID: made.ID})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, language := range []lang.Code{"en", "hi"} {
		for _, m := range ready.Find("the API", lang.Tag{Code: language}) {
			fmt.Printf("%s: %s\n", language, m.Respelling)
		}
	}
	// Output:
	// en: A P I
	// hi: ए पी आई
}

// Every edit makes a version, and a version never changes. An editor names the version that it
// has edited, so that it does not overwrite what somebody else saved meanwhile.
func ExampleService_SetAfter() {
	ctx := context.Background()
	s, err := dictionary.New(dictionary.Config{Store: &dictionarytest.Memory{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	made, err := s.Create(ctx, "org_1", "key_1", dictionary.Draft{Name: "Names", Rules: []respell.Rule{{Term: "nginx", Respelling: "engine x"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	first := made.Latest
	second, err := s.SetAfter(ctx, "org_1", made.ID, first.ID, []respell.Rule{{Term: "nginx", Respelling: "engine ex"}})
	fmt.Println("version", second.Number, err)

	_, err = s.SetAfter(ctx, "org_1", made.ID, first.ID, nil) // by somebody who still sees version 1
	if f, ok := errors.AsType[*fault.Error](err); ok {
		fmt.Println(f.Code)
	}
	_, rules, err := s.Version(ctx, "org_1", made.ID, first.ID)
	fmt.Println(rules[0].Respelling, err)
	// Output:
	// version 2 <nil>
	// edited_meanwhile
	// engine x <nil>
}
