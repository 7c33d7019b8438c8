package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vaak/catalogue/measure"
)

// meter shows the progress of measuring on a terminal. Elsewhere it shows nothing.
type meter struct {
	to    io.Writer // nil: no terminal
	began time.Time
	drawn time.Time
}

func newMeter(w io.Writer) *meter {
	m := &meter{began: time.Now()}
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		m.to = f
	}
	return m
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// barWidth is the width of the bar in characters. The meters draw at most once in redraw.
const (
	barWidth = 30
	redraw   = 100 * time.Millisecond
)

func (m *meter) show(p measure.Progress) {
	done := p.Done
	if p.Compared > 0 {
		done = p.Compared
	}
	if m.to == nil || p.Of == 0 || time.Since(m.drawn) < redraw && done < p.Of {
		return
	}
	m.drawn = time.Now()
	full := barWidth * done / p.Of
	line := fmt.Sprintf("%s%s %d of %d files", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), done, p.Of)
	took := time.Since(m.began)
	if p.Compared > 0 {
		line += " compared with each other"
	} else {
		line += fmt.Sprintf(", %.1f h of audio, %.0f times as fast as it plays", p.AudioS/3600, p.AudioS/max(took.Seconds(), 0.001))
	}
	if p.Done > 0 && p.Done < p.Of {
		// The files that are left take as long, on average, as those that are done.
		line += ", " + (took * time.Duration(p.Of-p.Done) / time.Duration(p.Done)).Round(time.Second).String() + " to go"
	}
	// Carriage return, then ECMA-48 EL: the line is erased before it is written anew, as
	// the new one may be shorter.
	fmt.Fprintf(m.to, "\r\x1b[K%s", line)
}

// end moves on from the line of the meter, so that what follows has a line of its own.
func (m *meter) end() {
	if m.to != nil && !m.drawn.IsZero() {
		fmt.Fprintln(m.to)
	}
}
