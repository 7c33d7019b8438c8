package recording_test

import (
	"errors"
	"testing"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
	"vaak/internal/fault"
)

func TestMissingLibrary(t *testing.T) {
	t.Parallel()
	decodetest.WantFault(t, "missing", recording.MissingLibrary(errors.New("cannot open"), "MP3", "libmpg123-0"), fault.Unavailable,
		"MP3 cannot be read on this machine: install the package libmpg123-0")
}
