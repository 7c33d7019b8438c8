import os

from elevenlabs.client import ElevenLabs

# This method speaks TLS whatever the base URL says: serve with --tls-cert and
# --tls-key, or behind a proxy that does.
client = ElevenLabs(base_url=os.environ["VAAK_TLS_URL"], api_key=os.environ["VAAK_TLS_KEY"])


def answer():
    yield "Your parcel left the depot this morning, "
    yield "and will be with you by noon."


with open("speech.mp3", "wb") as file:
    for part in client.text_to_speech.convert_realtime(
        os.environ["VAAK_VOICE"],
        text=answer(),
        voice_settings=None,  # without it this version of the SDK fails before it connects
    ):
        file.write(part)
