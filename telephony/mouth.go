package telephony

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/internal/pause"
	"vaak/telephony/agent"
	"vaak/telephony/line"
	"vaak/telephony/live"
	"vaak/telephony/pace"
)

// mouth says the turns of an agent in one call. A turn is a list of phrases; a phrase is one
// utterance on the speech server and one track of the player. A mark ends a phrase, since only
// the end of an utterance has an exact place in the audio.
type mouth struct {
	client *live.Client
	player *pace.Player
	format line.Format
	tell   func(agent.Event)   // an event for the agent
	idle   func()              // there is nothing left to say
	failed func(error)         // a phrase could not be spoken
	first  func(time.Duration) // from the first token of a phrase to its first audio

	mu       sync.Mutex
	settings live.Settings
	turns    int
	turn     *turn     // takes text; nil before the first text of a turn
	queue    []*phrase // that were not begun
	active   *phrase   // that is spoken now
	playing  []*phrase // whose audio is complete and not heard to the end
	marks    map[string]func()
	lastMark int
	waiting  int  // characters that were not sent
	dropping bool // text belongs to a turn that the caller has interrupted

	wake chan struct{}
}

// turn is what an agent says until it ends its turn.
type turn struct {
	number  int
	phrases []*phrase
	ended   bool
	cut     bool // its report was sent
}

// phrase is a part of a turn. mouth.mu guards all but the constant turn and settings.
type phrase struct {
	turn     *turn
	settings live.Settings
	began    time.Time // when its first text came
	text     strings.Builder
	pending  []string // text that was not sent
	flush    bool     // is to be sent
	ended    bool     // no more text comes
	marks    []string // of the agent, behind the phrase
	track    *pace.Track
	heard    bool   // to the end
	cut      *cut   // it was cleared
	spoken   string // was heard, as the server says
	exact    bool   // it has said so
	changed  chan struct{}
}

// cut is what one clear has cleared.
type cut struct{ turns []*turn }

// Limits of what an agent may have waiting, and of retries.
const (
	maxWaiting = 100_000 // characters
	dialTries  = 3
	answerWait = time.Second // for the answer to a cancel
	// endMargin is how much audio is left when the server is told that no text follows. Until
	// then the utterance is open, and the server can say exactly what was heard of it.
	endMargin = 300 * time.Millisecond
)

func (m *mouth) stir() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// stir tells the phrase that it has changed.
func (p *phrase) stir() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// open returns the phrase that takes text; nil if there is none.
func (m *mouth) open() *phrase {
	last := m.active
	if n := len(m.queue); n > 0 {
		last = m.queue[n-1]
	}
	if last == nil || last.ended || last.cut != nil {
		return nil
	}
	return last
}

// say adds text. It reports whether there is room for it.
func (m *mouth) say(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dropping || text == "" {
		return true
	}
	n := utf8.RuneCountInString(text)
	if m.waiting+n > maxWaiting {
		return false
	}
	p := m.open()
	if p == nil {
		if strings.TrimSpace(text) == "" {
			return true // nothing to say yet
		}
		if m.turn == nil {
			m.turns++
			m.turn = &turn{number: m.turns}
		}
		p = &phrase{turn: m.turn, settings: m.settings, began: time.Now(), changed: make(chan struct{}, 1)}
		m.turn.phrases = append(m.turn.phrases, p)
		m.queue = append(m.queue, p)
		m.stir()
	}
	p.text.WriteString(text)
	p.pending = append(p.pending, text)
	m.waiting += n
	p.stir()
	return true
}

// flush has all text spoken that has come.
func (m *mouth) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.open(); p != nil {
		p.flush = true
		p.stir()
	}
}

// endPhrase ends the phrase that takes text; m.mu is held.
func (m *mouth) endPhrase() {
	if p := m.open(); p != nil {
		p.ended = true
		p.stir()
	}
}

// end ends the turn.
func (m *mouth) end() {
	m.mu.Lock()
	m.dropping = false
	m.endPhrase()
	t := m.turn
	m.turn = nil
	if t != nil {
		t.ended = true
	}
	m.mu.Unlock()
	m.report(t)
}

// mark puts a mark behind all text that has come.
func (m *mouth) mark(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dropping {
		return
	}
	last := m.open()
	if last == nil && len(m.queue) > 0 {
		last = m.queue[len(m.queue)-1]
	} else if last == nil && m.active != nil && m.active.cut == nil {
		last = m.active
	}
	if last == nil {
		m.putMark(func() { m.tell(agent.Event{Type: "mark", Name: name}) })
		return
	}
	last.ended = true
	last.marks = append(last.marks, name)
	last.stir()
}

// putMark has the player call a function when all that was written is heard; m.mu is held.
func (m *mouth) putMark(reached func()) {
	m.lastMark++
	name := "vaak-" + strconv.Itoa(m.lastMark)
	m.marks[name] = reached
	m.player.Mark(name)
}

// reached calls the function of a mark.
func (m *mouth) reached(name string) {
	m.mu.Lock()
	f := m.marks[name]
	m.mu.Unlock()
	if f == nil {
		return
	}
	f()
	// Only now, because a call that is not busy may end, and the agent is to know of the mark.
	m.mu.Lock()
	delete(m.marks, name)
	m.mu.Unlock()
	m.idle()
}

// set changes how the phrases after those that have text are spoken.
func (m *mouth) set(change func(*live.Settings)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.settings)
	m.endPhrase()
	m.stir() // an utterance that was opened before has other settings
}

// busy reports whether there is something to say, or to be heard.
func (m *mouth) busy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.active != nil || len(m.queue)+len(m.playing)+len(m.marks) > 0
}

// clear stops all speech at once and drops what was not heard. If the caller has interrupted, the
// remainder of the open turn is dropped too, until the agent ends it: the agent may have sent
// more of it before it knew. It tells whether anything was cleared before the agent gets a report
// of it.
func (m *mouth) clear(byCaller bool, tell func(interrupted bool)) error {
	m.mu.Lock()
	active, was := m.active, m.active != nil || len(m.queue)+len(m.playing) > 0
	c := &cut{}
	if active != nil && active.cut != nil {
		c = active.cut // which is not reported yet
	}
	for _, p := range m.playing {
		c.add(p)
	}
	if active != nil && active.cut == nil {
		c.add(active)
	}
	for _, p := range m.queue {
		c.add(p)
	}
	m.dropping = byCaller && (m.turn != nil || m.dropping)
	if m.turn != nil {
		m.turn.ended = true
	}
	m.turn, m.queue, m.playing, m.waiting = nil, nil, nil, 0
	if !was {
		tell(false)
		m.mu.Unlock()
		return nil
	}
	clear(m.marks)
	// Under the lock, so that no phrase begins before: its audio would be cleared too.
	err := m.player.Clear()
	tell(true)
	m.mu.Unlock()
	if active != nil {
		active.stir() // it reports when it has the answer of the server
	} else {
		m.reportCut(c)
	}
	return err
}

// add notes that a phrase was cleared.
func (c *cut) add(p *phrase) {
	p.cut = c
	p.ended = true
	if n := len(c.turns); n == 0 || c.turns[n-1] != p.turn {
		c.turns = append(c.turns, p.turn)
	}
}

// report tells the agent that a turn was heard to the end, if it was.
func (m *mouth) report(t *turn) {
	m.mu.Lock()
	if t == nil || !t.ended || t.cut {
		m.mu.Unlock()
		return
	}
	s := &agent.Spoken{Turn: t.number}
	for _, p := range t.phrases {
		if !p.heard || p.cut != nil {
			m.mu.Unlock()
			return
		}
		s.Text += p.text.String()
		s.AudioMS += p.audio().Milliseconds()
	}
	t.cut = true
	m.mu.Unlock()
	m.tell(agent.Event{Type: "spoken", Spoken: s})
}

// audio returns how much audio of a phrase was heard.
func (p *phrase) audio() time.Duration {
	if p.track == nil {
		return 0
	}
	if p.heard { // the clock of a provider that says so itself may be ahead of ours
		return p.track.Written()
	}
	return p.track.Heard()
}

// reportCut tells the agent how far the turns that were cleared were heard.
func (m *mouth) reportCut(c *cut) {
	for _, t := range c.turns {
		m.mu.Lock()
		s := &agent.Spoken{Turn: t.number, Interrupted: true}
		for _, p := range t.phrases {
			spoken, rest := p.heardText()
			s.Text += spoken
			s.Remaining += rest
			s.AudioMS += p.audio().Milliseconds()
			s.Estimated = s.Estimated || !p.exact && !p.heard && spoken != "" && rest != ""
		}
		t.cut = true
		m.mu.Unlock()
		m.tell(agent.Event{Type: "spoken", Spoken: s})
	}
	m.idle()
}

// heardText returns which part of the text was heard. Without an answer of the server it is
// estimated by the share of the audio.
func (p *phrase) heardText() (spoken, rest string) {
	text := p.text.String()
	switch {
	case p.heard:
		return text, ""
	case p.exact:
		// Text that the server had not got when it was cancelled remains too.
		return p.spoken, strings.TrimPrefix(text, p.spoken)
	case p.track == nil || p.track.Written() == 0:
		return "", text
	}
	return share(text, float64(p.track.Heard())/float64(p.track.Written()))
}

// share cuts a text after this share of its characters, at the end of a word.
func share(text string, part float64) (head, tail string) {
	if part >= 1 {
		return text, ""
	}
	runes := []rune(text)
	n := int(part * float64(len(runes)))
	for n > 0 && !unicode.IsSpace(runes[n]) {
		n--
	}
	return string(runes[:n]), string(runes[n:])
}

// run says phrases, one after the other, until the context ends. It keeps an utterance open for
// the next phrase, so that the first words need no handshake.
func (m *mouth) run(ctx context.Context) {
	var s spare
	defer s.drop()
	keep := time.NewTicker(live.Idle / 3)
	defer keep.Stop()
	for ctx.Err() == nil {
		m.mu.Lock()
		settings := m.settings
		if len(m.queue) > 0 {
			m.active, m.queue = m.queue[0], m.queue[1:]
		}
		p := m.active
		m.mu.Unlock()
		if p != nil {
			m.finish(p, m.speak(ctx, p, &s))
			continue
		}
		// A server that cannot be reached is asked again when there is something to say.
		_ = s.open(ctx, m.client, settings)
		select {
		case <-m.wake:
		case <-keep.C:
			if s.u != nil && s.u.KeepAlive() != nil {
				s.drop()
			}
		case <-ctx.Done():
		}
	}
}

// spare is an utterance that was opened ahead.
type spare struct {
	u        *live.Utterance
	settings live.Settings
}

// open opens an utterance, unless there is one with these settings.
func (s *spare) open(ctx context.Context, c *live.Client, settings live.Settings) (err error) {
	if s.u != nil && s.settings == settings {
		return nil
	}
	s.drop()
	s.settings = settings
	s.u, err = c.Open(ctx, settings)
	return err
}

func (s *spare) drop() {
	if s.u != nil {
		_ = s.u.Close() // nothing was said on it
		s.u = nil
	}
}

// finish notes that a phrase is complete, was cleared, or has failed.
func (m *mouth) finish(p *phrase, err error) {
	m.mu.Lock()
	m.active = nil
	c := p.cut
	if c == nil && err != nil {
		// What was spoken is heard; the remainder cannot be.
		c = &cut{}
		c.add(p)
		if m.turn == p.turn { // its further text makes no sense without this one
			m.turn.ended, m.turn, m.dropping = true, nil, true
		}
		m.queue = keepOthers(m.queue, p.turn)
	}
	if c == nil {
		m.playing = append(m.playing, p)
		m.putMark(func() { m.played(p) })
		for _, name := range p.marks {
			m.putMark(func() { m.tell(agent.Event{Type: "mark", Name: name}) })
		}
	}
	m.mu.Unlock()
	if c != nil {
		m.reportCut(c)
	}
	if err != nil {
		m.failed(err)
	}
}

func keepOthers(queue []*phrase, t *turn) []*phrase {
	var others []*phrase
	for _, p := range queue {
		if p.turn != t {
			others = append(others, p)
		}
	}
	return others
}

// played notes that a phrase was heard to the end.
func (m *mouth) played(p *phrase) {
	m.mu.Lock()
	p.heard = true
	for i, other := range m.playing {
		if other == p {
			m.playing = append(m.playing[:i:i], m.playing[i+1:]...)
			break
		}
	}
	m.mu.Unlock()
	m.report(p.turn)
}

// errLost is that the server was lost before it said anything of a phrase.
var errLost = errors.New("the speech server was lost")

// speak says a phrase until all of its audio is with the player. A server that is lost before any
// audio came is tried again.
func (m *mouth) speak(ctx context.Context, p *phrase, s *spare) (err error) {
	for try := range dialTries {
		if try > 0 {
			select {
			case <-time.After(time.Duration(try*try) * 200 * time.Millisecond):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			m.mu.Lock()
			p.pending, p.flush = []string{p.text.String()}, true // all of it again, which may have been flushed
			m.mu.Unlock()
		}
		if err = s.open(ctx, m.client, p.settings); err != nil {
			// What the server refuses, it will refuse again.
			if refused, ok := errors.AsType[*live.RefusedError](err); ok && refused.Status < 500 && refused.Status != 429 {
				return err
			}
			continue
		}
		u := s.u
		s.u = nil
		if err = m.utter(ctx, p, u); err == nil || !errors.Is(err, errLost) {
			return err
		}
	}
	return err
}

// utter says a phrase on an utterance.
func (m *mouth) utter(ctx context.Context, p *phrase, u *live.Utterance) error {
	defer u.Close()
	track := m.player.Track()
	out := &counted{to: track, first: sync.OnceFunc(func() { m.first(time.Since(p.began)) })}
	voice, err := newVoiceWriter(out, m.format)
	if err != nil {
		return err
	}
	m.mu.Lock()
	p.track = track
	m.mu.Unlock()
	var outcome live.Outcome
	var lost error
	done := make(chan struct{})
	go func() { // ends when u is closed, which breaks Listen off, or the player ends
		defer close(done)
		outcome, lost = u.Listen(voice)
		// Of a phrase that was cleared all is dropped.
		lost = errors.Join(lost, voice.Close(), track.Close())
	}()
	defer func() { _ = u.Close(); <-done }()

	var flushedAt time.Time // with the last text
	ending := false         // the server knows that no text follows
	for {
		m.mu.Lock()
		cleared, pending, flush, ended := p.cut != nil, p.pending, p.flush, p.ended
		p.pending, p.flush = nil, false
		for _, text := range pending {
			m.waiting = max(m.waiting-utf8.RuneCountInString(text), 0)
		}
		m.mu.Unlock()
		if cleared {
			m.cancel(p, u, done, &outcome, &lost)
			return nil
		}
		err := u.Say(strings.Join(pending, ""))
		if err == nil && (flush || ended && flushedAt.IsZero()) {
			err = u.Flush()
		}
		var again <-chan time.Time
		if ended && !ending && err == nil {
			if flushedAt.IsZero() {
				flushedAt = time.Now()
			}
			// The audio of the flush may not be here yet.
			wait := m.player.Ahead() - endMargin
			if fresh := endMargin - time.Since(flushedAt); fresh > 0 && wait < fresh {
				wait = fresh
			}
			if wait <= 0 {
				err, ending = u.End(), true
			} else {
				again = time.After(wait)
			}
		}
		if err != nil && out.n.Load() == 0 {
			return errors.Join(errLost, err)
		}
		select {
		case <-p.changed:
		case <-again:
		case <-done:
			return m.ended(p, out, lost)
		case <-time.After(live.Idle / 3):
			_ = u.KeepAlive() // if it fails, Listen does too
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ended returns how an utterance has ended by itself.
func (m *mouth) ended(p *phrase, out *counted, lost error) error {
	if lost == nil {
		return nil
	}
	m.mu.Lock()
	cleared := p.cut != nil
	m.mu.Unlock()
	refused, ok := errors.AsType[*live.RefusedError](lost)
	switch {
	case cleared:
		return nil
	case out.n.Load() == 0 && (!ok || refused.Code == live.CodeStopping): // another server may speak it
		return errors.Join(errLost, lost)
	}
	return lost
}

// cancel stops an utterance, and keeps what the server says was heard of it.
func (m *mouth) cancel(p *phrase, u *live.Utterance, done <-chan struct{}, outcome *live.Outcome, lost *error) {
	if u.Cancel(p.track.Heard()) != nil {
		return
	}
	late, stop := pause.Within(context.Background(), answerWait)
	defer stop()
	select {
	case <-done:
	case <-late.Done():
		return
	}
	if *lost == nil && outcome.Cancelled {
		m.mu.Lock()
		p.spoken, p.exact = outcome.Spoken, true
		m.mu.Unlock()
	}
}
