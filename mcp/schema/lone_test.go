package schema_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vaak/internal/fault"
	"vaak/mcp/schema"
)

type lists struct {
	Kind  string   `json:"kind" enum:"a,b"`
	Only  string   `json:"only,omitempty" enum:"a"`
	Rate  int      `json:"rate,omitempty" enum:"1,2"`
	More  []string `json:"more,omitempty" maxItems:"2"`
	Pair  []string `json:"pair,omitempty" minItems:"2" maxItems:"5"`
	Hours float64  `json:"hours,omitempty" minimum:"0"`
	Gain  float64  `json:"gain,omitempty" maximum:"1"`
	Names []string `json:"names,omitempty" minItems:"1" maxItems:"2"`
	Flag  bool     `json:"flag,omitempty" default:"false"`
}

// TestLoneValue takes one text for a list of one, as clients often send it.
func TestLoneValue(t *testing.T) {
	t.Parallel()
	s := schema.Of(reflect.TypeFor[lists]())
	s.Close()
	if got := string(s.Encode()); !strings.Contains(got, `"default":false`) {
		t.Errorf("schema = %s, want a default of false", got)
	}
	for args, want := range map[string][]string{
		`{"kind":"a","names":"hi"}`: {"hi"}, `{"kind":"a","names":["hi","ta"]}`: {"hi", "ta"}, `{"kind":"a","names":null}`: nil, `{"kind":"a","only":"","rate":""}`: nil,
	} {
		if got, err := schema.Decode[lists](s, json.RawMessage(args)); err != nil || !slices.Equal(got.Names, want) {
			t.Errorf("Decode(%s) = %v, %v, want %v", args, got.Names, err, want)
		}
	}
	for args, want := range map[string]string{
		`{"names":7}`: "names must be an array of 1 to 2 strings, got 7", `{"names":[7]}`: "names[0] must be a string, got 7", `{"names":[]}`: "names has 0 members; 1 to 2 are allowed",
		`{"flag":"true"}`: "flag must be a boolean", `{"more":["a","b","c"]}`: "more has 3 members; at most 2 are allowed", `{"pair":"a,b"}`: `pair must be an array of 2 to 5 strings, got "a,b"`,
		`{"pair":["a"]}`: "pair has 1 member; 2 to 5 are allowed", `{"hours":-1}`: "hours -1 is under 0, the least allowed", `{"gain":1.5}`: "gain 1.5 is over 1, the most allowed",
		`{"only":"b"}`: `only "b" is not allowed here; only a is`, `{"kind":""}`: `kind "" is not one of a, b`,
	} {
		if _, err := schema.Decode[lists](s, json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Decode(%s) = %v, want %s", args, err, want)
		}
	}
}

// TestNoArguments says of a tool without arguments that it has none.
func TestNoArguments(t *testing.T) {
	t.Parallel()
	s := schema.Of(reflect.TypeFor[struct{}]())
	s.Close()
	for args, want := range map[string]string{`{"x":1}`: `unknown argument "x"; this tool takes no arguments`, `[]`: "arguments must be a JSON object; this tool takes no arguments"} {
		if _, err := schema.Decode[struct{}](s, json.RawMessage(args)); err == nil || err.Error() != want {
			t.Errorf("Decode(%s) = %v, want %s", args, err, want)
		}
	}
}

// TestAllFaults tells every wrong argument, and reads those that are right.
func TestAllFaults(t *testing.T) {
	t.Parallel()
	s := schema.Of(reflect.TypeFor[lists]())
	s.Close()
	got, err := schema.Decode[lists](s, json.RawMessage(`{"rate":3,"hours":2,"flag":"yes","other":1}`))
	var fields []string
	for _, f := range fault.All(err) {
		fields = append(fields, f.Field)
	}
	if want := []string{"flag", "other", "rate", "kind"}; !slices.Equal(fields, want) || got.Hours != 2 {
		t.Errorf("Decode = %+v with faults of %v, want 2 hours and faults of %v", got, fields, want)
	}
	many := map[string]int{}
	for i := range 100 {
		many[strconv.Itoa(i)] = i
	}
	args, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := schema.Decode[lists](s, args); len(fault.All(err)) != 20 {
		t.Errorf("Decode of 100 unknown arguments tells %d faults, want 20", len(fault.All(err)))
	}
}

// TestAliases takes a property by another name, which it neither lists nor tells of.
func TestAliases(t *testing.T) {
	t.Parallel()
	type order struct {
		Dish string `json:"dish" maxLength:"10" alias:"meal"`
		Size string `json:"size,omitempty" enum:"small,large" alias:"portion,how_much"`
	}
	s := schema.Of(reflect.TypeFor[order]())
	s.Close()
	if got := string(s.Encode()); strings.Contains(got, "meal") || strings.Contains(got, "portion") {
		t.Errorf("schema = %s, want none of the aliases in it", got)
	}
	for args, want := range map[string]order{
		`{"meal":"dal"}`:                                         {"dal", ""},
		`{"meal":"dal","portion":"large"}`:                       {"dal", "large"},
		`{"dish":"dal","how_much":"small","portion":"small"}`:    {"dal", "small"},
		`{"dish":"dal","meal":null,"portion":""}`:                {"dal", ""},
		`{"dish":"dal","meal":""}`:                               {"dal", ""},
		`{"dish":"","meal":"dal","size":null,"portion":"small"}`: {"dal", "small"},
	} {
		if got, err := schema.Decode[order](s, json.RawMessage(args)); err != nil || got != want {
			t.Errorf("Decode(%s) = %+v, %v, want %+v", args, got, err, want)
		}
	}
	for args, want := range map[string]string{
		`{}`:                            "dish is required",
		`{"meal":null}`:                 "dish is required",
		`{"meal":7}`:                    "meal must be a string, got 7",
		`{"meal":"a very long name"}`:   "meal has 16 characters, at most 10 are allowed",
		`{"dish":"dal","meal":"idli"}`:  `dish was sent under two names, "dish" and "meal", with different values; send dish alone`,
		`{"dish":"dal","dinner":"dal"}`: `unknown argument "dinner"; the arguments are dish, size`,
		`{"dish":"dal","portion":"xl"}`: `portion "xl" is not one of small, large`,
	} {
		if _, err := schema.Decode[order](s, json.RawMessage(args)); err == nil || err.Error() != want {
			t.Errorf("Decode(%s) = %v, want %s", args, err, want)
		}
	}
}
