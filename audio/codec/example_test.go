package codec_test

import (
	"bytes"
	"fmt"

	"vaak/audio"
	"vaak/audio/codec"
)

// Encode a tenth of a second of silence as a WAV stream. A stream of MP3, Opus or any other
// format is made in the same way.
func ExampleNewEncoder() {
	var file bytes.Buffer
	format := audio.Format{Codec: audio.WAV, SampleRate: 24000}
	w, err := codec.NewEncoder(&file, format, codec.Stream)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := w.WritePCM(make([]int16, codec.InputRate(format)/10)); err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q, %d bytes, %s\n", file.Bytes()[:4], file.Len(), format.ContentType())
	// Output: "RIFF", 4844 bytes, audio/wav
}

// Check completes a format, and refuses one that cannot be encoded.
func ExampleCheck() {
	format, err := codec.Check(audio.Format{Codec: audio.ULaw})
	fmt.Println(format.Codec, format.SampleRate, err)

	_, err = codec.Check(audio.Format{Codec: audio.FLAC, SampleRate: 12000})
	fmt.Println(err)
	// Output:
	// ulaw 8000 <nil>
	// sample_rate 12000 is not one of 8000, 16000, 22050, 24000, 32000, 44100, 48000
}
