package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// speakMeter shows on a terminal how far speaking has come, when it takes longer than
// a second; elsewhere it shows nothing.
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

// show counts characters that were spoken, with which the audio is so many
// milliseconds long.
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

// end leaves the line.
func (m *speakMeter) end() {
	if m.to != nil && !m.drawn.IsZero() {
		fmt.Fprintln(m.to)
	}
}
