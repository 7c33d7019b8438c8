// Command example is the program that docs/clients.md shows.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(
		option.WithBaseURL(os.Getenv("VAAK_URL")+"/v1"), // was: https://api.openai.com/v1
		option.WithAPIKey(os.Getenv("VAAK_KEY")),
	)
	response, err := client.Audio.Speech.New(context.Background(), openai.AudioSpeechNewParams{
		Model:          "gpt-4o-mini-tts", // any name will do
		Voice:          openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String(os.Getenv("VAAK_VOICE"))},
		Input:          "The train leaves at 7:45 and costs $12.50.",
		ResponseFormat: openai.AudioSpeechNewParamsResponseFormatMP3, // the default here is wav
	}, option.WithJSONSet("stream", true)) // ours
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	file, err := os.Create("speech.mp3")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	if _, err := io.Copy(file, response.Body); err != nil {
		log.Fatal(err)
	}
}
