import os
import wave

from vaak import Vaak, captions

TOKENS = ["Your", " par", "cel", " left", " the", " de", "pot", " this", " morning", "."]

with Vaak(os.environ["VAAK_URL"], os.environ["VAAK_KEY"]) as vaak, vaak.live(mode="eager", words=True) as session:
    for token in TOKENS:  # as a model writes them
        session.send(token)
    session.end()
    with wave.open("speech.wav", "wb") as file:
        file.setparams((1, 2, 24_000, 0, "NONE", ""))
        for event in session:
            if event["type"] == "audio":
                file.writeframes(event["pcm"])  # play it: more follows
    print(captions(session.words))
