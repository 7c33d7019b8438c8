# python3 receive.py; WEBHOOK_SECRET holds the secret of the endpoint.
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer


def verified(secret, headers, body):
    """Whether a request was signed with the secret, not long ago."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    name, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not stamp.isdecimal() or abs(time.time() - int(stamp)) > 300:
        return False
    mac = hmac.new(key, f"{name}.{stamp}.".encode() + body, hashlib.sha256).digest()
    want = "v1," + base64.b64encode(mac).decode()
    sent = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(s.encode(), want.encode()) for s in sent)


class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("content-length", 0)), 1 << 20))
        ok = verified(os.environ["WEBHOOK_SECRET"], self.headers, body)
        self.send_response(204 if ok else 401)
        self.end_headers()
        if ok:
            event = json.loads(body)
            print(self.headers["webhook-id"], event["type"], event["data"], flush=True)


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT") or 0)), Hook)
print(f"http://127.0.0.1:{server.server_port}/hook", flush=True)
server.serve_forever()
