package snippet

func (s Settings) elevenlabsJS() string {
	out := []string{
		`import { createWriteStream } from "node:fs";`,
		`import { Readable } from "node:stream";`,
		`import { pipeline } from "node:stream/promises";`,
		`import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";`,
		``,
		`const client = new ElevenLabsClient({`,
		`  baseUrl: ` + inJSON(s.API) + `,`,
		`  apiKey: process.env.` + KeyVariable + `,`,
		`});`,
		``,
		`const audio = await client.textToSpeech.stream(` + inJSON(s.Voice) + `, {`,
		`  text: ` + inJSON(s.Text) + `,`,
		`  modelId: ` + inJSON(s.Model) + `,`,
	}
	if s.Language != "" {
		out = append(out, `  languageCode: `+inJSON(s.Language)+`,`)
	}
	if s.changesSpeed() {
		out = append(out, `  voiceSettings: { speed: `+s.speed()+` },`)
	}
	if s.Dictionary != "" {
		out = append(out, `  pronunciationDictionaryLocators: [{ pronunciationDictionaryId: `+inJSON(s.Dictionary)+` }],`)
	}
	return lines(append(out,
		`}, {`,
		`  // The SDK knows fewer formats, so this goes past its list.`,
		`  queryParams: { output_format: `+inJSON(s.outputFormat())+` },`,
		`});`,
		`await pipeline(Readable.fromWeb(audio), createWriteStream(`+inJSON(s.file())+`));`,
	)...)
}

func (s Settings) elevenlabsPython() string {
	out := []string{`import os`, ``}
	switch {
	case s.Dictionary != "" && s.changesSpeed():
		out = append(out, `from elevenlabs import PronunciationDictionaryVersionLocator, VoiceSettings`)
	case s.Dictionary != "":
		out = append(out, `from elevenlabs import PronunciationDictionaryVersionLocator`)
	case s.changesSpeed():
		out = append(out, `from elevenlabs import VoiceSettings`)
	}
	out = append(out,
		`from elevenlabs.client import ElevenLabs`,
		``,
		`client = ElevenLabs(`,
		`    base_url=`+inPython(s.API)+`,`,
		`    api_key=os.environ["`+KeyVariable+`"],`,
		`)`,
		``,
		`audio = client.text_to_speech.stream(`,
		`    `+inPython(s.Voice)+`,`,
		`    text=`+inPython(s.Text)+`,`,
		`    model_id=`+inPython(s.Model)+`,`,
		`    output_format=`+inPython(s.outputFormat())+`,`,
	)
	if s.Language != "" {
		out = append(out, `    language_code=`+inPython(s.Language)+`,`)
	}
	if s.changesSpeed() {
		out = append(out, `    voice_settings=VoiceSettings(speed=`+s.speed()+`),`)
	}
	if s.Dictionary != "" {
		out = append(out, `    pronunciation_dictionary_locators=[`,
			`        PronunciationDictionaryVersionLocator(pronunciation_dictionary_id=`+inPython(s.Dictionary)+`),`,
			`    ],`)
	}
	return lines(append(out,
		`)`,
		`with open(`+inPython(s.file())+`, "wb") as file:`,
		`    for part in audio:`,
		`        file.write(part)`,
	)...)
}

func (s Settings) websocket() string {
	settings := ""
	if s.changesSpeed() {
		settings = `, "voice_settings": {"speed": ` + s.speed() + `}`
	}
	return lines(
		`import asyncio`,
		`import base64`,
		`import json`,
		`import os`,
		``,
		`import websockets`,
		``,
		`ADDRESS = `+inPython(s.socket()),
		`TEXT = `+inPython(s.Text),
		``,
		``,
		`async def speak():`,
		`    key = {"xi-api-key": os.environ["`+KeyVariable+`"]}`,
		`    async with websockets.connect(ADDRESS, additional_headers=key) as socket:`,
		`        # The text may come in pieces, as a model writes it.`,
		`        await socket.send(json.dumps({"text": TEXT`+settings+`}))`,
		`        await socket.send(json.dumps({"text": ""}))`,
		`        with open(`+inPython(s.file())+`, "wb") as file:`,
		`            async for message in socket:`,
		`                part = json.loads(message)`,
		`                if part.get("audio"):`,
		`                    file.write(base64.b64decode(part["audio"]))  # play it: more follows`,
		``,
		``,
		`asyncio.run(speak())`,
	)
}
