package enginetest_test

import (
	"testing"

	"vaak/engine/enginetest"
)

func TestTone(t *testing.T) { enginetest.Run(t, enginetest.Tone{}, nil) }
