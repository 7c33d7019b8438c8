// What the server at VAAK_ENQUIRY_URL has kept of people's enquiries, by its command
// and by the mails that a mail server took of it. `run` says in VAAK_ENQUIRY_DIR where its data are,
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
    const found = (await mails()).filter((mail) => mail.includes(email));
    if (found.length > 0) return found;
    await sleep(50);
  }
}

async function mails() {
  const names = (await readdir(path.join(data, "mail"))).filter((name) => name.endsWith(".eml"));
  return Promise.all(names.map((name) => readFile(path.join(data, "mail", name), "utf8")));
}

// linkOf waits for the mail with a link to a person, of which there must be one, and
// returns the link.
export async function linkOf(email) {
  for (;;) {
    const found = (await mails()).filter((mail) => new RegExp(`^To: <?${email}>?\\r?$`, "m").test(mail));
    const links = found.flatMap((mail) => mail.replaceAll("=\r\n", "").match(/http\S+\/enquiry\/confirm\/[a-z2-7]{26}(?=\s)/g) ?? []);
    if (links.length > 1) throw new Error(`${links.length} links were mailed to ${email}`);
    if (links.length === 1) return links[0];
    await sleep(50);
  }
}
