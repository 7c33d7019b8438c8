package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// jsonFlag is the flag of commands that print what they have as JSON too: a list as an array of
// objects, one thing as an object. The names are those of the columns.
type jsonFlag struct {
	JSON bool `help:"Print it as JSON." name:"json"`
}

// jsonObject is a JSON object whose members keep their order.
type jsonObject []member

// member is a name and a value. A zero time is null.
type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o jsonObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if t, ok := m.value.(time.Time); ok {
			m.value = t.UTC()
			if t.IsZero() {
				m.value = nil
			}
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// decimal is a number that is printed with a fixed count of digits after the point.
type decimal struct {
	value  float64
	digits int
}

// String returns the number.
func (d decimal) String() string { return strconv.FormatFloat(d.value, 'f', d.digits, 64) }

// MarshalJSON returns the number.
func (d decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// nanosecond is a time that is printed with its fraction of a second.
type nanosecond time.Time

// String returns the time.
func (n nanosecond) String() string { return time.Time(n).UTC().Format(time.RFC3339Nano) }

// MarshalJSON returns the time as a string.
func (n nanosecond) MarshalJSON() ([]byte, error) { return json.Marshal(n.String()) }

// table prints rows with a name for each column: a line for each, or an array of objects.
func (f jsonFlag) table(s streams, columns []string, rows [][]any) error {
	if !f.JSON {
		return s.lines(harmlessRows(rows))
	}
	return s.inertJSON(objects(columns, rows))
}

// objects returns an object for each row. It is never nil.
func objects(columns []string, rows [][]any) []jsonObject {
	list := make([]jsonObject, len(rows))
	for i, row := range rows {
		for j, value := range row {
			list[i] = append(list[i], member{columns[j], value})
		}
	}
	return list
}

// record prints names and values: a line for each pair, or one object.
func (f jsonFlag) record(s streams, rows [][]any) error {
	if !f.JSON {
		return s.lines(harmlessRows(rows))
	}
	var o jsonObject
	for _, row := range rows {
		o = append(o, member{row[0].(string), row[1]})
	}
	return s.inertJSON(o)
}

// made prints what a command made: the values on one line, or an object of all members.
func (f jsonFlag) made(s streams, members ...member) error {
	if f.JSON {
		return s.inertJSON(jsonObject(members))
	}
	var values []any
	for _, m := range members {
		values = append(values, m.value)
	}
	return s.lines(harmlessRows([][]any{values}))
}

// harmlessRows returns rows whose texts do nothing to a terminal.
func harmlessRows(rows [][]any) [][]any {
	for _, row := range rows {
		for i, v := range row {
			if text, ok := v.(string); ok {
				row[i] = inert(text)
			}
		}
	}
	return rows
}
