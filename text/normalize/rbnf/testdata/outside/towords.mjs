// Writes the lists of to-words (npm), for the languages that num2words and
// indic-numtowords lack. Run it where to-words 5.7.0 is installed:
//
//	node towords.mjs DIRECTORY
import { ToWords } from 'to-words';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const directory = process.argv[2];
const numbers = readFileSync(join(directory, 'tr.tsv'), 'utf8').split('\n')
  .filter((line) => line && !line.startsWith('#')).map((line) => line.split('\t')[0]);
const locales = {
  bg: 'bg-BG', el: 'el-GR', hr: 'hr-HR', ms: 'ms-MY', sq: 'sq-AL', uz: 'uz-UZ', yue: 'yue-HK', zh: 'zh-CN',
};
for (const [code, localeCode] of Object.entries(locales)) {
  const words = new ToWords({ localeCode });
  const rows = numbers.map((n) => `${n}\t${words.convert(Number(n)).toLocaleLowerCase(localeCode).normalize('NFC')}`);
  writeFileSync(join(directory, `${code}.tsv`), `# to-words 5.7.0\n${rows.join('\n')}\n`);
}
