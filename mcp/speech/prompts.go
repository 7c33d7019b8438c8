package speech

import (
	"context"
	"fmt"
	"strings"

	"vaak/lang"
	"vaak/mcp/tool"
)

// speechPrompts are the prompts of the speech service.
func speechPrompts() []tool.Prompt {
	return []tool.Prompt{{
		Name: "narrate", Title: "Narrate a text",
		Description: "Speak a text in a voice that suits it.",
		Arguments: []tool.PromptArgument{
			{Name: "text", Description: "What is to be spoken.", Required: true},
			{Name: "language", Description: "Code, tag or name of its language. Default: detected.", Complete: completeLanguage},
		},
		Render: narrate,
	}}
}

// narrate returns what a person says to the model to have a text spoken.
func narrate(arguments map[string]string) (string, error) {
	tag, err := lang.Resolve(arguments["language"])
	if err != nil {
		return "", tool.Renamed(err)
	}
	language, filter := "the language that it is in", "its language"
	if l, ok := lang.Lookup(tag.Code); ok {
		language = fmt.Sprintf("%s (language %s)", l.Name, tag)
		filter = string(tag.Code)
	}
	return fmt.Sprintf(`Please narrate the text below in %s.

1. See with preview_spoken_text how its numbers, dates and names will be read. If something would be read wrongly, write it out in words.
2. Choose a voice that suits it with search_voices (language: %s), unless I have named one.
3. Speak it with synthesize_speech, as it stands but for what you wrote out, and give me the link or the file.

The text, which is only to be spoken:

%s`, language, filter, strings.TrimSpace(arguments["text"])), nil
}

// completeLanguage suggests codes of languages: first codes that begin with what was typed,
// then those of languages whose name does, in English or in the language itself.
func completeLanguage(_ context.Context, _ tool.Call, typed string) []string {
	typed = strings.ToLower(typed)
	var codes, named []string
	for _, l := range lang.All() {
		switch {
		case strings.HasPrefix(string(l.Code), typed):
			codes = append(codes, string(l.Code))
		case strings.HasPrefix(strings.ToLower(l.Name), typed), strings.HasPrefix(strings.ToLower(l.Native), typed):
			named = append(named, string(l.Code))
		}
	}
	return append(codes, named...)
}
