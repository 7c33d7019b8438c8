package dictionaries

import (
	"encoding/json"
	"fmt"

	"vaak/store/database"
	"vaak/text/respell"
)

// ruleJSON is a rule in the column "rules". Members with their default value are left out,
// and members that this program does not know are ignored.
type ruleJSON struct {
	Term          string   `json:"t"`
	Respelling    string   `json:"r"`
	CaseSensitive bool     `json:"c,omitzero"`
	InWords       bool     `json:"w,omitzero"`
	Only          []string `json:"o,omitzero"`
	Except        []string `json:"x,omitzero"`
	Alphabet      string   `json:"a,omitzero"`
}

// encodeRules returns rules as JSON. It refuses text that could not be read back as it is.
func encodeRules(rules []respell.Rule) (string, error) {
	kept := make([]ruleJSON, len(rules))
	for i, r := range rules {
		if err := database.CheckTexts(append(append([]string{r.Term, r.Respelling, r.Alphabet}, r.Only...), r.Except...)...); err != nil {
			return "", err
		}
		kept[i] = ruleJSON(r)
	}
	return database.EncodeJSON(kept), nil
}

// decodeRules is the inverse of encodeRules. Its error does not quote the text.
func decodeRules(text []byte) ([]respell.Rule, error) {
	var kept []ruleJSON
	if json.Unmarshal(text, &kept) != nil {
		return nil, fmt.Errorf("the rules of a dictionary, of %d bytes, are no JSON as it was written", len(text))
	}
	rules := make([]respell.Rule, len(kept))
	for i, r := range kept {
		rules[i] = respell.Rule(r)
	}
	return rules, nil
}
