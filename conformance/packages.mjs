// Prints the packages of npm that the programs of agents-examples/typescript take, as
// name@version, when one of them or of ours is not installed here; nothing when all
// are. Both are installed into one node_modules, so they must agree on versions.
import { readFileSync } from "node:fs";

const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const ours = read("package.json");
const { dependencies, devDependencies } = read("../agents-examples/typescript/package.json");
const theirs = { ...dependencies, ...devDependencies };

for (const [name, version] of Object.entries(theirs)) {
  if ((ours.dependencies[name] ?? version) === version) continue;
  console.error(`${name} is ${ours.dependencies[name]} in conformance/package.json and ${version} in agents-examples/typescript`);
  process.exit(1);
}

// Optional packages are for one platform each.
const here = Object.entries(ours.optionalDependencies).filter(([name]) => name.endsWith(`${process.platform}-${process.arch}`));

function installed([name, version]) {
  try {
    return read(`node_modules/${name}/package.json`).version === version;
  } catch {
    return false;
  }
}

if (![...Object.entries({ ...ours.dependencies, ...theirs }), ...here].every(installed)) {
  console.log(Object.entries(theirs).map((one) => one.join("@")).join(" "));
}
