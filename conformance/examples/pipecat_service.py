import os

from pipecat.services.elevenlabs.tts import ElevenLabsTTSService

tts = ElevenLabsTTSService(
    url=os.environ["VAAK_URL"].replace("http", "ws", 1),  # was: wss://api.elevenlabs.io
    api_key=os.environ["VAAK_KEY"],
    settings=ElevenLabsTTSService.Settings(voice=os.environ["VAAK_VOICE"]),
)
