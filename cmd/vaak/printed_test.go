package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestCommandJSONFlags checks that every command that prints what is in the store has --json.
func TestCommandJSONFlags(t *testing.T) {
	t.Parallel()
	// These print nothing, or serve, or print a line for a shell.
	without := []string{
		"serve", "key revoke", "org limit", "plan set", "subscription set", "dataset publish", "dataset suspend", "dataset retire", "dictionary delete",
		"enquiry retry", "mcp", "croissant show", "voice remove", "webhook change", "webhook delete",
	}
	app, err := kong.New(&cli{}, helpVars())
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range app.Model.Leaves(true) {
		command := strings.TrimPrefix(leaf.Path(), app.Model.Name+" ")
		has := func(name string) bool {
			return slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return f.Name == name })
		}
		if (has("data-dir") || has("voice-dir")) && command != "speak" && has("json") == slices.Contains(without, command) {
			t.Errorf("vaak %s has --json: %v", command, has("json"))
		}
	}
}

// TestCommandJSON prints what a store has as JSON.
func TestCommandJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vaak := func(into any, args ...string) {
		t.Helper()
		var out, stderr bytes.Buffer
		if status := run(t.Context(), append(args, "--data-dir", dir, "--json"), strings.NewReader(""), &out, &stderr); status != 0 {
			t.Fatalf("vaak %s = %d, %s", strings.Join(args, " "), status, &stderr)
		}
		dec := json.NewDecoder(&out)
		dec.DisallowUnknownFields()
		if err := dec.Decode(into); err != nil || dec.More() {
			t.Errorf("vaak %s: %v", strings.Join(args, " "), err)
		}
	}
	var version struct{ Version int }
	vaak(&version, "migrate")
	if version.Version < 1 {
		t.Errorf("migrate = %+v", version)
	}
	var org, lot struct{ ID string }
	vaak(&org, "org", "create", "Acme <&>", "--plan", "free")
	vaak(&lot, "lot", "grant", "--org", org.ID, "--characters", "500")
	var key struct{ ID, Key string }
	vaak(&key, "key", "create", "--org", org.ID)
	var keys []map[string]any
	vaak(&keys, "key", "list", "--org", org.ID)
	if len(keys) != 1 || keys[0]["id"] != key.ID || keys[0]["state"] != "active" || keys[0]["expires"] != nil || keys[0]["cap"] != -1.0 || keys[0]["minutes"] != 0.0 {
		t.Errorf("keys = %v", keys)
	}
	var orgs []struct{ ID, Name, Plan string }
	vaak(&orgs, "org", "list")
	if len(orgs) != 1 || orgs[0].ID != org.ID || orgs[0].Name != "Acme <&>" {
		t.Errorf("organisations = %+v", orgs)
	}
	var shown map[string]any
	vaak(&shown, "org", "show", org.ID)
	if lots, ok := shown["lots"].([]any); !ok || len(lots) == 0 || shown["characters_remaining"] == nil {
		t.Errorf("the organisation is %v", shown)
	}
	for _, args := range [][]string{{"plan", "list"}, {"lot", "list", "--org", org.ID}} {
		var list []map[string]any
		if vaak(&list, args...); len(list) == 0 {
			t.Errorf("vaak %v has nothing", args)
		}
	}
	for _, args := range [][]string{{"person", "list"}, {"dataset", "list"}, {"enquiry", "list"}, {"enquiry", "journal"}, {"dictionary", "list"}} {
		var list []map[string]any
		if vaak(&list, args...); list == nil || len(list) > 0 {
			t.Errorf("vaak %v = %v, want an empty list", args, list)
		}
	}
	var terms map[string]any
	if vaak(&terms, "subscription", "show", "--org", org.ID); terms["plan"] == nil {
		t.Errorf("terms = %v", terms)
	}
}
