// An agent of LiveKit Agents that speaks through Vaak. Run like this, it needs no
// LiveKit server: it says one turn into a WAV file instead of a room.
//
//   node livekit-agent.ts          writes turn.wav
import { writeFile } from "node:fs/promises";
import { initializeLogger, voice } from "@livekit/agents";
import { TTS } from "@livekit/agents-plugin-elevenlabs";
import { type AudioFrame, combineAudioFrames } from "@livekit/rtc-node";

const { VAAK_URL = "http://127.0.0.1:8080", VAAK_KEY = "", VAAK_VOICE } = process.env;
initializeLogger({ pretty: false, level: "silent" }); // a worker of LiveKit has done so

// All that an agent needs to change. The plugin keeps one socket, and opens a context
// on it for each turn, so an interrupted turn and the next one do not wait for each other.
const tts = new TTS({
  baseURL: `${VAAK_URL}/v1`, // was: https://api.elevenlabs.io/v1
  apiKey: VAAK_KEY,
  voiceId: VAAK_VOICE ?? (await anyVoice()),
  encoding: "pcm_22050",
});

// The plugin insists on a voice. The list of them is public.
async function anyVoice(): Promise<string> {
  const response = await fetch(`${VAAK_URL}/v1/voices`);
  const { voices: [first] } = (await response.json()) as { voices: { voice_id: string }[] };
  return first?.voice_id ?? "";
}

// WavFile takes the place of the room's speaker: what is sent to it counts as played.
class WavFile extends voice.AudioOutput {
  frames: AudioFrame[] = [];

  override async captureFrame(frame: AudioFrame): Promise<void> {
    await super.captureFrame(frame);
    if (this.frames.push(frame) === 1) this.onPlaybackStarted(Date.now());
  }

  override flush(): void {
    super.flush();
    if (this.frames.length) this.onPlaybackFinished({ playbackPosition: this.seconds, interrupted: false });
  }

  override clearBuffer(): void {
    if (this.frames.length) this.onPlaybackFinished({ playbackPosition: this.seconds, interrupted: true });
  }

  get seconds(): number {
    return this.frames.reduce((sum, frame) => sum + frame.samplesPerChannel / frame.sampleRate, 0);
  }

  async save(name: string): Promise<void> {
    const { data, sampleRate } = combineAudioFrames(this.frames);
    const numbers = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
    const form = numbers(16, 0x1_0001, sampleRate, 2 * sampleRate, 0x10_0002); // one channel of PCM, 2 bytes and 16 bits a sample
    const header = [Buffer.from("RIFF"), numbers(36 + data.byteLength), Buffer.from("WAVEfmt "), form, Buffer.from("data")];
    await writeFile(name, [...header, numbers(data.byteLength), Buffer.from(data.buffer, data.byteOffset, data.byteLength)]);
  }
}

async function main(): Promise<void> {
  const file = new WavFile();
  const session = new voice.AgentSession({ tts, connOptions: { ttsConnOptions: { maxRetry: 0 } } }); // and your vad, stt and llm
  session.output.audio = file; // in a room, start does this
  const failed = new Promise<never>((_, reject) => {
    session.on(voice.AgentSessionEventTypes.Error, ({ error }) => reject("error" in error ? error.error : error));
  });

  await tts.currentConnection(); // opens the socket before the first turn waits for it, and says why it cannot
  await session.start({ agent: new voice.Agent({ instructions: "You answer the calls of a courier." }) });
  const turn = session.say("Your parcel left the depot this morning, and will be with you by noon.");
  await Promise.race([turn.waitForPlayout(), failed]);
  await session.close();
  await tts.close();
  await file.save("turn.wav");
  console.log(`turn.wav: ${file.seconds.toFixed(1)} s`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
