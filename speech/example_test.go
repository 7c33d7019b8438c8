package speech_test

import (
	"bytes"
	"context"
	"fmt"

	"vaak/account"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
)

// exampleService returns a service that hums, and charges nobody.
func exampleService() *speech.Service {
	s, err := speech.New(speech.Config{
		Engines: engine.Set{enginetest.Tone{}},
		Ledger:  account.Unmetered{},
	})
	if err != nil {
		panic(err)
	}
	return s
}

// Speak one text into a buffer.
func ExampleService_Speak() {
	var file bytes.Buffer
	result, err := exampleService().Speak(context.Background(), account.Local, speech.Request{
		Text:     "The next train to Pune leaves at nine.",
		Language: "en",
		Format:   audio.Format{Codec: audio.WAV},
	}, &file)
	fmt.Printf("%q, %d characters, spoken in %s: %v\n", file.Bytes()[:4], result.Charged, result.Language, err)
	// Output: "RIFF", 38 characters, spoken in en: <nil>
}

// See how a text would be read, without speaking it.
func ExampleService_Read() {
	reading, err := exampleService().Read(context.Background(), speech.Request{
		Text: "Dr. Rao paid $5.", Language: "en",
	})
	fmt.Printf("%q, %d characters: %v\n", reading.Spoken(), reading.Characters, err)
	// Output: "Doctor Rao paid five dollars.", 16 characters: <nil>
}

// Speak a text while it is still being written, as by a language model.
func ExampleService_Run() {
	service := exampleService()
	session, err := service.Open(account.Local, speech.SessionRequest{Language: "en"})
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		for _, fragment := range []string{"Hel", "lo there. ", "How are", " you?"} {
			if err := session.Add(fragment); err != nil {
				fmt.Println(err)
			}
		}
		session.End()
	}()
	var stream bytes.Buffer
	result, err := service.Run(context.Background(), session, &stream)
	fmt.Printf("%d characters, audio: %t, error: %v\n", result.Charged, result.Duration > 0, err)
	// Output: 25 characters, audio: true, error: <nil>
}
