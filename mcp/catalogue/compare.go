package catalogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
)

// compareDatasetsInput holds the arguments of compare_datasets.
type compareDatasetsInput struct {
	Slugs []string `json:"slugs" doc:"Slugs from search_datasets, or ids." minItems:"2" maxItems:"5"`
}

// compareDatasetsOutput is the structured result of compare_datasets. Fields have
// their unit in their name.
type compareDatasetsOutput struct {
	Datasets    []comparedDataset `json:"datasets"`
	Differences json.RawMessage   `json:"differences" doc:"For each field, values in the order of datasets; null is not known"`
	Same        json.RawMessage   `json:"same" doc:"For each field, the value of all"`
	Unknown     []string          `json:"unknown" doc:"Fields known of no dataset"`
}

// comparedDataset is a dataset in a comparison.
type comparedDataset struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
}

// compareTool is the tool compare_datasets.
func (d *Datasets) compareTool() tool.Entry {
	return tool.New(tool.Definition{
		Name:        "compare_datasets",
		Title:       "Compare datasets",
		Description: "Set 2 to 5 datasets side by side: what differs, what is the same, what is not known.",
		Hints:       tool.LookUp,
		Advise:      d.Advise,
	}, func(ctx context.Context, _ tool.Call, in compareDatasetsInput) (tool.Answer[compareDatasetsOutput], error) {
		records, err := d.several(ctx, in.Slugs)
		if err != nil {
			return tool.Answer[compareDatasetsOutput]{}, err
		}
		c := compare(records)
		out, err := c.output()
		return tool.Answer[compareDatasetsOutput]{Value: out, Text: c.text()}, err
	})
}

// several returns the records with these names. It refuses a dataset that is named twice.
func (d *Datasets) several(ctx context.Context, names []string) ([]*catalogue.Dataset, error) {
	var records []*catalogue.Dataset
	for i, name := range names {
		stored, err := d.Filed(ctx, fmt.Sprintf("slugs[%d]", i), name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(records, func(r *catalogue.Dataset) bool { return r.Slug == stored.Dataset.Slug }) {
			return nil, fault.BadParameter("slugs", "dataset %s is named twice; 2 to 5 different ones can be compared", stored.Dataset.Slug)
		}
		records = append(records, &stored.Dataset)
	}
	return records, nil
}

// comparison is the result of a comparison of records.
type comparison struct {
	datasets    []comparedDataset
	differences []row // facts that differ, or are not known of all records
	same        []row // facts with the same value for all records
	unknown     []string
}

// row is a fact with its value for each record; nil where it is not known.
type row struct {
	field  string
	values []any
}

// compare sorts the facts of records into those that differ and those that are the same.
func compare(records []*catalogue.Dataset) comparison {
	c := comparison{unknown: []string{}}
	for _, r := range records {
		c.datasets = append(c.datasets, comparedDataset{r.Slug, plain.Line(r.Title, MaxTitle)})
	}
	for _, f := range facts {
		values := make([]any, len(records))
		known, equal := 0, true
		for i, r := range records {
			if values[i] = f.of(r); values[i] != nil {
				known++
			}
			// nil differs from every value: what is not known of one record is no sameness. The
			// first round compares the value with itself.
			equal = equal && values[i] == values[0]
		}
		switch {
		case known == 0:
			c.unknown = append(c.unknown, f.field)
		case equal:
			c.same = append(c.same, row{f.field, values[:1]})
		default:
			c.differences = append(c.differences, row{f.field, values})
		}
	}
	return c
}

// output returns the structured form of the comparison.
func (c comparison) output() (compareDatasetsOutput, error) {
	differences, same := map[string]any{}, map[string]any{}
	for _, r := range c.differences {
		differences[r.field] = r.values
	}
	for _, r := range c.same {
		same[r.field] = r.values[0]
	}
	out := compareDatasetsOutput{Datasets: c.datasets, Unknown: c.unknown}
	var err, sameErr error
	out.Differences, err = tool.Encode(differences)
	out.Same, sameErr = tool.Encode(same)
	return out, errors.Join(err, sameErr)
}

// text returns a table of the facts that differ, and a line with the others.
func (c comparison) text() string {
	var b strings.Builder
	b.WriteString("field")
	for _, d := range c.datasets {
		b.WriteString("|" + d.Slug)
	}
	for _, r := range c.differences {
		b.WriteString("\n" + r.field)
		for _, v := range r.values {
			b.WriteString("|" + cell(v))
		}
	}
	if len(c.differences) == 0 {
		b.WriteString("\nNothing differs.")
	}
	same := make([]string, len(c.same))
	for i, r := range c.same {
		same[i] = r.field + " " + cell(r.values[0])
	}
	if len(same) > 0 {
		b.WriteString("\nsame: " + strings.Join(same, "; "))
	}
	if len(c.unknown) > 0 {
		b.WriteString("\nnot known of any: " + strings.Join(c.unknown, ", "))
	}
	return b.String()
}

// cell returns a value for a cell of the table.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return notKnown
	case bool:
		return claim(&v, "yes", "no")
	case float64:
		return number(v)
	case string:
		return strings.ReplaceAll(guarded(v, MaxTitle), "|", "/")
	case members:
		return strings.ReplaceAll(string(v), "|", "/")
	}
	return fmt.Sprint(v)
}
