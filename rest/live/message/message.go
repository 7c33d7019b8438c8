// Package message reads the messages that clients send over the sockets of live speech, and
// writes those that they receive, in the native form and in the ElevenLabs dialect.
package message

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/dictionary"
	"vaak/edge"
	"vaak/rest/elevenlabs"
)

// Message is a message of a client, on any of the sockets.
type Message struct {
	Text    *string // nil: none was sent
	Flush   bool
	Trigger bool // speak what waits if it is enough

	Cancel bool           // native: stop at once
	Played *time.Duration // how much of the audio was heard; nil: not said

	Speed        *float64             // of voice_settings
	Schedule     []int                // chunk_length_schedule, clamped
	Dictionaries []dictionary.Locator // that are asked for

	Context      string // context_id, or that of the default context
	Named        bool   // context_id was sent
	CloseContext bool
	CloseSocket  bool
}

// Parser reads a frame; its error is of code invalid_message.
type Parser func([]byte) (Message, error)

// defaultContext is the id of the context of frames that name none.
const defaultContext = "default"

// MaxContextID is how long the id of a context may be, in bytes.
const MaxContextID = 128

// ParseNative reads a message of the native socket.
func ParseNative(data []byte) (f Message, err error) {
	o, err := parseObject(data)
	if err != nil {
		return f, err
	}
	f.Text = o.text("text")
	f.Flush = o.bool("flush")
	f.Cancel = o.bool("cancel")
	f.Played = o.played()
	o.bool("keepalive") // that it came is all it says
	return f, o.err
}

// ParseDialect reads a message of the ElevenLabs dialect.
func ParseDialect(data []byte) (f Message, err error) {
	o, err := parseObject(data)
	if err != nil {
		return f, err
	}
	f.Text = o.text("text")
	f.Flush = o.bool("flush")
	f.Trigger = o.bool("try_trigger_generation")
	f.Speed = o.object("voice_settings").number("speed")
	f.Schedule = o.object("generation_config").schedule()
	if f.Schedule == nil {
		f.Schedule = o.object("generator_config").schedule()
	}
	f.Dictionaries = o.locators()
	f.Context = defaultContext
	if id := o.text("context_id"); id != nil && *id != "" {
		f.Context, f.Named = *id, true
		if len(*id) > MaxContextID {
			o.fail("context_id has %d bytes; at most %d are allowed", len(*id), MaxContextID)
		}
	}
	f.CloseContext = o.bool("close_context")
	f.CloseSocket = o.bool("close_socket")
	f.Played = o.played()
	return f, o.err
}

// object reads the fields of a JSON object that are known, and ignores all
// others. It keeps the first thing that is wrong; then all fields are absent.
type object struct {
	fields map[string]json.RawMessage
	within string // the names of the objects around it, each with a dot
	parent *object
	err    error
}

func parseObject(data []byte) (*object, error) {
	if err := edge.CheckJSON(data); err != nil {
		return nil, Bad("the message%s", strings.TrimPrefix(err.Error(), "the body"))
	}
	o := &object{}
	if err := json.Unmarshal(data, &o.fields); err != nil || o.fields == nil {
		return nil, Bad("the message must be a JSON object, not %s", kindOf(bytes.TrimSpace(data)))
	}
	return o, nil
}

func (o *object) fail(format string, args ...any) {
	if o.parent != nil {
		o.parent.fail(format, args...)
		return
	}
	if o.err == nil {
		o.err = Bad(format, args...)
	}
}

// get returns the value of a field, or nil where it is absent or null.
func (o *object) get(name string) json.RawMessage {
	raw := o.fields[name]
	if len(raw) == 0 || raw[0] == 'n' {
		return nil
	}
	return raw
}

// value reads a field of a type, which want names; nil is absent.
func value[T any](o *object, name, want string) *T {
	raw := o.get(name)
	if raw == nil {
		return nil
	}
	v := new(T)
	if json.Unmarshal(raw, v) != nil {
		o.mistyped(name, want, raw)
		return nil
	}
	return v
}

// mistyped says that a field is of another type than it must be, or a number that no
// program can hold.
func (o *object) mistyped(name, want string, raw []byte) {
	if kind := kindOf(raw); kind != want {
		o.fail("%s%s must be %s, not %s", o.within, name, want, kind)
		return
	}
	o.fail("%s%s %.32s is out of the range of numbers", o.within, name, raw)
}

func (o *object) text(name string) *string { return value[string](o, name, "a string") }

func (o *object) bool(name string) bool {
	v := value[bool](o, name, "true or false")
	return v != nil && *v
}

func (o *object) number(name string) *float64 { return value[float64](o, name, "a number") }

func (o *object) object(name string) *object {
	fields := value[map[string]json.RawMessage](o, name, "an object")
	if fields == nil {
		return &object{parent: o}
	}
	return &object{fields: *fields, within: o.within + name + ".", parent: o}
}

// MaxPlayed is the longest time that is believed to have been heard.
const MaxPlayed = 24 * time.Hour

func (o *object) played() *time.Duration {
	ms := o.number("played_ms")
	if ms == nil {
		return nil
	}
	if *ms < 0 {
		o.fail("played_ms %g is less than 0", *ms)
	}
	return new(time.Duration(min(*ms, float64(MaxPlayed/time.Millisecond)) * float64(time.Millisecond)))
}

// Bounds of chunk_length_schedule, in characters, and of its length.
const (
	MinChunk    = 50
	MaxChunk    = 500
	maxSchedule = 64
)

func (o *object) schedule() []int {
	list := value[[]json.RawMessage](o, "chunk_length_schedule", "a list of numbers")
	if list == nil {
		return nil
	}
	var chunks []int
	for i, raw := range (*list)[:min(len(*list), maxSchedule)] {
		var n float64 // null is the least
		if json.Unmarshal(raw, &n) != nil {
			o.mistyped("chunk_length_schedule."+strconv.Itoa(i), "a number", raw)
			return nil
		}
		chunks = append(chunks, int(math.Round(Clamp(n, MinChunk, MaxChunk))))
	}
	return chunks
}

// locators returns the pronunciation dictionaries that are asked for. Some clients
// send an empty object for none.
func (o *object) locators() []dictionary.Locator {
	var fields map[string]json.RawMessage
	if json.Unmarshal(o.get(elevenlabs.FieldLocators), &fields) == nil && len(fields) == 0 {
		return nil
	}
	list := value[[]json.RawMessage](o, elevenlabs.FieldLocators, "a list of objects")
	if list == nil {
		return nil
	}
	if n := len(*list); n > dictionary.MaxPerRequest {
		o.fail("%s has %d entries; at most %d are allowed", elevenlabs.FieldLocators, n, dictionary.MaxPerRequest)
		return nil
	}
	var all []dictionary.Locator
	for i, raw := range *list {
		all = append(all, o.locator(elevenlabs.FieldLocators+"."+strconv.Itoa(i), raw))
	}
	return all
}

// locator reads an entry of such a list.
func (o *object) locator(name string, raw []byte) dictionary.Locator {
	entry := &object{within: name + ".", parent: o}
	if json.Unmarshal(raw, &entry.fields) != nil || entry.fields == nil {
		o.fail("%s must be an object, not %s", name, kindOf(raw))
	}
	id, version := entry.text("pronunciation_dictionary_id"), entry.text("version_id")
	if id == nil {
		o.fail("%s has no pronunciation_dictionary_id", name)
		return dictionary.Locator{}
	}
	if version == nil {
		version = new(string)
	}
	return dictionary.Locator{ID: *id, Version: *version}
}

func Clamp(v, least, most float64) float64 { return min(max(v, least), most) }

// kindOf says what sort of JSON a value is.
func kindOf(raw []byte) string {
	r, _ := utf8.DecodeRune(raw)
	switch r {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}
