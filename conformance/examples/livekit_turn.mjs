import { initializeLogger } from "@livekit/agents";
import { TTS } from "@livekit/agents-plugin-elevenlabs";

initializeLogger({ pretty: false, level: "warn" }); // an agent has done so

const tts = new TTS({
  baseURL: `${process.env.VAAK_URL}/v1`, // was: https://api.elevenlabs.io/v1
  apiKey: process.env.VAAK_KEY,
  voiceId: process.env.VAAK_VOICE,
  encoding: "pcm_24000",
});

const stream = tts.stream();
stream.pushText("Your parcel left the depot this morning.");
stream.endInput();
let seconds = 0;
for await (const { frame } of stream) if (frame) seconds += frame.samplesPerChannel / frame.sampleRate;
console.log(`${seconds.toFixed(1)} s of audio`);
await tts.close();
