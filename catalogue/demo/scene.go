package demo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"vaak/lang"
	"vaak/voice"
)

// rate is the sample rate of scenes in Hz, which is that of the speech.
const rate = 24000

// Distances that keep a conversation unambiguous for measurements, in milliseconds.
const (
	leadIn   = 600 // before the first word
	leadOut  = 700 // after the last one
	ipuGap   = 200 // silence that ends an inter-pausal unit
	minPause = 280 // shortest pause inside a turn
	tight    = 100 // silence that is too short to be a pause
	margin   = 100 // by which overlapping units start or end before or after each other
	apart    = 400 // between a backchannel and other speech of the same speaker
	longest  = 900 // of a backchannel
	isolated = 1000
	doubt    = 60 // distance from the limit at which a unit counts as isolated
)

func ms(n int) int { return n * rate / 1000 }

func seconds(samples int) float64 { return float64(samples) / rate }

// scene is a conversation on its time line. Times are in samples.
type scene struct {
	all    []*utterance // in the order of the script
	length int
}

// cast says who speaks a scene.
type cast struct {
	voices   [2]voice.ID
	language lang.Code
	seed     uint64
}

// stage speaks the lines of a script and places them on the time line.
func stage(ctx context.Context, s Speaker, t dialogue, lines []line) (*scene, error) {
	// Each use of chance has a stream of its own, so that a change of one does not change the others.
	r := rand.New(rand.NewPCG(t.cast.seed, 1))
	sc := &scene{}
	for _, l := range lines {
		speech, err := s.Say(ctx, t.cast.voices[l.speaker], t.cast.language, l.text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
		u, err := hear(speech, l, r)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
		sc.all = append(sc.all, u)
	}
	return sc, sc.place()
}

// place finds the time of every utterance. Turns come first, because a backchannel must be placed
// between the other speech of its speaker.
func (sc *scene) place() error {
	var before *utterance
	for _, u := range sc.all {
		if u.backchannel {
			continue
		}
		if err := sc.placeTurn(before, u); err != nil {
			return fmt.Errorf("line %d: %w", u.number, err)
		}
		before = u
	}
	sc.length = before.end() + ms(leadOut)
	var turn *utterance
	for _, u := range sc.all {
		if !u.backchannel {
			turn = u
		} else if err := sc.placeBackchannel(turn, u); err != nil {
			return fmt.Errorf("line %d: %w", u.number, err)
		}
	}
	return sc.check()
}

// placeTurn places u after the turn before it. If they overlap, pauses next to the overlap are
// removed: otherwise a unit could lie wholly within the other turn, and a measurement would
// count it as a backchannel.
func (sc *scene) placeTurn(before, u *utterance) error {
	if before == nil {
		u.move(ms(leadIn + u.offset))
		return nil
	}
	lead := ms(u.offset)
	if before.speaker != u.speaker && u.offset < 0 {
		last := func() span { all := before.units(); return all[len(all)-1] }
		// From the end backwards: the pauses nearest to the overlap go first.
		for i := len(before.pieces) - 1; i > 0 && last().length() < ms(margin)-lead; i-- {
			before.tighten(i)
		}
		if last().length() < ms(margin)-lead {
			return fmt.Errorf("an offset of %d ms is too long: it goes over the whole turn before", u.offset)
		}
		for i := 1; i < len(u.pieces) && u.units()[0].length() < ms(margin)-lead; i++ {
			u.tighten(i)
		}
		if u.units()[0].length() < ms(margin)-lead {
			return fmt.Errorf("an offset of %d ms is too long: the turn lies wholly in the turn before", u.offset)
		}
	}
	u.move(before.end() + lead)
	for _, o := range sc.all {
		if o != u && !o.backchannel && o.number < u.number && o.speaker == u.speaker && u.start()-o.end() < ms(minPause) {
			return fmt.Errorf("the turn begins %d ms after its speaker's last", (u.start()-o.end())*1000/rate)
		}
	}
	return nil
}

// placeBackchannel places u where the script says, or as near to that as it lies wholly within one
// unit of the turn and apart from other speech of its speaker.
func (sc *scene) placeBackchannel(turn, u *utterance) error {
	for i := 1; i < len(u.pieces); i++ {
		u.tighten(i)
	}
	long := u.end() - u.start()
	if long > ms(longest) {
		return fmt.Errorf("the backchannel lasts %.2f s; at most %.1f can be told from a turn", seconds(long), float64(longest)/1000)
	}
	want, best := turn.start()+ms(u.offset), -1
	for _, unit := range turn.units() {
		// Where the backchannel may begin in this unit. Other speech of its speaker narrows the range.
		from, to := unit.Start+ms(margin), unit.End-ms(margin)-long
		for _, o := range sc.all {
			if o == u || o.speaker != u.speaker || o.backchannel && o.number > u.number {
				continue
			}
			if o.number < u.number {
				from = max(from, o.end()+ms(apart))
			} else {
				to = min(to, o.start()-ms(apart)-long)
			}
		}
		if from > to {
			continue
		}
		// The place in the range that is nearest to the one in the script.
		if at := min(max(want, from), to); best < 0 || abs(at-want) < abs(best-want) {
			best = at
		}
	}
	if best < 0 {
		return fmt.Errorf("the backchannel lasts %.2f s; no part of the turn before it has room for it", seconds(long))
	}
	u.move(best)
	return nil
}

// check refuses a turn with a part that would be measured as a backchannel: a short, isolated unit
// with speech of the other speaker on both sides.
func (sc *scene) check() error {
	lists := sc.units()
	for _, u := range sc.all {
		if u.backchannel {
			continue
		}
		for _, unit := range u.units() {
			if unit.length() <= ms(isolated+doubt) && alone(unit, lists[u.speaker]) && within(unit, lists[1-u.speaker]) {
				return fmt.Errorf("line %d: the turn has a part of %.2f s that stands alone and would be a backchannel; it needs more words",
					u.number, seconds(unit.length()))
			}
		}
	}
	return nil
}

// alone reports whether the speaker of a unit is silent near it.
func alone(unit span, own []span) bool {
	for _, o := range own {
		// The list has the unit itself, perhaps joined with its neighbours.
		same := o.Start <= unit.Start && unit.End <= o.End
		if !same && o.End > unit.Start-ms(isolated-doubt) && o.Start < unit.End+ms(isolated-doubt) {
			return false
		}
	}
	return true
}

// within reports whether the other speaker speaks shortly before and shortly after a unit.
func within(unit span, other []span) bool {
	var before, after bool
	for _, o := range other {
		before = before || o.Start < unit.Start && o.End > unit.Start-ms(isolated+doubt)
		after = after || o.End > unit.End && o.Start < unit.End+ms(isolated+doubt)
	}
	return before && after
}

func abs(n int) int { return max(n, -n) }

// decibels returns a power in decibels.
func decibels(power float64) float64 { return 10 * math.Log10(power) }
