package talk_test

import (
	"fmt"

	"vaak/catalogue/measure/talk"
)

// The short unit of the second speaker lies within a unit of the first, so it is a
// backchannel and not a turn.
func ExampleTurns() {
	first := []talk.Interval{{Start: 0, End: 4}, {Start: 7, End: 9}}
	second := []talk.Interval{{Start: 1, End: 1.4}, {Start: 4.2, End: 7.1}}
	t := talk.Turns(first, second, 10)
	for _, turn := range t.Turns {
		fmt.Printf("channel %d from %.1f to %.1f s\n", turn.Channel, turn.StartS, turn.EndS)
	}
	fmt.Println("backchannels:", t.BackchannelCount)
	fmt.Println("offsets in ms, median:", *t.FTO.Median)
	// Output:
	// channel 1 from 0.0 to 4.0 s
	// channel 2 from 4.2 to 7.1 s
	// channel 1 from 7.0 to 9.0 s
	// backchannels: 1
	// offsets in ms, median: 50
}
