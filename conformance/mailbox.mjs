// A mail server for the tests of enquiries: it takes every mail over SMTP and writes it as
// a file into a directory, as `vaak serve` does by itself without one.
//
//   node mailbox.mjs DIRECTORY     prints its port, and runs until SIGTERM
import { mkdir, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";

const [directory] = process.argv.slice(2);
await mkdir(directory, { recursive: true });
let taken = 0;

// keep writes a mail, and gives it its name when all of it is there.
async function keep(text) {
  taken += 1;
  const name = path.join(directory, `mail_${taken}`);
  await writeFile(`${name}.part`, text);
  await rename(`${name}.part`, `${name}.eml`);
}

// conversation returns what says how each line is answered; the lines of a mail are not,
// but for its end.
function conversation() {
  let mail; // its lines, while it is read
  return async (line) => {
    if (mail === undefined) {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === "DATA") {
        mail = [];
        return "354 go on";
      }
      return verb === "QUIT" ? "221 bye" : "250 ok";
    }
    if (line !== ".") {
      mail.push(line.startsWith(".") ? line.slice(1) : line);
      return undefined;
    }
    await keep(`${mail.join("\r\n")}\r\n`);
    mail = undefined;
    return "250 taken";
  };
}

const server = createServer(async (socket) => {
  const answer = conversation();
  let rest = "";
  socket.write("220 mailbox\r\n");
  try {
    for await (const bytes of socket.setEncoding("utf8")) {
      const lines = (rest + bytes).split("\r\n");
      rest = lines.pop();
      for (const line of lines) {
        const said = await answer(line);
        if (said) socket.write(`${said}\r\n`);
        if (said?.startsWith("221")) socket.end();
      }
    }
  } catch {
    // The other side left: it tries again.
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.on("SIGTERM", () => process.exit(0));
