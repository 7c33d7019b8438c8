package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"vaak/app/usage"
	"vaak/lang"
	"vaak/speech"
	"vaak/text/frontend"
)

type textCommand struct {
	Spoken spokenCommand `cmd:"" help:"Print each line of standard input in its spoken form."`
	Runs   runsCommand   `cmd:"" help:"Print the language runs of each line of standard input as JSON."`
}

type spokenCommand struct {
	Lang string `help:"Language of the lines, in any form. Default: detected, line by line." placeholder:"L"`
	TSV  bool   `help:"Each line is its language, a tab and its text." name:"tsv"`
}

// Run prints a line for each line of the input. It is empty where nothing is to be spoken.
func (c spokenCommand) Run(s streams) error {
	if c.TSV && c.Lang != "" {
		return usage.Errorf("--tsv takes the language from each line; leave --lang out")
	}
	return eachLine(s, func(out *bufio.Writer, line string) error {
		hint := c.Lang
		if c.TSV {
			var ok bool
			if hint, line, ok = strings.Cut(line, "\t"); !ok {
				return errors.New("a line of --tsv is a language, a tab and a text")
			}
		}
		reading, err := readLine(line, hint)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, speech.Reading{Runs: reading.Runs}.Spoken())
		return err
	})
}

type runsCommand struct {
	Lang string `help:"Language of the lines, in any form. Default: detected, line by line." placeholder:"L"`
}

// jsonRun is a run as it is printed.
type jsonRun struct {
	Language string `json:"language"`
	Text     string `json:"text"`
	Spoken   string `json:"spoken"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
}

// Run prints a JSON object for each line.
func (c runsCommand) Run(s streams) error {
	return eachLine(s, func(out *bufio.Writer, line string) error {
		reading, err := readLine(line, c.Lang)
		if err != nil {
			return err
		}
		object := struct {
			Language string    `json:"language"`
			Runs     []jsonRun `json:"runs"`
		}{string(reading.Language), []jsonRun{}}
		for _, r := range reading.Runs {
			object.Runs = append(object.Runs, jsonRun{string(r.Language), r.Written, r.Spoken, r.Start, r.End})
		}
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		return enc.Encode(object)
	})
}

// readLine takes a line through the text chain.
func readLine(line, hint string) (speech.Reading, error) {
	tag, err := lang.Resolve(hint)
	if err != nil {
		return speech.Reading{}, err
	}
	// One input line of the wrong encoding must not end a run over a whole corpus.
	valid := strings.ToValidUTF8(line, "\uFFFD")
	prepared, err := frontend.New().Prepare(valid, tag)
	if err != nil {
		return speech.Reading{}, err
	}
	return speech.Reading{Language: prepared.Language.Code, Runs: speech.ReadRuns(valid, prepared)}, nil
}

// maxLine bounds a line of standard input, in bytes.
const maxLine = 1 << 20

// eachLine calls do for every line of standard input, without its end. It flushes the output
// before it waits for more input, so a person who types sees each answer.
func eachLine(s streams, do func(out *bufio.Writer, line string) error) error {
	in, out := bufio.NewReaderSize(s.in, 1<<16), bufio.NewWriter(s.out)
	for number := 1; ; number++ {
		line, err := readString(in)
		if err != nil && line == "" {
			if errors.Is(err, io.EOF) {
				return out.Flush()
			}
			return errors.Join(fmt.Errorf("read line %d: %w", number, err), out.Flush())
		}
		if err := do(out, strings.TrimRight(line, "\r\n")); err != nil {
			return errors.Join(fmt.Errorf("line %d: %w", number, err), out.Flush())
		}
		// Nothing more is at hand, so the next read may wait.
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// readString reads up to a line feed. A line of more than maxLine bytes is an error.
func readString(in *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		b.Write(part)
		switch {
		case b.Len() > maxLine:
			return "", fmt.Errorf("it is longer than %d bytes", maxLine)
		case !errors.Is(err, bufio.ErrBufferFull):
			return b.String(), err
		}
	}
}
