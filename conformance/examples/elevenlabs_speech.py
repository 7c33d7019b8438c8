import os

from elevenlabs.client import ElevenLabs

client = ElevenLabs(
    base_url=os.environ["VAAK_URL"],  # was: https://api.elevenlabs.io
    api_key=os.environ["VAAK_KEY"],
)

voice = client.voices.search(search="hindi female", page_size=1).voices[0]
audio = client.text_to_speech.convert(
    voice.voice_id,
    text="आपका कुल बिल ₹1,249 है।",
    model_id="eleven_flash_v2_5",  # any name will do
    output_format="mp3_44100_128",
)
with open("speech.mp3", "wb") as file:
    for part in audio:
        file.write(part)
