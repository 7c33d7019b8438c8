package main

import (
	"fmt"
	"strings"
	"time"
)

// hostileAsks is how often a hostile document is posted.
const hostileAsks = 5

// hostileDocument is a document that costs more than it looks, and how long its
// check took.
type hostileDocument struct {
	name string
	body string
	took time.Duration
}

// hostileDocuments posts such documents, one after the other.
func hostileDocuments(s *server) ([]hostileDocument, error) {
	all := hostile()
	c, err := dial(s)
	if err != nil {
		return nil, err
	}
	defer c.close()
	for i := range all {
		post := checking([]byte(all[i].body))(nil).bytes(s.addr)
		var took []time.Duration
		for range hostileAsks {
			began := time.Now()
			if _, err := c.whole(post); err != nil {
				return nil, fmt.Errorf("%s: %w", all[i].name, err)
			}
			took = append(took, time.Since(began))
		}
		all[i].took = median(took)
	}
	return all, nil
}

// hostile makes the documents.
func hostile() []hostileDocument {
	const mib = 1 << 20
	terms := func(n int) string { return numberedList(n, `"t%d":"https://example.org/%[1]d"`) }
	nested := strings.Repeat(`{"@context":{`+terms(200)+`},"a":`, 50) + "1" + strings.Repeat("}", 50)
	begin := `{"@context":{"@vocab":"https://schema.org/","sc":"https://schema.org/","cr":"http://mlcommons.org/croissant/"},"@type":"sc:Dataset",`
	fields := func(n int, rest string) string {
		return `"cr:recordSet":{"@type":"cr:RecordSet","@id":"r","cr:field":[` + numberedList(n, `{"@type":"cr:Field","@id":"r/%d",`+rest+`}`) + `]}}`
	}
	return []hostileDocument{
		{name: "3,000 levels deep", body: strings.Repeat(`{"a":`, 3000) + "1" + strings.Repeat("}", 3000)},
		{name: "a context of 5,000 terms", body: `{"@context":{` + terms(5000) + `},"@type":"Dataset"}`},
		{name: "150 nested contexts of 200 terms, 50 levels deep", body: begin + `"x":[` + nested + `,` + nested + `,` + nested + `]}`},
		{name: "a context of 980 terms in a chain, one of them bad", body: `{"@context":{"bad":{"@id":"x","@type":"no type"},"t0":"https://example.org/",` + chainedTerms(980) + `},"@type":"Dataset"}`},
		{name: "1 MiB of empty objects", body: begin + `"x":[` + strings.Repeat("{},", (mib-1000)/3) + "{}]}"},
		{name: "1 MiB of one text", body: begin + `"name":"` + strings.Repeat("x", mib-1000) + `"}`},
		{name: "4,000 fields", body: begin + fields(4000, `"cr:dataType":"sc:Text","cr:source":{"cr:fileObject":{"@id":"f"},"cr:extract":{"cr:column":"c"}}`)},
		{name: "3,000 fields of one source with 3,000 files", body: begin + `"x":{"@id":"s","cr:fileObject":[` + numberedList(3000, `{"@id":"%d"}`) + `]},` + fields(3000, `"cr:source":{"@id":"s"}`)},
	}
}

// numberedList is n texts of a format with commas between them.
func numberedList(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// chainedTerms are terms, each with the one before as its prefix.
func chainedTerms(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(`"t%d":"t%d:a"`, i+1, i)
	}
	return strings.Join(parts, ",")
}

func hostileTable(all []hostileDocument) part {
	t := &table{header: []string{"document", "bytes", "answer"}}
	for _, d := range all {
		t.add(d.name, fmt.Sprint(len(d.body)), millis(d.took))
	}
	return t
}
