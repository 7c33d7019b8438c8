package speech

import (
	"fmt"
	"slices"

	"vaak/engine"
	"vaak/voice"
)

// origin notes in an [Info] who speaks an answer. Only an engine that hands work on tells more than
// the speaker of each utterance does, and it tells it with the audio.
type origin struct {
	info    *Info
	voices  *voice.Directory
	speaker speaker       // of the utterance being said
	heard   bool          // there was audio
	last    engine.Origin // of the audio so far
	// replaced means that the engine let another voice speak than it was asked for.
	replaced bool
}

// note notes who made a frame of the utterance.
func (o *origin) note(by engine.Origin) {
	if o.heard && by == o.last {
		return
	}
	if !o.heard {
		o.info.Engine = o.speaker.made(by)
	}
	o.heard, o.last = true, by
	if by.Voice == "" || by.Voice == o.speaker.voice.ID {
		return
	}
	o.replaced = true
	if o.info.Fallback == "" {
		o.info.Fallback = by.Voice
	}
	v, _ := o.voices.ByID(by.Voice)
	notice := cannotSpeak(o.speaker.voice.ID, "cannot be used now", by.Voice, v.Name)
	if !slices.Contains(o.info.Notices, notice) {
		o.info.Notices = append(slices.Clip(o.info.Notices), notice)
	}
}

// made returns the name of the engine that made a frame for the speaker, with the place where that
// is not the engine itself.
func (s speaker) made(by engine.Origin) string {
	switch {
	case by.Engine != "":
		return by.Engine
	case by.Place != "":
		return s.engine.Name() + "/" + by.Place
	}
	return s.engine.Name()
}

// cannotSpeak tells that another voice speaks instead of one, and why.
func cannotSpeak(id voice.ID, why string, instead voice.ID, name string) string {
	if name == "" {
		return fmt.Sprintf("voice %s %s; %s speaks instead", id, why, instead)
	}
	return fmt.Sprintf("voice %s %s; %s (%s) speaks instead", id, why, instead, name)
}
