// What every method of @vaak/client is to do, in Node.js and in a page alike. Each check is
// sent to the page as its text, so it uses nothing but its arguments: lib is the module, make
// makes a client with other settings than the usual, vaak is the usual one, ok fails unless a
// condition holds, and refused returns the error of a promise.
const sentence = "The next train to Pune leaves at nine. It is late again, and nobody knows why.";

export const checks = {
  speak: {
    "returns audio, and who spoke": async ({ vaak, ok }) => {
      const speech = await vaak.speak({ input: "Hello there.", response_format: "wav" });
      ok(String.fromCharCode(...speech.audio.subarray(0, 4)) === "RIFF", "no WAV");
      ok(speech.characters === 12 && speech.language === "en" && speech.voice.startsWith("sv_"), JSON.stringify({ ...speech, audio: 0 }));
      ok(speech.engine === "espeak" && speech.contentType === "audio/wav" && speech.requestId, JSON.stringify({ ...speech, audio: 0 }));
    },
    "says with code, message and field what is refused": async ({ lib, vaak, ok, refused }) => {
      const error = await refused(vaak.speak({ input: "Hello.", speed: 9 }));
      ok(error instanceof lib.VaakError && error instanceof Error, String(error));
      ok(error.code === "invalid_parameter" && error.status === 422 || error.status === 400, `${error.code} ${error.status}`);
      ok(error.field === "speed" && error.requestId && /0\.7 to 1\.5/.test(error.message), error.message);
    },
    "a wrong key is invalid_api_key": async ({ make, ok, refused }) => {
      const error = await refused(make({ key: "sk_live_nobody" }).speak({ input: "Hello." }));
      ok(error.code === "invalid_api_key" && error.status === 401, `${error.code} ${error.status}`);
    },
    "a server that is not there is network_error": async ({ make, ok, refused }) => {
      const error = await refused(make({ url: "http://127.0.0.1:9" }).speak({ input: "Hello." }));
      ok(error.code === "network_error" && error.cause, error.code);
    },
    "waits as long as 503 and 429 ask, twice, and no longer than allowed": async ({ make, ok, refused }) => {
      const statuses = [503, 429];
      let calls = 0;
      const busy = (input, init) => {
        calls += 1;
        const status = statuses.shift();
        if (!status) return fetch(input, init);
        return Promise.resolve(new Response('{"detail":{"status":"overloaded","message":"busy"}}', { status, headers: { "retry-after-ms": "1" } }));
      };
      await make({ fetch: busy }).speak({ input: "Hello." });
      ok(calls === 3, `${calls} calls`);
      calls = 0;
      statuses.push(503, 503, 503, 503);
      const error = await refused(make({ fetch: busy }).speak({ input: "Hello." }));
      ok(calls === 3 && error.code === "overloaded" && error.retryAfter === 0.001, `${calls} calls, ${error.code}`);
      const patient = () => { calls += 1; return Promise.resolve(new Response("", { status: 429, headers: { "retry-after": "3600" } })); };
      calls = 0;
      const late = await refused(make({ fetch: patient }).speak({ input: "Hello." }));
      ok(calls === 1 && late.retryAfter === 3600 && late.code === "http_error", `${calls} calls, ${late.code}`);
    },
    "ends with the reason of its signal": async ({ vaak, ok, refused }) => {
      const why = new Error("enough");
      ok(await refused(vaak.speak({ input: "Hello." }, { signal: AbortSignal.abort(why) })) === why, "another reason");
    },
  },
  stream: {
    "gives the audio in pieces while it is made": async ({ vaak, ok }) => {
      const stream = await vaak.stream({ input: "One two three. Four five six. ".repeat(40), response_format: "pcm" });
      let [pieces, bytes] = [0, 0];
      for await (const piece of stream) [pieces, bytes] = [pieces + 1, bytes + piece.length];
      ok(pieces > 1 && bytes > 48_000 && bytes % 2 === 0, `${pieces} pieces, ${bytes} bytes`);
      ok(stream.about.contentType.startsWith("audio/pcm"), stream.about.contentType);
    },
    "stops with its signal": async ({ vaak, ok, refused }) => {
      const control = new AbortController();
      const stream = await vaak.stream({ input: "Hello there. ".repeat(300), response_format: "wav" }, { signal: control.signal });
      const why = new Error("enough");
      const error = await refused((async () => { for await (const _ of stream) control.abort(why); })());
      ok(error === why, String(error));
    },
  },
  live: {
    "tokens in, sound and timed words out, then done": async ({ vaak, ok }) => {
      const live = vaak.live({ lang: "en", mode: "eager", words: true });
      for (const token of ["Hel", "lo ", "the", "re, ", "how ", "are ", "you ", "to", "day?"]) live.send(token);
      live.end();
      let samples = 0;
      const kinds = new Set();
      for await (const event of live) {
        kinds.add(event.type);
        if (event.type !== "audio") continue;
        ok(event.samples instanceof Int16Array && Math.abs(event.at - samples / 24) < 0.01, `at ${event.at} after ${samples}`);
        samples += event.samples.length;
      }
      const done = await live.finished;
      ok([...kinds].sort().join() === "audio,done,words", [...kinds].join());
      ok(done.characters === 31 && Math.abs(samples / 24 - done.audio_ms) <= 1 && done.request_id, JSON.stringify(done));
      ok(live.words.map((w) => w.text).join(" ") === "Hello there, how are you today?", JSON.stringify(live.words));
      ok(live.words.every((w, i, all) => w.end_ms > w.start_ms && (i === 0 || w.start_ms >= all[i - 1].start_ms)), JSON.stringify(live.words));
    },
    "a flush speaks what was sent": async ({ vaak, ok }) => {
      const live = vaak.live({ lang: "en", words: true });
      live.send("Good morning", { flush: true });
      for await (const event of live) {
        if (event.type === "words" && event.words.some((w) => w.text === "morning")) break;
      }
      ok(live.received > 0, "no sound");
    },
    "cancel says what was heard": async ({ vaak, ok }, { sentence: text }) => {
      const live = vaak.live({ lang: "en" });
      live.send(text, { flush: true });
      for await (const event of live) if (event.type === "audio" && live.received > 700) break;
      const closed = await live.finished.catch((error) => error.code);
      ok(closed === "closed", "a loop that is left does not close the session");
      const again = vaak.live({ lang: "en" });
      again.send(text, { flush: true });
      let how;
      for await (const event of again) {
        if (event.type === "audio" && !how) how = again.cancel(700);
      }
      how = await how;
      ok(how.type === "cancelled" && how.audio_ms <= 700 && how.text_spoken + how.text_remaining === text, JSON.stringify(how));
      ok(how.char_offset > 0 && how.char_offset < text.length, JSON.stringify(how));
    },
    "says why it was refused": async ({ make, vaak, ok, refused }) => {
      const nobody = await refused(vaak.live({ voice: "nobody" }).finished);
      ok(nobody.code === "voice_not_found" && nobody.status === 404, `${nobody.code} ${nobody.status}`);
      const wrong = await refused(make({ key: "sk_live_nobody" }).live().finished);
      ok(wrong.code === "invalid_api_key", wrong.code);
      const none = await refused(make({ key: undefined }).live().finished);
      ok(none.code === "missing_api_key", none.code);
    },
    "an error of the server ends it": async ({ vaak, ok, refused }) => {
      const live = vaak.live({ lang: "en" });
      live.send("a".repeat(5001));
      const error = await refused(live.finished);
      ok(error.code === "max_character_limit_exceeded", error.code);
      const late = await refused((async () => live.send("more"))());
      ok(late === error, String(late));
    },
    "ends with the reason of its signal": async ({ vaak, ok, refused }) => {
      const control = new AbortController();
      const live = vaak.live({ lang: "en" }, { signal: control.signal });
      live.send("Hello there.");
      const why = new Error("enough");
      control.abort(why);
      ok(await refused(live.finished) === why, "another reason");
      ok(await refused((async () => { for await (const _ of live); })()) === why, "another reason");
    },
  },
  tokens: {
    "a token opens one session, without a key": async ({ make, vaak, ok, refused }) => {
      const made = await vaak.tokens.create({ lang: "en", max_characters: 100, expires_in_seconds: 60 });
      ok(made.token.startsWith("sutkn_") && made.max_characters === 100, "no token");
      ok((await vaak.tokens.list()).some((t) => t.token_id === made.token_id && !("token" in t)), "it is not listed");
      const page = make({ key: undefined });
      const live = page.live({ lang: "en" }, { token: made.token });
      live.send("Hello there.");
      live.end();
      ok((await live.finished).characters === 12, "it does not speak");
      const again = await refused(page.live({ lang: "en" }, { token: async () => made.token }).finished);
      ok(again.code === "token_used" && again.status === 401, `${again.code} ${again.status}`);
    },
    "a token that was revoked opens none": async ({ make, vaak, ok, refused }) => {
      const made = await vaak.tokens.create();
      await vaak.tokens.revoke(made.token_id);
      const error = await refused(make({ key: undefined }).live({}, { token: made.token }).finished);
      ok(error.status === 401, `${error.code} ${error.status}`);
      const gone = await refused(vaak.tokens.revoke(made.token_id));
      ok(gone.status === 404, gone.code);
    },
  },
  captions: {
    "writes WebVTT and SubRip of the words of a session": async ({ lib, vaak, ok }, { sentence: text }) => {
      const live = vaak.live({ lang: "en", words: true });
      live.send(text);
      live.end();
      const { audio_ms: length } = await live.finished;
      const vtt = lib.captions(live.words);
      const cues = vtt.split("\n\n").slice(1);
      ok(vtt.startsWith("WEBVTT\n\n00:00:00.0") && cues.length === 2, vtt);
      ok(cues[0].endsWith("The next train to Pune leaves at nine.") && cues[1].includes("It is late again,"), vtt);
      ok(cues.every((cue) => cue.trim().split("\n").slice(1).every((line) => line.length <= 42)), vtt);
      const srt = lib.captions(live.words, { format: "srt" });
      ok(/^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n/.test(srt) && length > 1000, srt);
    },
    "joins words of scripts without spaces, and escapes": async ({ lib, ok }) => {
      const word = (text, at) => ({ text, char_offset: at, start_ms: 100 * at, end_ms: 100 * at + 90 });
      ok(lib.captions([word("你", 0), word("好", 1), word("<i>", 3)]) === "WEBVTT\n\n00:00:00.000 --> 00:00:00.390\n你好 &lt;i&gt;\n", lib.captions([word("你", 0), word("好", 1), word("<i>", 3)]));
    },
  },
  preview: {
    "says how a text is read, and what it costs": async ({ vaak, ok }) => {
      const reading = await vaak.preview({ input: "It costs ₹250.", lang: "en" });
      ok(reading.characters === 14 && /two hundred/.test(reading.spoken_text), JSON.stringify(reading));
    },
  },
  voices: {
    "lists all, and finds one": async ({ vaak, ok, refused }) => {
      const voices = await vaak.voices();
      ok(voices.length === 320, `${voices.length} voices`);
      ok((await vaak.voice(voices[7].voice_id)).name === voices[7].name, "another voice");
      ok((await refused(vaak.voice("no body"))).code === "voice_not_found", "it was found");
    },
  },
  languages: {
    "lists all": async ({ vaak, ok }) => ok((await vaak.languages()).length === 80, "not 80 languages"),
  },
  catalogue: {
    "lists, goes through pages, counts, compares": async ({ make, ok }) => {
      const { catalogue } = make({ key: undefined });
      const page = await catalogue.list({ limit: 2, language: ["Hindi", "English"], facets: true });
      ok(page.datasets.length === 2 && page.facets.language.length > 0, JSON.stringify(page.facets));
      const slugs = [];
      for await (const dataset of catalogue.all({ limit: 2 })) slugs.push(dataset.slug);
      ok(slugs.length === (await catalogue.facets()).count && new Set(slugs).size === slugs.length && slugs.length > 2, slugs.join());
      const similar = await catalogue.similar(slugs[0], { limit: 3 });
      ok(similar.datasets.length === 3 && !similar.datasets.some((d) => d.slug === slugs[0]), JSON.stringify(similar.datasets));
    },
    "has a record, and its Croissant in both versions": async ({ vaak, ok, refused }) => {
      const { slug } = (await vaak.catalogue.list({ limit: 1 })).datasets[0];
      ok((await vaak.catalogue.get(slug)).slug === slug, "another record");
      ok(JSON.stringify((await vaak.catalogue.croissant(slug)).conformsTo).includes("croissant/1.0"), "not 1.0");
      ok(JSON.stringify((await vaak.catalogue.croissant(slug, { version: "1.1" })).conformsTo).includes("croissant/1.1"), "not 1.1");
      const error = await refused(vaak.catalogue.get("no such one"));
      ok(error.code === "not_found" && error.status === 404, error.code);
    },
    "takes an enquiry": async ({ vaak, ok, refused }, { email }) => {
      const receipt = await vaak.catalogue.enquire({ name: "Asha Rao", email, intent: "question", message: "Is there more?" });
      ok(receipt.received === true && receipt.intent === "question", JSON.stringify(receipt));
      const error = await refused(vaak.catalogue.enquire({ name: "Asha Rao", email: "nobody", intent: "question", message: "Is there more?" }));
      ok(error.field === "email", `${error.field} ${error.message}`);
    },
  },
};

// given is what the checks need to know, but for the address and the key.
export const given = (where) => ({ sentence, email: `asha.${where}.${process.pid}@example.org` });

// rig makes the arguments of a check. It is sent to the page, too.
export function rig(lib, config) {
  const make = (more) => new lib.Vaak({ ...config, ...more });
  const ok = (condition, message) => {
    if (!condition) throw new Error(message);
  };
  const refused = (promise) => promise.then(() => ok(false, "it was not refused"), (error) => error);
  return { lib, make, ok, refused, vaak: make({}) };
}
