package croissant

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"vaak/croissant/check"
	"vaak/mcp/plain"
	"vaak/mcp/schema"
	"vaak/mcp/tool"
)

// validateCroissantInput holds the arguments of validate_croissant.
type validateCroissantInput struct {
	Document json.RawMessage `json:"document" doc:"The JSON-LD document."`
}

// validateCroissantOutput is the structured result of validate_croissant: the same report as
// over HTTP and on the command line, with fewer findings.
type validateCroissantOutput struct {
	Valid      bool      `json:"valid" doc:"There are no errors"`
	ConformsTo string    `json:"conformsTo,omitempty"`
	Errors     []finding `json:"errors"`
	Warnings   []finding `json:"warnings" doc:"Findings that are no errors"`
	Omitted    int       `json:"omitted,omitempty" doc:"How many findings beyond 50 are left out"`
}

// finding is a [check.Finding], with texts made harmless to a model.
type finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Path     string `json:"path" doc:"JSON Pointer to the place"`
	Node     string `json:"node" doc:"The @id there"`
	Loadable bool   `json:"loadable" doc:"mlcroissant loads a document with this fault alone"`
	Message  string `json:"message" doc:"What is wrong, and how to mend it"`
}

// Bounds of the findings in a result: their number, and how many bytes they quote of the document.
const (
	maxFindings     = 50
	maxFindingBytes = 12_000
	shownFindings   = 8 // in the text
	maxMessage      = 600
	maxPointer      = 200
)

// validateTool is the tool validate_croissant.
func (d *documents) validateTool() tool.Entry {
	return tool.New(tool.Definition{
		Name:        "validate_croissant",
		Title:       "Check a Croissant document",
		Description: "Check a Croissant 1.0 or 1.1 document of your own: every fault with its place and how to mend it. Nothing that it names is fetched.",
		Hints:       tool.LookUp,
		Advise:      tool.AdviseCatalogue,
		Refine:      func(_, out *schema.Schema) { out.Member("warnings").Items.Undescribe() },
	}, func(ctx context.Context, _ tool.Call, in validateCroissantInput) (tool.Answer[validateCroissantOutput], error) {
		report, err := d.croissant.Validate(ctx, in.Document)
		if err != nil {
			return tool.Answer[validateCroissantOutput]{}, err
		}
		out := validateCroissantOutput{Valid: report.Valid, ConformsTo: plain.Line(report.ConformsTo, maxPointer), Omitted: report.Omitted}
		room := findingRoom{findings: maxFindings, bytes: maxFindingBytes}
		out.Errors = room.take(report.Errors)
		out.Warnings = room.take(report.Warnings)
		total := len(report.Errors) + len(report.Warnings) + report.Omitted
		out.Omitted = total - len(out.Errors) - len(out.Warnings)
		return tool.Answer[validateCroissantOutput]{Value: out, Text: out.text(len(report.Errors), total)}, nil
	})
}

// findingRoom is how much room for findings a result has left.
type findingRoom struct{ findings, bytes int }

// take returns the first findings for which there is room, and reduces the room. The result is not
// nil.
func (r *findingRoom) take(all []check.Finding) []finding {
	out := []finding{}
	for _, f := range all {
		short := finding{
			Code: f.Code, Severity: string(f.Severity), Path: plain.Line(f.Path, maxPointer),
			Node: plain.Line(f.Node, maxPointer), Loadable: f.Loadable, Message: plain.Line(f.Message, maxMessage),
		}
		size := len(short.Path) + len(short.Node) + len(short.Message)
		if r.findings == 0 || r.bytes < size {
			r.findings = 0
			break
		}
		r.findings--
		r.bytes -= size
		out = append(out, short)
	}
	return out
}

// text returns the verdict and the first findings.
func (o validateCroissantOutput) text(errors, total int) string {
	var b strings.Builder
	verdict := "Valid"
	if !o.Valid {
		verdict = "Not valid"
	}
	b.WriteString(verdict)
	if o.ConformsTo != "" {
		b.WriteString(" as " + o.ConformsTo)
	}
	switch {
	case total == 0:
		b.WriteString(": nothing was found.")
		return b.String()
	case errors == 0:
		fmt.Fprintf(&b, ": no errors, %d warnings.", total)
	default:
		fmt.Fprintf(&b, ": %d errors, %d findings in all.", errors, total)
	}
	shown := 0
	for _, list := range [][]finding{o.Errors, o.Warnings} {
		for _, f := range list {
			if shown == shownFindings {
				break
			}
			shown++
			place := f.Path
			if place == "" {
				place = "document"
			}
			stops := ""
			if !f.Loadable {
				stops = " (loaders fail)"
			}
			fmt.Fprintf(&b, "\n%s%s at %s: %s", f.Code, stops, place, f.Message)
		}
	}
	if rest := total - shown; rest > 0 {
		fmt.Fprintf(&b, "\n%d more; mend these and check again.", rest)
	}
	return b.String()
}
