package openai_test

import (
	"testing"

	"go.uber.org/goleak"

	"vaak/engine/remote/openai"
	"vaak/engine/remote/remotetest"
	"vaak/engine/remote/wire/wiretest"
)

func TestMain(m *testing.M) {
	remotetest.Main()
	goleak.VerifyTestMain(m)
}

func suites() []wiretest.Suite {
	var all []wiretest.Suite
	for _, k := range openai.Kinds {
		s := wiretest.Suite{Kind: k, Plain: true, Marked: true, Events: true}
		switch k.Name {
		case "openai", "kokoro-fastapi":
			s.Marked, s.Events, s.Bare = false, false, true
		case "speaches":
			s.Model = "speaches-ai/Kokoro-82M"
		}
		all = append(all, s)
	}
	return all
}

func suite(t *testing.T, name string) wiretest.Suite {
	for _, s := range suites() {
		if s.Kind.Name == name {
			return s
		}
	}
	t.Fatalf("no kind %s", name)
	return wiretest.Suite{}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, s := range suites() {
		t.Run(s.Kind.Name, func(t *testing.T) {
			t.Parallel()
			wiretest.Run(t, s)
		})
	}
}
