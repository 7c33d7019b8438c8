package chunk_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/speech/chunk"
)

var update = flag.Bool("update", false, "write what the scripts in testdata give")

// TestScripts plays the scripts of testdata. Their lines say what is done,
//
//	config MODE [chunk=N] [peek=N] [max=N] [characters=N,N]   begins a session
//	add "text"          adds a fragment
//	feed N "text"       adds it N code points at a time
//	flush, trigger, end
//
// and each line that begins with = is a chunk that was ready then: what was
// spoken before, the text in brackets, the lookahead; then | if it ends and + if
// text follows. Lines of feed show after how many code points a chunk came.
func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 4 {
		t.Fatalf("scripts %q: %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := string(data)
		got := play(t, want)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// play writes a script with the chunks that its session gives.
func play(t *testing.T, script string) string {
	t.Helper()
	var out strings.Builder
	var c *chunk.Chunker
	var all, said string
	for line := range strings.Lines(script) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(word, "=") {
			continue
		}
		out.WriteString(line)
		show := func(at string) {
			for _, got := range ready(c) {
				said += got.Text
				fmt.Fprintf(&out, "=%s %s\n", at, format(got))
			}
		}
		switch word {
		case "", "#":
			continue
		case "config":
			c = chunk.New(config(t, rest))
			all, said = "", ""
		case "add":
			all += unquote(t, rest)
			c.Add(unquote(t, rest))
		case "feed":
			number, quoted, _ := strings.Cut(rest, " ")
			step := atoi(t, number)
			text := []rune(unquote(t, quoted))
			all += string(text)
			for i := 0; i < len(text); i += step {
				end := min(i+step, len(text))
				c.Add(string(text[i:end]))
				show(strconv.Itoa(end))
			}
		case "flush":
			c.Flush()
		case "trigger":
			c.Trigger()
		case "end":
			c.End()
		default:
			t.Fatalf("line %q", line)
		}
		show("")
		if said+c.Remainder() != all {
			t.Fatalf("%q and the rest %q are not %q", said, c.Remainder(), all)
		}
		if word == "end" && !c.Done() {
			t.Fatalf("%q left at the end of %q", c.Remainder(), all)
		}
	}
	return out.String()
}

// ready returns the chunks that are ready, taken as a session does that speaks
// them one after the other.
func ready(c *chunk.Chunker) []chunk.Chunk {
	var chunks []chunk.Chunk
	for {
		next, ok := c.Next(len(chunks) > 0)
		if !ok {
			return chunks
		}
		chunks = append(chunks, next)
	}
}

// format writes a chunk as the scripts do.
func format(c chunk.Chunk) string {
	flags := ""
	if c.Ends {
		flags += "|"
	}
	if c.Follows {
		flags += "+"
	}
	quote := strings.NewReplacer("\n", `\n`, "\u00a0", `\u00a0`, "\u200b", `\u200b`)
	return strings.TrimSpace(quote.Replace(c.Before + "[" + c.Text + "]" + c.After + " " + flags))
}

func config(t *testing.T, s string) chunk.Config {
	t.Helper()
	modes := map[string]chunk.Mode{"sentence": chunk.Sentence, "eager": chunk.Eager, "schedule": chunk.Schedule, "auto": chunk.Auto}
	var c chunk.Config
	for field := range strings.FieldsSeq(s) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "chunk":
			c.ChunkWords = atoi(t, value)
		case "peek":
			c.PeekWords = atoi(t, value)
		case "max":
			c.MaxChunkWords = atoi(t, value)
		case "characters":
			for n := range strings.SplitSeq(value, ",") {
				c.Characters = append(c.Characters, atoi(t, n))
			}
		default:
			mode, ok := modes[name]
			if !ok {
				t.Fatalf("mode %q", name)
			}
			c.Mode = mode
		}
	}
	return c
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func unquote(t *testing.T, s string) string {
	t.Helper()
	text, err := strconv.Unquote(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return text
}
