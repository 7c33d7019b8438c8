package engine_test

import (
	"context"
	"fmt"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
	"vaak/voice"
)

// Speak an utterance and print where its words begin. The engine is the tone generator of the
// tests, whose letters last 80 ms and whose spaces last 40 ms.
func ExampleEngine() {
	var e engine.Engine = enginetest.Tone{}
	u := engine.Utterance{Text: "Good morning", Language: "en", Voice: voice.DefaultVoice()}
	traits, err := e.Voice(u.Voice)
	if err != nil {
		fmt.Println(err)
	}
	samples := 0
	err = e.Synthesize(context.Background(), u, engine.SinkFunc(func(f engine.Frame) error {
		for _, w := range f.Words {
			fmt.Printf("%q begins after %d ms\n", u.Text[w.Start:w.End], 1000*w.Sample/traits.SampleRate)
		}
		samples += len(f.PCM)
		return nil
	}))
	fmt.Printf("%d ms in all, error %v\n", 1000*samples/traits.SampleRate, err)
	// Output:
	// "Good" begins after 0 ms
	// "morning" begins after 360 ms
	// 920 ms in all, error <nil>
}

// A set uses the first engine that speaks a language.
func ExampleSet_For() {
	set := engine.Set{
		enginetest.Tone{Speaks: []lang.Code{"hi", "ta"}},
		enginetest.Tone{Speaks: []lang.Code{"hi", "en"}},
	}
	fmt.Println(set.Languages())

	_, traits, err := set.For(voice.DefaultVoice(), "hi")
	fmt.Println(traits.Languages, traits.SampleRate, err)

	_, _, err = set.For(voice.DefaultVoice(), "de")
	fmt.Println(err)
	// Output:
	// [hi ta en]
	// [hi ta] 22050 <nil>
	// language "de" is not spoken by this deployment
}
