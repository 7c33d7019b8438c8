// What the server at VAAK_ENQUIRY_URL has kept of people's enquiries, by its command
// and by the mails in its directory. `run` says in VAAK_ENQUIRY_DIR where its data are,
// and in VAAK_PROGRAM what reads them.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const data = process.env.VAAK_ENQUIRY_DIR;
const run = promisify(execFile);

// kept lists the enquiries of a person: each one's id, and how many mails it has.
export async function kept(email) {
  const { stdout } = await run(process.env.VAAK_PROGRAM, ["enquiry", "list", "--limit", "1000", "--data-dir", data]);
  const lines = stdout.split("\n").map((line) => line.split("\t")).filter((line) => line.includes(email));
  return lines.map(([id, , , , waiting, delivered, failed]) => ({ id, mails: Number(waiting) + Number(delivered) + Number(failed) }));
}

// mailed waits for the mail about a person's enquiry, and returns all that there are.
export async function mailed(email) {
  for (;;) {
    const names = (await readdir(path.join(data, "mail"))).filter((name) => name.endsWith(".eml"));
    const mails = await Promise.all(names.map((name) => readFile(path.join(data, "mail", name), "utf8")));
    const found = mails.filter((mail) => mail.includes(email));
    if (found.length > 0) return found;
    await sleep(50);
  }
}
