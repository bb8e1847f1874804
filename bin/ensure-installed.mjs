// Runs before `npm start` and `npm test`, under any Node of the machine (20 or newer). If node_modules is missing or
// differs from package-lock.json, installs exactly the locked packages. Everything after this runs under Node 24, which
// is one of the packages: npm puts node_modules/.bin first on PATH.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "node_modules");

/** Reads the packages of a lock file. npm writes the one in node_modules after each complete installation. */
const packagesOf = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : {});

/** Is each wanted package installed in the wanted version? Optional ones may be for other platforms. */
const complete = (wanted, installed) =>
  Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === "" || installed[path]?.version === version || (optional && installed[path] === undefined),
  );

const fail = (why) => {
  console.error(`casement: ${why}`);
  process.exit(1);
};

/** Removes node_modules from PATH: npm must not run on the Node 24 that it is about to replace. */
const pathOutside = () =>
  process.env.PATH.split(delimiter)
    .filter((folder) => !folder.startsWith(modules))
    .join(delimiter);

const install = (count) => {
  console.log(`casement: installing ${count} packages as package-lock.json says (once, about half a minute)`);
  const { status, error } = spawnSync("npm", ["ci", "--loglevel=error", "--no-audit", "--no-fund"], {
    cwd: root,
    env: { ...process.env, PATH: pathOutside() },
    shell: process.platform === "win32",
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (error) fail(`npm did not start: ${error.message}`);
  if (status !== 0) fail(`npm ci failed (exit ${status}); its own words are above`);
};

const wanted = packagesOf(join(root, "package-lock.json"));
if (!complete(wanted, packagesOf(join(modules, ".package-lock.json")))) {
  install(Object.values(wanted).filter(({ optional }) => !optional).length);
}
if (!existsSync(join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node"))) {
  fail("Node 24 was not installed because install scripts are off: run `npm rebuild node --ignore-scripts=false`");
}
