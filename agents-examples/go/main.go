// Command vaak-agent is an agent in four hundred lines. A person says what data
// they look for; a model finds it with the tools of a Vaak server, listens to a
// sample, and has the answer spoken.
//
//	VAAK_URL=http://127.0.0.1:8080 VAAK_KEY=sk_live_… \
//	OPENAI_BASE_URL=https://api.openai.com/v1 OPENAI_API_KEY=... MODEL=gpt-5-mini \
//	vaak-agent "Hindi telephone calls with transcripts, two channels"
//
// The model is any that an OpenAI-compatible server offers and that calls tools.
// The tools come from Vaak over MCP: those of the catalogue, which need no key,
// and those of speech, which do.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

const instructions = `You find speech datasets for people who train models, with the tools you have.
Search first, then compare the likeliest, read the record of the best and listen to its sample.
Recommend one dataset, or say that none fits. Say what is not known of it.
Finish by speaking a summary of two sentences with synthesize_speech, then answer in writing.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, strings.Join(os.Args[1:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, "vaak-agent:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, brief string) error {
	if brief == "" {
		return fmt.Errorf(`say what data you look for, such as: vaak-agent "Hindi telephone calls with transcripts"`)
	}
	model, err := newModel()
	if err != nil {
		return err
	}
	tools, err := connect(ctx, os.Getenv("VAAK_URL"), os.Getenv("VAAK_KEY"))
	if err != nil {
		return err
	}
	defer tools.close()
	answer, err := work(ctx, model, tools, []message{{Role: "system", Content: instructions}, {Role: "user", Content: brief}})
	if err != nil {
		return err
	}
	fmt.Println(answer)
	return nil
}

// maxTurns is how often the model may call tools before it has to come to an end.
const maxTurns = 12

// work is the loop that makes a model an agent: what it asks for is done, and it
// is told what came of it, until it answers.
func work(ctx context.Context, model *model, tools *toolbox, talk []message) (string, error) {
	for range maxTurns {
		reply, err := model.reply(ctx, talk, tools.definitions)
		if err != nil {
			return "", err
		}
		if len(reply.ToolCalls) == 0 {
			return reply.Content, nil
		}
		talk = append(talk, reply)
		for _, c := range reply.ToolCalls {
			fmt.Fprintf(os.Stderr, "→ %s %s\n", c.Function.Name, c.Function.Arguments)
			// What goes wrong is told to the model, which can do better.
			talk = append(talk, message{Role: "tool", ToolCallID: c.ID, Content: tools.call(ctx, c.Function.Name, c.Function.Arguments)})
		}
	}
	return "", fmt.Errorf("the model did not come to an end in %d turns", maxTurns)
}
