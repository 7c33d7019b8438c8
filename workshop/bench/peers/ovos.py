"""ovos-tts-server with its espeak plugin, without the page that its own command adds."""

import sys

import uvicorn
from ovos_tts_server import start_tts_server

app, _ = start_tts_server("ovos_tts_plugin_espeakng")
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
