package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/internal/fault"
	"vaak/mcp/schema"
)

// menu is an argument with a list of objects, and one with an object.
type menu struct {
	Dishes []dish `json:"dishes" minItems:"1" maxItems:"30"`
	Place  *place `json:"place,omitempty"`
}

type dish struct {
	Name    string          `json:"name" maxLength:"5"`
	Size    int             `json:"size,omitempty" enum:"1,2"`
	Vegan   *bool           `json:"vegan,omitempty" default:"true"`
	Tags    []string        `json:"tags,omitempty" maxItems:"2"`
	Parts   []dish2         `json:"parts,omitempty"`
	Whatsit json.RawMessage `json:"whatsit,omitempty"`
}

type dish2 struct {
	Name string `json:"name"`
}

type place struct {
	City string `json:"city" enum:"Pune,Goa"`
}

func menus() *schema.Schema {
	s := schema.Of(reflect.TypeFor[menu]())
	s.Close()
	return s
}

// TestCloseIsDeep: objects within are as closed as the one that has them.
func TestCloseIsDeep(t *testing.T) {
	t.Parallel()
	const want = `{"type":"object","properties":{"dishes":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string","maxLength":5},"size":{"type":"integer","enum":[1,2]},"vegan":{"type":"boolean","default":true},` +
		`"tags":{"type":"array","items":{"type":"string"},"maxItems":2},` +
		`"parts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}},` +
		`"whatsit":{"type":"object"}},"required":["name"],"additionalProperties":false},"minItems":1,"maxItems":30},` +
		`"place":{"type":"object","properties":{"city":{"type":"string","enum":["Pune","Goa"]}},"required":["city"],"additionalProperties":false}},` +
		`"required":["dishes"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(menus().Encode())); diff != "" {
		t.Errorf("schema differs (-want +got):\n%s", diff)
	}
}

// TestObjects reads lists of objects, and one object for a list of one.
func TestObjects(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]menu{
		`{"dishes":[{"name":"dal"},{"name":"idli","size":2.0,"vegan":false,"tags":"hot"}]}`: {Dishes: []dish{
			{Name: "dal"}, {Name: "idli", Size: 2, Vegan: new(bool), Tags: []string{"hot"}},
		}},
		`{"dishes":{"name":"dal","tags":null,"size":null},"place":{"city":"Goa"}}`: {Dishes: []dish{{Name: "dal"}}, Place: &place{"Goa"}},
		`{"dishes":[{"name":"dal","parts":{"name":"x"},"whatsit":{"a":[1]}}]}`:     {Dishes: []dish{{Name: "dal", Parts: []dish2{{"x"}}, Whatsit: json.RawMessage(`{"a":[1]}`)}}},
	} {
		got, err := schema.Decode[menu](menus(), json.RawMessage(args))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Decode(%s): %v (-want +got):\n%s", args, err, diff)
		}
	}
}

// TestWrongObjects names where in an argument a mistake is, and all wrong members of
// a list at once.
func TestWrongObjects(t *testing.T) {
	t.Parallel()
	const members = "the members are name, size, vegan, tags, parts, whatsit"
	for _, tt := range []struct{ args, field, want string }{
		{`{"dishes":[]}`, "dishes", "dishes has 0 members; 1 to 30 are allowed"},
		{`{"dishes":"dal"}`, "dishes", `dishes must be an array of 1 to 30 objects, got "dal"`},
		{`{"dishes":["dal"]}`, "dishes[0]", `dishes[0] must be an object, got "dal"`},
		{`{"dishes":[[]]}`, "dishes[0]", `dishes[0] must be an object, got []`},
		{`{"dishes":[null]}`, "dishes[0]", `dishes[0] must be an object, got null`},
		{`{"dishes":[{}]}`, "dishes[0].name", "dishes[0].name is required"},
		{`{"dishes":[{"name":null}]}`, "dishes[0].name", "dishes[0].name is required"},
		{`{"dishes":[{"name":"dal"},{"name":"dal","colour":"red"}]}`, "dishes[1].colour", `dishes[1] has an unknown member "colour"; ` + members},
		{`{"dishes":[{"name":"dal","parts":[{"name":"x"},{"name":1}]}]}`, "dishes[0].parts[1].name", "dishes[0].parts[1].name must be a string, got 1"},
		{`{"dishes":[{"name":"paneer"},{"name":"dal"},{"size":1},{"name":"dal","size":3}]}`, "dishes[0].name",
			"dishes[0].name has 6 characters, at most 5 are allowed; dishes[2].name is required; dishes[3].size 3 is not one of 1, 2"},
		{`{"dishes":[{"name":"dal","tags":[1,2]}]}`, "dishes[0].tags[0]", "dishes[0].tags[0] must be a string, got 1"},
		{`{"dishes":[` + strings.Repeat("{},", 24) + `{}]}`, "dishes[0].name", "dishes[19].name is required; and 5 more are wrong"},
		{`{"dishes":{"name":"dal"},"place":{"city":"Rome"}}`, "place.city", `place.city "Rome" is not one of Pune, Goa`},
		{`{"dishes":{"name":"dal"},"place":{"street":1}}`, "place.street", `place has an unknown member "street"; the members are city`},
		{`{"dishes":{"name":"dal"},"place":[]}`, "place", "place must be an object, got []"},
	} {
		_, err := schema.Decode[menu](menus(), json.RawMessage(tt.args))
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Field != tt.field || !strings.HasSuffix(f.Msg, tt.want) {
			t.Errorf("Decode(%.200s) = %v of %+v, want %s of %s", tt.args, err, f, tt.want, tt.field)
		}
	}
}

// FuzzObjects decodes what clients might send: a value within the bounds or a fault.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		`{"dishes":[{"name":"dal"}]}`, `{"dishes":{}}`, `{"dishes":[{"name":"dal","parts":[[]]}]}`, `{"dishes":[{"name":"\ud800"}]}`,
		`{"dishes":[{"name":"a","whatsit":{"a":1e999}}]}`, `{"dishes": [ ] }`, `{"place":{}}`, `{"dishes":[1,{}, null]}`, `{"dishes":[{"":1}]}`,
	} {
		f.Add([]byte(seed))
	}
	s := menus()
	f.Fuzz(func(t *testing.T, args []byte) {
		m, err := schema.Decode[menu](s, args)
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Errorf("Decode(%q) = %v, want a *fault.Error", args, err)
			}
			return
		}
		if n := len(m.Dishes); n < 1 || n > 30 {
			t.Errorf("Decode(%q) has %d dishes", args, n)
		}
		for _, d := range m.Dishes {
			if len([]rune(d.Name)) > 5 || d.Size < 0 || d.Size > 2 || len(d.Tags) > 2 {
				t.Errorf("Decode(%q) has %+v", args, d)
			}
		}
	})
}

// TestPart tells all members of a part that are wrong, up to a bound, and takes those
// that are hidden without telling of them.
func TestPart(t *testing.T) {
	t.Parallel()
	type part struct {
		Name   string  `json:"name"`
		Size   int     `json:"size"`
		Secret *string `json:"secret,omitempty" hidden:"true"`
	}
	s := schema.Of(reflect.TypeFor[part]())
	s.Close()
	if got, want := string(s.Encode()), `{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"integer"}},"required":["name","size"],"additionalProperties":false}`; got != want {
		t.Errorf("schema = %s, want %s", got, want)
	}
	for _, tt := range []struct {
		sent string
		want []string
	}{
		{`{"name":"a","size":2,"secret":"b"}`, nil},
		{`{"name":1,"size":"x","secret":2,"y":3}`, []string{"p.name must be a string, got 1", "p.secret must be a string, got 2", `p.size must be an integer, got "x"`, `p has an unknown member "y"; the members are name, size`}},
		{`{"size":null,"name":"\u0000"}`, []string{"p.size is required"}},
		{`{}`, []string{"p.name is required", "p.size is required"}},
	} {
		got, faults := schema.DecodePart[part](s, "p", json.RawMessage(tt.sent))
		var told []string
		for _, err := range faults {
			told = append(told, err.Error())
		}
		if diff := cmp.Diff(tt.want, told); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.sent, diff)
		}
		if tt.want == nil && (got.Name != "a" || got.Size != 2 || got.Secret == nil || *got.Secret != "b") {
			t.Errorf("%s = %+v", tt.sent, got)
		}
	}
	many := ""
	for i := range 1000 {
		many += fmt.Sprintf(`"m%d":1,`, i)
	}
	if _, faults := schema.DecodePart[part](s, "p", json.RawMessage("{"+many+`"z":1}`)); len(faults) == 0 || len(faults) > 20 {
		t.Errorf("%d faults of 1,001 unknown members, want 1 to 20", len(faults))
	}
}
