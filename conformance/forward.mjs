// A server on this machine that hands requests on with a key, for clients that cannot
// send headers of their own. Everything else arrives as it was sent, Host and Origin
// too, and bodies in both directions flow as they come.
import { once } from "node:events";
import { createServer, request } from "node:http";

// withKey listens for requests to hand on to target and returns its address and how
// to stop it.
export async function withKey(target, key) {
  const to = new URL(target);
  const server = createServer((from, answer) => {
    const onwards = request(
      { host: to.hostname, port: to.port, path: to.pathname, method: from.method, headers: { ...from.headers, authorization: `Bearer ${key}` }, setHost: false },
      (got) => {
        answer.writeHead(got.statusCode, got.headers);
        answer.flushHeaders();
        got.pipe(answer);
      },
    );
    onwards.on("error", () => answer.destroy());
    answer.on("close", () => onwards.destroy());
    from.pipe(onwards);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}${to.pathname}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
