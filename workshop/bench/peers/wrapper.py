"""What gTTS-like wrappers are: Flask around py-espeak-ng, which runs espeak-ng once a request."""

from espeakng import ESpeakNG
from flask import Flask, Response, request

app = Flask(__name__)


@app.get("/health")
def health():
    return "ok"


@app.post("/speech")
def speech():
    a = request.args
    e = ESpeakNG(voice=a["voice"], speed=int(a["speed"]), pitch=int(a["pitch"]), volume=int(a["volume"]))
    return Response(e.synth_wav(request.get_data(as_text=True)), mimetype="audio/wav")
