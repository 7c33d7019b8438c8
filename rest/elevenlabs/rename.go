package elevenlabs

import (
	"errors"
	"strings"

	"vaak/internal/fault"
)

// renamed maps the parameters of the services to their names in this dialect.
var renamed = map[string]string{
	"input": "text",
	"voice": "voice_id",
	"lang":  "language_code",
	"speed": "voice_settings.speed",
}

// formatWords maps the parameters that output_format stands for to what a sentence about
// output_format calls them.
var formatWords = map[string]string{
	"response_format": "codec",
	"sample_rate":     "sample rate",
	"bitrate_kbps":    "bit rate",
}

// Rename returns an error of the services in the words of this dialect: its Field names the
// parameter that the caller sent, and so does a sentence that begins with the field. Format is
// the output_format of the request. Rename returns every other error as it is.
func Rename(err error, format string) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	if name, ok := renamed[f.Field]; ok {
		return RenameField(err, name)
	}
	if word, ok := formatWords[f.Field]; ok {
		if format == "" {
			format = DefaultFormat
		}
		return renameTo(f, FieldFormat, FieldFormat+" "+format+" cannot be had: "+replaceWord(f.Msg, f.Field, word))
	}
	return err
}

// RenameField returns a copy of an error about a parameter that names another parameter.
func RenameField(err error, name string) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return renameTo(f, name, replaceWord(f.Msg, f.Field, name))
	}
	return err
}

// Within returns an error about a field of an object or list as one about a
// parameter of the request: "voice_settings" and "speed" make
// "voice_settings.speed".
func Within(parent string, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	if f.Field == "" {
		return renameTo(f, parent, f.Msg)
	}
	return RenameField(err, parent+"."+f.Field)
}

func renameTo(f *fault.Error, field, msg string) error {
	// A copy, because services return faults that they share.
	c := *f
	c.Field, c.Msg = field, msg
	return &c
}

// replaceWord replaces the first word of a sentence if it is old.
func replaceWord(msg, old, word string) string {
	if rest, ok := strings.CutPrefix(msg, old+" "); ok {
		return word + " " + rest
	}
	return msg
}
