// node receive.mjs; WEBHOOK_SECRET holds the secret of the endpoint.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

// Whether a request was signed with the secret, not long ago.
function verified(secret, headers, body) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const { "webhook-id": id, "webhook-timestamp": stamp, "webhook-signature": sent = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(stamp)) <= 300)) return false;
  const mac = createHmac("sha256", key).update(`${id}.${stamp}.`).update(body).digest("base64");
  const want = Buffer.from(`v1,${mac}`);
  return sent.split(" ").some((s) => s.length === want.length && timingSafeEqual(Buffer.from(s), want));
}

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  const ok = verified(process.env.WEBHOOK_SECRET, request.headers, body);
  response.writeHead(ok ? 204 : 401).end();
  if (ok) {
    const { type, data } = JSON.parse(body);
    console.log(request.headers["webhook-id"], type, JSON.stringify(data));
  }
});
server.listen(Number(process.env.PORT || 0), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/hook`));
