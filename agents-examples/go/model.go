package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// message is a turn of the talk, as chat servers write it.
type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// toolCall is the model's wish to have a tool called.
type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON, as the model wrote it
	} `json:"function"`
}

// definition tells the model of a tool.
type definition struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  any    `json:"parameters"` // JSON Schema
}

// model is a model behind an OpenAI-compatible server.
type model struct{ address, key, name string }

func newModel() (*model, error) {
	m := &model{os.Getenv("OPENAI_BASE_URL"), os.Getenv("OPENAI_API_KEY"), os.Getenv("MODEL")}
	if m.address == "" {
		m.address = "https://api.openai.com/v1"
	}
	if m.name == "" {
		return nil, errors.New("MODEL names no model")
	}
	return m, nil
}

// reply asks the model for its next turn.
func (m *model) reply(ctx context.Context, talk []message, tools []definition) (message, error) {
	body, err := json.Marshal(map[string]any{"model": m.name, "messages": talk, "tools": tools})
	if err != nil {
		return message{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(m.address, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+m.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return message{}, fmt.Errorf("ask the model: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
		return message{}, fmt.Errorf("the model's server answers %s: %s", resp.Status, reason)
	}
	var answer struct{ Choices []struct{ Message message } }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Choices) == 0 {
		return message{}, fmt.Errorf("the model's server answers no message (%v)", err)
	}
	return answer.Choices[0].Message, nil
}
