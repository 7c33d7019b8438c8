package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// speakMeter shows on a terminal how much has been spoken, once that takes longer than a
// second. Elsewhere it shows nothing.
type speakMeter struct {
	to         io.Writer // nil: no terminal
	began      time.Time
	drawn      time.Time
	characters int
}

func newSpeakMeter(w io.Writer) *speakMeter {
	m := &speakMeter{began: time.Now()}
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		m.to = f
	}
	return m
}

// show adds characters that were spoken. The audio is ms milliseconds long with them.
func (m *speakMeter) show(characters, ms int) {
	m.characters += characters
	now := time.Now()
	if m.to == nil || now.Sub(m.began) < time.Second || now.Sub(m.drawn) < redraw {
		return
	}
	m.drawn = now
	audio := time.Duration(ms) * time.Millisecond
	fmt.Fprintf(m.to, "\r\x1b[K%d characters spoken, %s of audio, %.0f times as fast as it plays",
		m.characters, audio.Round(time.Second), audio.Seconds()/now.Sub(m.began).Seconds())
}

// end moves on from the line of the meter, so that what follows has a line of its own.
func (m *speakMeter) end() {
	if m.to != nil && !m.drawn.IsZero() {
		fmt.Fprintln(m.to)
	}
}
