package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs the program on a free port and returns its address. It is stopped
// when the test ends, and has to leave without an error.
func start(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, args, out, io.Discard)
		_ = out.Close() // of a pipe, never fails
		done <- err
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("run(%q) = %v, want nil", args, err)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("run(%q) does not end", args)
		}
	})
	line, err := bufio.NewReader(ready).ReadString('\n')
	if err != nil {
		t.Fatalf("run(%q) prints %q, then %v", args, line, err)
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ok || !strings.HasSuffix(url, endpoint) {
		t.Fatalf("run(%q) prints %q, want its address", args, line)
	}
	return url
}

// send posts a message and returns the answer and the session it names.
func send(t *testing.T, url, message string) (body, session string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), resp.Header.Get("Mcp-Session-Id")
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func TestSessions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		want bool
	}{
		{"kept", nil, true},
		{"stateless", []string{"--stateless"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body, session := send(t, start(t, tt.args...), initialize)
			if got := session != ""; got != tt.want || !strings.Contains(body, "vaak-conformance") {
				t.Errorf("initialize = session %q, %s; want a session: %t", session, body, tt.want)
			}
		})
	}
}

// TestFixtures wants the tools that the suite calls by name.
func TestFixtures(t *testing.T) {
	t.Parallel()
	body, _ := send(t, start(t, "--stateless"), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var list struct {
		Result struct {
			Tools []struct{ Name, Description string }
		}
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatalf("tools/list = %s: %v", body, err)
	}
	var names []string
	for _, tool := range list.Result.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" {
			t.Errorf("%s has no description", tool.Name)
		}
	}
	for _, want := range strings.Fields(`
		test_simple_text test_image_content test_audio_content test_embedded_resource test_multiple_content_types
		test_error_handling test_tool_with_logging test_tool_with_progress test_sampling test_elicitation
		test_elicitation_sep1034_defaults test_elicitation_sep1330_enums json_schema_2020_12_tool test_reconnection
		test_x_mcp_header test_missing_capability test_streaming_elicitation test_logging_tool
		test_trigger_tool_change test_trigger_prompt_change
		test_input_required_result_elicitation test_input_required_result_sampling test_input_required_result_list_roots
		test_input_required_result_request_state test_input_required_result_multiple_inputs
		test_input_required_result_multi_round test_input_required_result_tampered_state test_input_required_result_capabilities`) {
		if !slices.Contains(names, want) {
			t.Errorf("tools/list has no %s", want)
		}
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--no-such-flag"}, {"--listen", "nowhere:-1"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("run(%q) = nil, want an error", args)
		}
	}
}
