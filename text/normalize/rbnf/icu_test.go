package rbnf

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"

	"vaak/internal/dylib"
	"vaak/internal/needed"
)

const (
	icuRuleBased      = 9 // UNUM_PATTERN_RULEBASED of unum.h
	icuDefaultRuleSet = 6 // UNUM_DEFAULT_RULESET
)

// icu is ICU's own interpreter of the rules, the one that all others follow.
type icu struct {
	open          func(style int32, pattern *uint16, length int32, locale *byte, parseError *[80]byte, status *int32) uintptr
	setText       func(format uintptr, tag int32, value *uint16, length int32, status *int32)
	formatInt64   func(format uintptr, number int64, result *uint16, size int32, position uintptr, status *int32) int32
	formatDecimal func(format uintptr, number *byte, length int32, result *uint16, size int32, position uintptr, status *int32) int32
	close         func(format uintptr)
}

// openICU loads the library, whose functions bear its version in their names.
func openICU(t testing.TB) *icu {
	t.Helper()
	for version := 90; version >= 60; version-- {
		lib, err := dylib.Open(fmt.Sprintf("libicui18n.so.%d", version))
		if err != nil {
			continue
		}
		var c icu
		for name, fn := range map[string]any{
			"unum_open": &c.open, "unum_setTextAttribute": &c.setText, "unum_formatInt64": &c.formatInt64,
			"unum_formatDecimal": &c.formatDecimal, "unum_close": &c.close,
		} {
			if err := lib.Bind(fn, fmt.Sprintf("%s_%d", name, version)); err != nil {
				t.Fatal(err)
			}
		}
		return &c
	}
	needed.Missing(t, "there is no ICU; tools/install test brings libicu-dev")
	return nil
}

// icuFormat is a set of rules in ICU. It is for one goroutine.
type icuFormat struct {
	icu    *icu
	handle uintptr
	result [2048]uint16
}

// parse gives rules to ICU.
func (c *icu) parse(t testing.TB, rules, locale string) *icuFormat {
	t.Helper()
	text := utf16.Encode([]rune(strings.NewReplacer("→", ">", "←", "<").Replace(rules)))
	name := append([]byte(locale), 0)
	var parseError [80]byte
	var status int32
	h := c.open(icuRuleBased, &text[0], int32(len(text)), &name[0], &parseError, &status)
	if status > 0 {
		t.Fatalf("ICU takes the rules of %s for wrong: status %d", locale, status)
	}
	t.Cleanup(func() { c.close(h) })
	return &icuFormat{icu: c, handle: h}
}

func (f *icuFormat) use(t testing.TB, set string) {
	t.Helper()
	name := utf16.Encode([]rune("%" + set))
	var status int32
	f.icu.setText(f.handle, icuDefaultRuleSet, &name[0], int32(len(name)), &status)
	if status > 0 {
		t.Fatalf("ICU has no set %s: status %d", set, status)
	}
}

// format returns what ICU says, and not ok when that is not of words alone.
func (f *icuFormat) format(number string) (words string, ok bool) {
	var status, n int32
	if whole, err := strconv.ParseInt(number, 10, 64); err == nil {
		n = f.icu.formatInt64(f.handle, whole, &f.result[0], int32(len(f.result)), 0, &status)
	} else {
		text := []byte(number)
		n = f.icu.formatDecimal(f.handle, &text[0], int32(len(text)), &f.result[0], int32(len(f.result)), 0, &status)
		runtime.KeepAlive(text)
	}
	if status > 0 || int(n) > len(f.result) {
		return "", false
	}
	words = string(utf16.Decode(f.result[:n]))
	words = norm.NFC.String(strings.ReplaceAll(words, "\u00ad", ""))
	if strings.ContainsFunc(words, unicode.IsDigit) {
		return "", false
	}
	return words, true
}
