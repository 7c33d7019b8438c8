package speech_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"vaak/account"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
	"vaak/speech/chunk"
)

// answered is an answer of a language model.
const answered = "## Steps\n\n1. **Grind** the *beans* in [a mill](https://x.org/mill \"Mill\").\n2. Pour `slowly`, about $x = 5$ times.\n\n" +
	"```sh\nmake **coffee**\n```\n\n| Cup | Size |\n|---|---|\n| *small* | 5 * 6 |\n\nSee https://x.org/a/b for more. Done ~~now~~ later.\n\n---\n"

// A session that is given an answer in tokens says the same words in every mode, tells times of
// all characters as they were added, and charges all of them.
func TestSessionReadsMarkdown(t *testing.T) {
	t.Parallel()
	const want = "Steps. one. Grind the beans in a mill. two. Pour slowly, about x equals five times. Cup, Size. small, five times six. See x dot org for more. Done now later."
	for _, config := range []chunk.Config{{}, {Mode: chunk.Eager}, {Mode: chunk.Schedule}, {Mode: chunk.Auto}} {
		for _, size := range []int{1, 3, 7, len(answered)} {
			name := fmt.Sprintf("mode %d, tokens of %d", config.Mode, size)
			var heard strings.Builder
			last := ""
			tone := enginetest.Tone{Before: func(_ context.Context, u engine.Utterance) error {
				if u.Text != last { // called for each frame
					heard.WriteString(u.Text + " ")
				}
				last = u.Text
				return nil
			}}
			s := newService(t, speech.Config{Engines: engine.Set{tone}})
			session, err := s.Open(account.Local, speech.SessionRequest{Language: "en", Chunks: config, Format: audio.Format{Codec: audio.PCM, SampleRate: 24000}})
			if err != nil {
				t.Fatal(err)
			}
			for rest := answered; rest != ""; {
				n := min(size, len(rest))
				if err := session.Add(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			session.End()
			f := &follower{}
			res, err := s.Run(t.Context(), session, f)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(strings.Fields(heard.String()), " "); got != want {
				t.Errorf("%s: says\n%s\nwant\n%s", name, got, want)
			}
			if res.Charged != len(answered) {
				t.Errorf("%s: charged %d of %d characters", name, res.Charged, len(answered))
			}
			f.laws(t, name, answered, 24000)
		}
	}
}

// A text of any length keeps its code blocks and lists over the ends of its parts.
func TestReciteReadsMarkdown(t *testing.T) {
	t.Parallel()
	text := "Do this:\n\n1. Run it.\n2. Wait.\n\n```sh\necho one. echo two.\n\necho three. echo four.\n```\n\n3. **Look.**\n"
	for _, most := range []int{15, 5000} {
		var heard strings.Builder
		last := ""
		tone := enginetest.Tone{Before: func(_ context.Context, u engine.Utterance) error {
			if u.Text != last {
				heard.WriteString(u.Text + " ")
			}
			last = u.Text
			return nil
		}}
		s := newService(t, speech.Config{Engines: engine.Set{tone}})
		f := &follower{}
		if _, err := recite(t, s, speech.Request{Language: "en", Format: audio.Format{Codec: audio.PCM, SampleRate: 24000}}, strings.NewReader(text), most, f); err != nil {
			t.Fatal(err)
		}
		const want = "Do this: one. Run it. two. Wait. three. Look."
		if got := strings.Join(strings.Fields(heard.String()), " "); got != want {
			t.Errorf("in parts of %d: says %q, want %q", most, got, want)
		}
		f.laws(t, fmt.Sprintf("parts of %d", most), text, 24000)
	}
}
