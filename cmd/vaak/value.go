package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"vaak/account/ledger"
)

// instant is the value of a flag that names a time. The zero value is no time.
type instant struct{ time.Time }

// UnmarshalText reads a time of RFC 3339. Such a time has a zone, so nobody has to guess it.
func (i *instant) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time such as 2027-01-31T00:00:00Z or 2027-01-31T09:30:00+05:30", text)
	}
	i.Time = t.UTC()
	return nil
}

// limit is the value of a flag that bounds something: a number, or "unlimited",
// which is ledger.Unlimited.
type limit int64

// Decode reads the value. It takes the word after the flag even when that begins
// with a dash, as -1 does.
func (l *limit) Decode(ctx *kong.DecodeContext) error {
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	if text == "unlimited" {
		*l = ledger.Unlimited
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < ledger.Unlimited {
		return fmt.Errorf("%q is not a whole number, nor unlimited (-1)", text)
	}
	*l = limit(n)
	return nil
}

// number is the value of a flag that counts something. It takes the word after
// the flag even when that begins with a dash, and leaves the range to the domain.
type number int64

// Decode reads the value.
func (n *number) Decode(ctx *kong.DecodeContext) error {
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", text)
	}
	*n = number(v)
	return nil
}

// line writes one line of tab-separated values. An empty text and a zero time become a dash,
// so that every line has all of its columns.
func (s streams) line(values ...any) error {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
		if t, ok := v.(time.Time); ok {
			texts[i] = ""
			if !t.IsZero() {
				texts[i] = t.UTC().Format(time.RFC3339)
			}
		}
		if texts[i] == "" {
			texts[i] = "-"
		}
	}
	_, err := fmt.Fprintln(s.out, strings.Join(texts, "\t"))
	return err
}

// json writes a value, indented.
func (s streams) json(v any) error {
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// lines writes a line for each row.
func (s streams) lines(rows [][]any) error {
	for _, r := range rows {
		if err := s.line(r...); err != nil {
			return err
		}
	}
	return nil
}
