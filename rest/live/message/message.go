// Package message reads the messages that clients send over the sockets of live speech, and
// writes those that they receive, in the native form and in the ElevenLabs dialect.
package message

import (
	"maps"
	"math"
	"time"

	"vaak/dictionary"
	"vaak/internal/document"
	"vaak/rest/elevenlabs"
)

// Message is a message of a client, on any of the sockets.
type Message struct {
	Text    *string // nil: none was sent
	Flush   bool
	Trigger bool // speak the text that waits, if it is enough

	Cancel bool           // native: stop at once
	Played *time.Duration // how much of the audio the listener has heard; nil where it is not said

	Speed        *float64             // of voice_settings
	Schedule     []int                // chunk_length_schedule, clamped
	Dictionaries []dictionary.Locator // the dictionaries to apply

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
	o.bool("keepalive") // only its type is checked: every message keeps the session open
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
	// Clients use either name.
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

// object holds the members of an object. A member that is null counts as absent, and members
// that nobody asks for are ignored. It remembers the first thing that is wrong, which makes the
// message one that is refused.
type object struct {
	members map[string]document.Value
	parent  *object
	err     error
}

func parseObject(data []byte) (*object, error) {
	if err := document.Check("the message", data); err != nil {
		return nil, Bad("%s", err.Error())
	}
	v := document.Of(data)
	if v.Kind() != document.Object {
		return nil, Bad("the message must be a JSON object, not %s", kindOf(v))
	}
	return &object{members: maps.Collect(v.Members())}, nil
}

func (o *object) fail(format string, args ...any) {
	// The first error of the whole message, not of each object in it, is the one that is told.
	if o.parent != nil {
		o.parent.fail(format, args...)
		return
	}
	if o.err == nil {
		o.err = Bad(format, args...)
	}
}

// get returns a member of a kind, which want names; ok is false where it is absent or null.
func (o *object) get(name string, kind document.Kind, want string) (v document.Value, ok bool) {
	v = o.members[name]
	if !v.Sent() {
		return v, false
	}
	if v.Kind() != kind {
		o.mistyped(v, want)
		return v, false
	}
	return v, true
}

// mistyped says that a value must be something else.
func (o *object) mistyped(v document.Value, want string) {
	o.fail("%s must be %s, not %s", v.Name, want, kindOf(v))
}

// float returns a number; ok is false for one that no program can hold, which is refused.
func (o *object) float(v document.Value) (x float64, ok bool) {
	if x, ok = v.Float(); !ok {
		o.fail("%s %.32s is out of the range of numbers", v.Name, v.Raw())
	}
	return x, ok
}

func (o *object) text(name string) *string {
	v, ok := o.get(name, document.String, "a string")
	if !ok {
		return nil
	}
	return new(v.Text())
}

func (o *object) bool(name string) bool {
	v, ok := o.get(name, document.Boolean, "true or false")
	return ok && v.Bool()
}

func (o *object) number(name string) *float64 {
	v, ok := o.get(name, document.Number, "a number")
	if !ok {
		return nil
	}
	x, ok := o.float(v)
	if !ok {
		return nil
	}
	return &x
}

// object returns a member that is an object; one without members where it is absent.
func (o *object) object(name string) *object {
	v, _ := o.get(name, document.Object, "an object")
	return &object{members: maps.Collect(v.Members()), parent: o}
}

// MaxPlayed is the longest time that played_ms may say; a longer one is clamped.
const MaxPlayed = 24 * time.Hour

func (o *object) played() *time.Duration {
	ms := o.number("played_ms")
	if ms == nil {
		return nil
	}
	if *ms < 0 {
		o.fail("played_ms %g is less than 0", *ms)
	}
	// Clamped before the conversion, because a larger float does not fit into an int64.
	return new(time.Duration(min(*ms, float64(MaxPlayed/time.Millisecond)) * float64(time.Millisecond)))
}

// Bounds of chunk_length_schedule, in characters, and of its length.
const (
	MinChunk    = 50
	MaxChunk    = 500
	maxSchedule = 64
)

func (o *object) schedule() []int {
	list, ok := o.get("chunk_length_schedule", document.Array, "a list of numbers")
	if !ok {
		return nil
	}
	var chunks []int
	for i, v := range list.Entries() {
		// Entries beyond it are dropped, which bounds what a message makes the server keep.
		if i == maxSchedule {
			break
		}
		var n float64
		if v.Sent() { // null is 0, which is clamped to the least
			if v.Kind() != document.Number {
				o.mistyped(v, "a number")
				return nil
			}
			if n, ok = o.float(v); !ok {
				return nil
			}
		}
		chunks = append(chunks, int(math.Round(Clamp(n, MinChunk, MaxChunk))))
	}
	return chunks
}

// locators returns the pronunciation dictionaries that are asked for. Some clients
// send an empty object for none.
func (o *object) locators() []dictionary.Locator {
	if o.members[elevenlabs.FieldLocators].IsEmptyObject() {
		return nil
	}
	list, ok := o.get(elevenlabs.FieldLocators, document.Array, "a list of objects")
	if !ok {
		return nil
	}
	entries := list.Entries()
	if n := len(entries); n > dictionary.MaxPerRequest {
		o.fail("%s has %d entries; at most %d are allowed", elevenlabs.FieldLocators, n, dictionary.MaxPerRequest)
		return nil
	}
	var all []dictionary.Locator
	for _, v := range entries {
		all = append(all, o.locator(v))
	}
	return all
}

// locator reads an entry of such a list.
func (o *object) locator(v document.Value) dictionary.Locator {
	if v.Kind() != document.Object {
		o.mistyped(v, "an object")
		return dictionary.Locator{}
	}
	entry := &object{members: maps.Collect(v.Members()), parent: o}
	id, version := entry.text(elevenlabs.FieldDictionary), entry.text(elevenlabs.FieldVersion)
	if id == nil {
		o.fail("%s has no %s", v.Name, elevenlabs.FieldDictionary)
		return dictionary.Locator{}
	}
	if version == nil {
		version = new(string)
	}
	return dictionary.Locator{ID: *id, Version: *version}
}

// Clamp returns v, moved into the range from least to most.
func Clamp(v, least, most float64) float64 { return min(max(v, least), most) }

// kindOf names the sort of a value in the words that messages of sockets use.
func kindOf(v document.Value) string {
	switch kind := v.Kind(); kind {
	case document.Array:
		return "a list"
	case document.Boolean:
		return "true or false"
	default:
		return string(kind)
	}
}
