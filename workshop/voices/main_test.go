package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"--nothing", "x", "--language xx", "--language eo", "--write --language hi timbres", "--write", "--write timbres accents"} {
		if o, err := parseOptions(strings.Fields(bad), new(bytes.Buffer)); err == nil {
			t.Errorf("%q is taken as %+v", bad, o)
		}
	}
	o, err := parseOptions([]string{"--language", "hi", "--choose"}, new(bytes.Buffer))
	if err != nil || o.Language != "hi" || !o.Choose || o.Write {
		t.Errorf("options %+v, %v", o, err)
	}
	if o, err := parseOptions([]string{"--write", "accents"}, new(bytes.Buffer)); err != nil || !o.Write || !slices.Equal(o.parts, []string{"accents"}) {
		t.Errorf("options %+v, %v", o, err)
	}
	var help bytes.Buffer
	if err := run(context.Background(), []string{"--help"}, new(bytes.Buffer), &help); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
	for _, want := range []string{"-worker", "-texts", "-language", "-choose", "-write", "status 1", "timbres", "phonemes", "accents"} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("--help lacks %q:\n%s", want, help.String())
		}
	}
}
