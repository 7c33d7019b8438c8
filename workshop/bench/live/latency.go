package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
	"vaak/workshop/bench/speech"
)

// occasion is a moment at which a session has to begin to speak.
type occasion struct {
	name    string
	path    string
	context string // of the messages, on a socket of many
	dialect bool
	// decides returns the token that decides it, by the text alone.
	decides func(dictation) int
	flush   bool // a flush behind that token decides it
	// speaks returns what is to be spoken first.
	speaks func(dictation, int) string
	limit  time.Duration // of the median

	early              int // how often audio came before the rule demands it
	bare, naive, voice report.Rounds
}

// Limits of the medians.
const (
	eagerLimit    = 8 * time.Millisecond
	sentenceLimit = 5 * time.Millisecond
)

// The texts that are measured: how many words their sentences have at most, and
// they have at least.
const (
	longestMeasured = 20
	wordsMeasured   = 60
)

// occasions are what is measured, one row each.
func occasions() []*occasion {
	single, multi := socketPath(singleSocket, "auto_mode", "true"), socketPath(multiSocket, "auto_mode", "true")
	return []*occasion{
		{name: "native, eager: the 6th word is complete", path: socketPath(nativeSocket, "mode", string(eagerly)),
			decides: wordsComplete(chunkWords + peekWords), speaks: firstWords, limit: eagerLimit},
		{name: "native, sentence: the next one begins", path: socketPath(nativeSocket),
			decides: sentenceOver, speaks: firstSentence, limit: sentenceLimit},
		{name: "native, sentence: flush", path: socketPath(nativeSocket),
			decides: sentenceWritten, flush: true, speaks: dictation.said, limit: sentenceLimit},
		{name: "stream-input: 120 characters", path: socketPath(singleSocket), dialect: true,
			decides: charactersCome(120), speaks: dictation.said, limit: eagerLimit},
		{name: "stream-input, auto_mode: a phrase ends", path: single, dialect: true,
			decides: phraseWritten, speaks: dictation.said, limit: sentenceLimit},
		{name: "multi-stream-input, auto_mode: a phrase ends", path: multi, dialect: true, context: "a",
			decides: phraseWritten, speaks: dictation.said, limit: sentenceLimit},
		{name: "multi-stream-input: flush", path: socketPath(multiSocket), dialect: true, context: "a",
			decides: sentenceWritten, flush: true, speaks: dictation.said, limit: sentenceLimit},
	}
}

// The rules of what decides. The sentences that are measured have at least as
// many words as eager mode waits for.

func wordsComplete(n int) func(dictation) int {
	return func(f dictation) int { return f.decider(func(t tally) bool { return t.complete >= n }) }
}

func charactersCome(n int) func(dictation) int {
	return func(f dictation) int { return f.decider(func(t tally) bool { return t.characters >= n }) }
}

func sentenceOver(f dictation) int { return f.decider(func(t tally) bool { return t.ended > 0 }) }

func sentenceWritten(f dictation) int {
	return f.decider(func(t tally) bool { return strings.ContainsRune(".!?", t.last) })
}

func phraseWritten(f dictation) int {
	return f.decider(func(t tally) bool { return strings.ContainsRune(",;:.!?", t.last) })
}

func firstWords(f dictation, token int) string {
	words := strings.Fields(f.said(token))
	return strings.Join(words[:min(chunkWords, len(words))], " ")
}

func firstSentence(f dictation, _ int) string { return f.said(sentenceWritten(f)) }

// Latency measures the time from the token that decides that something is to
// be spoken until the first audio of it.
func Latency(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	list, err := sentences()
	if err != nil {
		return nil, err
	}
	list = ofWords(list, chunkWords+peekWords+1, longestMeasured)
	all := occasions()
	naive := &speech.Prober{S: b.Naive, Rest: b.Plan.Rest}
	defer naive.Close()
	for range b.Plan.Rounds {
		for _, o := range all {
			if err := o.round(ctx, b, list, naive); err != nil {
				return nil, fmt.Errorf("%s: %w", o.name, err)
			}
		}
	}
	return liveLatencyParts(b, all), nil
}

// round measures the library alone, then both servers in turn, with a text that
// begins with another sentence each time.
func (o *occasion) round(ctx context.Context, b *rig.Bench, list []sentence, naive *speech.Prober) error {
	var bare, slow, fast []time.Duration
	for i := range b.Plan.LiveRequests {
		f := newDictation(list, i, wordsMeasured)
		token := o.decides(f)
		if token < 0 {
			return errors.New("the text holds no such moment")
		}
		text := o.speaks(f, token)
		t := corpus.Sample{Lang: corpus.English, Size: len([]rune(text)), Text: text}
		s, err := b.Library.Speak(ctx, t, 1, true, "")
		if err != nil {
			return err
		}
		bare = append(bare, s.Repetitions[0].First)
		d, err := naive.Probe(t)
		if err != nil {
			return err
		}
		slow = append(slow, d)
		server.Nap(b.Plan.Rest)
		if d, err = o.once(ctx, b.Vaak, f, token); err != nil {
			return err
		}
		fast = append(fast, d)
	}
	o.bare, o.naive, o.voice = append(o.bare, bare), append(o.naive, slow), append(o.voice, fast)
	return nil
}

// once feeds a session until its first audio.
func (o *occasion) once(ctx context.Context, s *server.Server, f dictation, token int) (time.Duration, error) {
	p := newTalk(f, eagerly, 0)
	// The mode is that of the path, and matters only to who counts underruns.
	p.path, p.dialect, p.context = o.path, o.dialect, o.context
	if o.flush {
		p.flush = token
	}
	if err := p.open(s, &net.Dialer{}); err != nil {
		return 0, err
	}
	listening, leave := context.WithTimeout(ctx, server.Patience)
	defer leave()
	ended := make(chan error, 1)
	go func() { ended <- p.attend(listening) }()
	select {
	case <-p.first:
	case err := <-ended:
		return 0, errors.Join(errors.New("no audio came"), ctx.Err(), err)
	}
	d, early := p.delay(token)
	if early {
		o.early++
	}
	leave()
	return d, errors.Join(<-ended, s.WaitIdle())
}

func liveLatencyParts(b *rig.Bench, all []*occasion) []report.Part {
	t := &report.Table{Header: []string{"socket, what decides", "bare p50", "naive p50", "naive p99", "Vaak p50", "Vaak p99", "earlier than the rule"}}
	for _, o := range all {
		t.Add(o.name, report.Millis(o.bare.P50()), report.Millis(o.naive.P50()), report.Millis(o.naive.P99()),
			report.Millis(o.voice.P50()), report.Millis(o.voice.P99()), fmt.Sprint(o.early))
		report.AtMost(&b.Report, "Live, "+o.name+": first audio p50", o.voice.P50(), o.limit, report.Millis)
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("A committed stream of word pieces (`workshop/bench/corpus/en-tokens.txt`) is sent over a WebSocket at %d tokens a second, a message each. "+
			"The time is from the sending of the token, or flush, that decides that something is to be spoken until the first frame of audio has come whole (pcm at 24 kHz), %d sessions for every figure, one at a time. "+
			"Which token that is follows from the text alone: a word is complete when white space follows it, a sentence is over when the next begins with a capital letter behind white space, "+
			"and with `auto_mode` a phrase ends with its mark.", tokensPerSecond, all[0].voice.Count())),
		report.Prose("Beside it the bare library, from the call to the first samples of the same text, in a process that is initialised; and what one would write first, who waits for the same words and then " +
			"asks the naive server for them on a kept-alive connection: each chunk with a prosody of its own, and without what follows."),
		t,
	}
}
