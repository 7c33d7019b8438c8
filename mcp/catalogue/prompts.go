package catalogue

import (
	"context"
	"fmt"
	"strings"

	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/mcp/tool"
)

// prompts returns the prompts of the catalogue.
func (d *Datasets) prompts() []tool.Prompt {
	return []tool.Prompt{{
		Name: "compare_datasets", Title: "Compare datasets", Description: "Says which of several datasets suits what, and what to ask about them.",
		Arguments: []tool.PromptArgument{{Name: "slugs", Description: "2 to 5 slugs, separated by commas.", Required: true, Complete: d.completeSlugs}},
		Render:    comparePrompt,
	}, {
		Name: "find_training_data", Title: "Find training data", Description: "Finds the datasets that suit a brief, and says what they lack.",
		Arguments: []tool.PromptArgument{{Name: "brief", Description: "What the data is for: task, language, hours, kind of talk, licence.", Required: true}},
		Render:    findPrompt,
	}}
}

// findPrompt asks the model to find data for a brief.
func findPrompt(arguments map[string]string) (string, error) {
	return fmt.Sprintf(`Find speech data in the catalogue for this brief:

%s

1. Read the brief for language, hours, kind of talk, channels and transcripts. catalogue://filters has the values that there are.
2. Use search_datasets with the filters that matter most; when little matches, leave out the least important.
3. Use compare_datasets with the best two to five.
4. Use get_dataset with the best one or two, for licence, consent, gaps and the sample.
5. Recommend: for each its slug, page, why it suits, and what the brief asks for that it lacks or that is not known. Name nothing that a record does not say, and give the address of the sample so that I can listen.`,
		strings.TrimSpace(arguments["brief"])), nil
}

// Bounds of how many datasets are compared.
const (
	leastCompared = 2
	mostCompared  = 5
)

// comparePrompt asks the model to compare datasets.
func comparePrompt(arguments map[string]string) (string, error) {
	var slugs []string
	for s := range strings.SplitSeq(arguments["slugs"], ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		} else if !catalogue.IsSlug(s) && !catalogue.IsID(s) {
			return "", fault.BadParameter("slugs", "slugs are words of a-z and 0-9 joined by hyphens, separated by commas; %.90q is none", s)
		}
		slugs = append(slugs, s)
	}
	if len(slugs) < leastCompared || len(slugs) > mostCompared {
		return "", fault.BadParameter("slugs", "%d slugs were sent; %d to %d can be compared", len(slugs), leastCompared, mostCompared)
	}
	return fmt.Sprintf(`Compare these datasets of the catalogue: %s.

Use compare_datasets with them, and get_dataset where a difference needs its background. Then say what each suits best, which differences matter for training, and what is not known of which: that is what to ask before a licence. Give the address of each sample so that I can listen.`, strings.Join(slugs, ", ")), nil
}

// completeSlugs completes the last slug of a list.
func (d *Datasets) completeSlugs(ctx context.Context, c tool.Call, typed string) []string {
	before, last := "", typed
	if i := strings.LastIndexByte(typed, ','); i >= 0 {
		before, last = typed[:i+1], strings.TrimSpace(typed[i+1:])
	}
	var values []string
	for _, slug := range d.CompleteSlug(ctx, c, last) {
		if !strings.Contains(","+strings.ReplaceAll(before, " ", ""), ","+slug+",") {
			values = append(values, before+slug)
		}
	}
	return values
}
