package snippet

import "strings"

// lines joins lines of code.
func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

// listed writes entries one a line: indent, name, mark and value, with a comma.
func listed(indent, mark string, quoteName func(string) string, entries []entry) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = indent + quoteName(e.name) + mark + e.value + ","
	}
	return out
}

func bare(name string) string { return name }

func (s Settings) curl() string {
	known, ours := s.body(inJSON)
	entries := append([]entry{{"input", inJSON(s.Text)}, {"voice", inJSON(s.Voice)}}, append(known, ours...)...)
	body := strings.TrimSuffix(strings.Join(listed("  ", ": ", inJSON, entries), "\n"), ",")
	return lines(
		"curl --fail-with-body "+inShell(s.API+"/v1/audio/speech")+` \`,
		`  -H "Authorization: Bearer $`+KeyVariable+`" \`,
		`  -H 'Content-Type: application/json' \`,
		`  -o `+inShell(s.file())+` \`,
		"  -d "+inShell("{\n"+body+"\n}"),
	)
}

func (s Settings) openaiJS() string {
	known, ours := s.body(inJSON)
	out := []string{
		`import { writeFile } from "node:fs/promises";`,
		`import OpenAI from "openai";`,
		``,
		`const client = new OpenAI({`,
		`  baseURL: ` + inJSON(s.API+"/v1") + `,`,
		`  apiKey: process.env.` + KeyVariable + `,`,
		`});`,
		``,
		`const speech = await client.audio.speech.create({`,
		`  model: ` + inJSON(s.Model) + `,`,
		`  voice: ` + inJSON(s.Voice) + `,`,
		`  input: ` + inJSON(s.Text) + `,`,
	}
	out = append(out, listed("  ", ": ", bare, known)...)
	out = append(out, `  // What follows goes beyond the SDK, which sends it as it is.`)
	out = append(out, listed("  ", ": ", bare, ours)...)
	return lines(append(out,
		`});`,
		`await writeFile(`+inJSON(s.file())+`, Buffer.from(await speech.arrayBuffer()));`,
	)...)
}

func (s Settings) openaiPython() string {
	known, ours := s.body(inPython)
	out := []string{
		`import os`,
		``,
		`from openai import OpenAI`,
		``,
		`client = OpenAI(`,
		`    base_url=` + inPython(s.API+"/v1") + `,`,
		`    api_key=os.environ["` + KeyVariable + `"],`,
		`)`,
		``,
		`with client.audio.speech.with_streaming_response.create(`,
		`    model=` + inPython(s.Model) + `,`,
		`    voice=` + inPython(s.Voice) + `,`,
		`    input=` + inPython(s.Text) + `,`,
	}
	out = append(out, listed("    ", "=", bare, known)...)
	out = append(out, `    extra_body={`)
	out = append(out, listed("        ", ": ", inPython, ours)...)
	return lines(append(out,
		`    },`,
		`) as response:`,
		`    response.stream_to_file(`+inPython(s.file())+`)`,
	)...)
}
