import os

from openai import OpenAI

client = OpenAI(
    base_url=os.environ["VAAK_URL"] + "/v1",  # was: https://api.openai.com/v1
    api_key=os.environ["VAAK_KEY"],
)

with client.audio.speech.with_streaming_response.create(
    model="gpt-4o-mini-tts",  # any name will do
    voice=os.environ["VAAK_VOICE"],  # was: "alloy"
    input="The train leaves at 7:45 and costs $12.50.",
    response_format="mp3",  # the default here is wav
    extra_body={"stream": True, "lang": "en"},  # ours
) as response:
    response.stream_to_file("speech.mp3")
