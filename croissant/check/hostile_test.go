package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vaak/croissant/check"
	"vaak/croissant/graph"
)

// hostile returns documents that cost more than they look.
func hostile() map[string][]byte {
	all := map[string][]byte{}
	for name, document := range bombs(1 << 30) {
		all[name] = document
	}
	for name, document := range bombs(graph.MaxValues - 300) {
		all[name+"_allowed"] = document // as many values as are read
	}
	return all
}

// bombs returns hostile documents of at most a number of values.
func bombs(values int) map[string][]byte {
	const mib = check.MaxDocument
	most := func(part string) int { return values / (strings.Count(part, ":") + strings.Count(part, "[") + 1) }
	repeat := func(before, part, after string) []byte {
		n := (mib - len(before) - len(after)) / len(part)
		return []byte(before + strings.Repeat(part, min(n, most(part))) + after)
	}
	numbered := func(before, format, after string) []byte {
		var b strings.Builder
		b.WriteString(before)
		for i := 0; b.Len() < mib-len(after)-200 && i < most(format); i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i, i)
		}
		b.WriteString(after)
		return []byte(b.String())
	}
	context := `{"@context":` + contextText + `,"@type":"sc:Dataset",`
	set := context + `"recordSet":{"@type":"cr:RecordSet","@id":"r","field":[`
	docs := map[string][]byte{
		"3000_deep":         []byte(strings.Repeat(`{"a":[`, 3000) + strings.Repeat(`]}`, 3000)),
		"million_deep":      repeat("", "[", ""),
		"tiny_arrays":       repeat(context+`"a":[`, "[],", "[]]}"),
		"tiny_objects":      repeat(context+`"a":[`, "{},", "{}]}"),
		"many_keys":         numbered(context, `"k%d":%d`, "}"),
		"one_string":        []byte(context + `"name":"` + strings.Repeat("x", mib-5000) + `"}`),
		"one_id":            []byte(context + `"url":{"@id":"` + strings.Repeat("a:", mib/2-3000) + `"}}`),
		"many_fields":       numbered(set, `{"@type":"cr:Field","@id":"%d","x":%d}`, "]}}"),
		"good_fields":       numbered(set, `{"@type":"cr:Field","@id":"r/%d","dataType":"sc:Text","source":{"fileObject":{"@id":"f"},"extract":{"column":"%d"}}}`, "]}}"),
		"same_id":           numbered(context+`"distribution":[`, `{"@type":"cr:FileObject","@id":"a","name":"%d%d"}`, "]}"),
		"bad_ids":           numbered(context+`"x":[`, `{"@id":"a b%d","n":%d}`, "]}"),
		"bare_types":        repeat(context+`"distribution":[`, `{"@type":1},`, `{}]}`),
		"duplicates":        repeat(context, `"a":1,`, `"a":1}`),
		"chain_of_fields":   numbered(set, `{"@type":"cr:Field","@id":"%d","source":{"field":{"@id":"1%d"}}}`, "]}}"),
		"rows":              repeat(context+`"recordSet":{"@type":"cr:RecordSet","field":{"@type":"cr:Field","@id":"a"},"data":[`, `{"b":1},`, `{}]}}`),
		"wide_types":        repeat(context+`"dateCreated":{"@type":[`, `"a",`, `"b"]}}`),
		"old_names":         numbered(`{"@context":{"@vocab":"https://schema.org/"},"@type":"Dataset","x":[`, `{"http://schema.org/n%d":%d}`, "]}"),
		"long_node":         []byte(context + `"url":["a","b"],"@id":"` + strings.Repeat("é", mib/4) + `"}`),
		"escapes":           repeat(context+`"name":"`, `\ud800`, `"}`),
		"long_key":          []byte(context + `"` + strings.Repeat("k", mib/2) + `":[` + strings.Repeat("{},", mib/8) + `{}]}`),
		"json_path":         []byte(set + `{"@type":"cr:Field","source":{"extract":{"jsonPath":"` + strings.Repeat("(", mib-5000) + `"}}}]}}`),
		"5000_terms":        numbered(`{"@context":{`, `"t%d":"https://example.org/%d"`, "}}"),
		"prefix_of_prefix":  numbered(`{"@context":{"p":"https://`+strings.Repeat("x", 400)+`/"},"@type":"p:a","x":[`, `{"p:%d":"%d"}`, "]}"),
		"languages":         numbered(`{"@context":{"@vocab":"https://schema.org/","name":{"@container":"@language"}},"@type":"Dataset","name":{`, `"l%d":"%d"`, "}}"),
		"list_of_list":      repeat(context+`"x":{"@list":[`, `{"@list":[1]},`, `1]}}`),
		"contained_in_loop": numbered(context+`"distribution":[`, `{"@type":"cr:FileObject","@id":"%d","containedIn":{"@id":"%d"}}`, "]}"),
	}
	nested := numberedTerms(200)
	docs["200_contexts"] = []byte(context + `"x":[` + strings.Repeat(`{"@context":`+nested+`,"a":1},`, 199) + `{"@context":` + nested + `}]}`)
	docs["1000_terms"] = []byte(`{"@context":` + numberedTerms(1000) + `,"@type":"Dataset"}`)
	docs["chained_terms"] = chainedTerms(900)
	shared(docs, min(values/8, 4500))
	return docs
}

// shared adds documents in which n nodes refer to one that is large.
func shared(docs map[string][]byte, n int) {
	many := func(format string, n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
		}
		return strings.Join(parts, ",")
	}
	head := `{"@context":` + contextText + `,"@type":"sc:Dataset",`
	fields := func(source, use string) []byte {
		return []byte(head + `"x":` + source + `,"recordSet":{"@type":"cr:RecordSet","@id":"r","field":[` +
			many(`{"@type":"cr:Field","@id":"r/#",`+use+`}`, n) + `]}}`)
	}
	source := func(text string) []byte { return fields(`{"@id":"s",`+text+`}`, `"source":{"@id":"s"}`) }
	docs["shared_path"] = source(`"extract":{"jsonPath":"$` + strings.Repeat(".a", 300_000) + `"}`)
	docs["shared_extracts"] = source(`"extract":[` + many(`{"column":"#"}`, n) + `]`)
	docs["shared_transforms"] = source(`"transform":[` + many(`{"regex":"#"}`, n) + `]`)
	docs["shared_files"] = source(`"fileObject":[` + many(`{"@id":"#"}`, n) + `]`)
	docs["shared_parent"] = fields(`{"@id":"s","references":[`+many(`{"field":{"@id":"#"}}`, n/2)+`]}`, `"parentField":{"@id":"s"}`)
	docs["shared_types"] = fields(`{"@id":"s","@type":[`+many(`"a#"`, n)+`]}`, `"subField":{"@id":"s"}`)
	docs["types_of_a_creator"] = []byte(head + `"x":{"@id":"s","@type":[` + many(`"a#"`, 2*n) + `]},"creator":[` + many(`{"@id":"s"}`, n) + `]}`)
	docs["shared_creator"] = []byte(head + `"creator":{"@id":"p","@type":"Person","email":[` + many("{}", n) + `]},"publisher":[` +
		many(`{"@id":"p"}`, n) + `]}`)
	docs["shared_container"] = []byte(head + `"x":{"@id":"s","fileObject":[` + many(`{"@id":"#"}`, n) + `]},"distribution":[` +
		many(`{"@type":"cr:FileObject","@id":"f#","containedIn":{"@id":"s"}}`, n) + `]}`)
	docs["keys_of_a_chain"] = []byte(head + `"recordSet":{"@type":"cr:RecordSet","@id":"r","field":[{"@id":"0"}],"key":[` + many(`"`+fmt.Sprint(n-1)+`"`, n) + `]},"x":[` +
		many(`{"@type":"cr:Field","@id":"#","subField":{"@id":"#_"}}`, n) + `]}`)
	docs["one_bad_term"] = []byte(`{"@context":{"bad":{"@id":"zzz","@type":"nope nope"},"t0":"https://example.org/",` + chain(980) + `},"@type":"Dataset"}`)
	docs["loop_of_terms"] = []byte(`{"@context":{"t0":"t980:a",` + chain(980) + `},"@type":"Dataset"}`)
}

// chain is terms, each with the one before as its prefix.
func chain(n int) string {
	var terms []string
	for i := range n {
		terms = append(terms, fmt.Sprintf(`"t%d":"t%d:a"`, i+1, i))
	}
	return strings.Join(terms, ",")
}

func numberedTerms(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"t%d":"a:%d"`, i, i)
	}
	b.WriteByte('}')
	return b.String()
}

// chainedTerms is a context in which each term is a prefix of the next, so that
// addresses grow, with a document that uses the longest.
func chainedTerms(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"@context":{"t0":"https://example.org/"`)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `,"t%d":"t%d:%s/"`, i, i-1, strings.Repeat("x", 40))
	}
	b.WriteString(`},"x":[`)
	for i := 0; b.Len() < check.MaxDocument-100; i++ {
		fmt.Fprintf(&b, `{"t%d:%d":1},`, n-1, i)
	}
	b.WriteString(`{}]}`)
	return []byte(b.String())
}

func TestHostile(t *testing.T) {
	t.Parallel()
	documents := bombs(1 << 30)
	for name, document := range bombs(3_000) {
		documents[name+"_small"] = document // all of it is read
	}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan struct{})
			go func() {
				defer close(done)
				checkLaws(t, document)
			}()
			select {
			case <-done:
			case <-time.After(2 * time.Minute): // what grows with the square of a document takes longer
				t.Fatalf("the document of %d bytes takes more than two minutes", len(document))
			}
		})
	}
}

// BenchmarkHostile times documents that are made to be slow; each should take far
// less than 250 ms.
func BenchmarkHostile(b *testing.B) {
	for name, document := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				check.Validate(document)
			}
		})
	}
}

// BenchmarkValidate times a document of the usual size, 15 KB.
func BenchmarkValidate(b *testing.B) {
	document := large()
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		if r := check.Validate(document); !r.Valid {
			b.Fatal(r.Errors)
		}
	}
}
