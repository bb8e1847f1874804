import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { arch, homedir, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "casement-bare-"));
const MINUTE = 60_000;

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }), 3 * MINUTE);

const oldest = "20.20.2";

/** Each Node that is supported, with the npm that its installer brings (nodejs.org/dist/index.json). */
const machines = [
  { node: oldest, npm: "10.8.2" },
  { node: "22.23.3", npm: "10.9.4" },
  { node: "24.21.0", npm: "11.6.2" },
] as const;

type Machine = (typeof machines)[number];

/** Commands of coreutils that macOS has too, and the three programs that everything needs. */
const commands =
  "basename cat chmod cp cut date dirname echo env expr false head id ln ls mkdir mktemp mv pwd readlink rm rmdir sleep sort tail tee touch tr true uname uniq wc whoami git sh".split(
    " ",
  );

const where = (command: string): string | undefined =>
  ["/usr/local/bin", "/usr/bin", "/bin"].map((place) => join(place, command)).find(existsSync);

/** The way to the registry is the host's; nothing else of its environment is taken over. */
const wayToRegistry = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ NPM_CONFIG_USERCONFIG: join(homedir(), ".npmrc"), ...process.env }).filter(([name]) =>
      /^(NPM_CONFIG_USERCONFIG|npm_config_registry|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i.test(name),
    ),
  ) as Record<string, string>;

/** Exit code and output of a command. */
interface End {
  readonly code: number | null;
  readonly output: string;
}

/** A machine with one Node, its npm, git, sh and coreutils, and a clone of the last commit. */
class BareMachine {
  readonly clone: string;
  readonly #environment: Record<string, string>;

  constructor({ node, npm }: Machine) {
    const place = join(folder, node);
    const [bin, packages] = [join(place, "bin"), join(place, "packages")];
    // A folder's name may hold a space and an umlaut.
    this.clone = join(place, "a clone für Windows");
    mkdirSync(bin, { recursive: true });
    mkdirSync(packages);
    const nodePackage = `node-${platform()}-${arch()}`;
    const wanted = [`${nodePackage}@${node}`, `npm@${npm}`];
    execFileSync("npm", ["install", "--prefix", packages, "--ignore-scripts", "--loglevel=error", ...wanted]);
    symlinkSync(join(packages, "node_modules", nodePackage, "bin/node"), join(bin, "node"));
    for (const name of ["npm", "npx"])
      symlinkSync(join(packages, "node_modules/npm/bin", `${name}-cli.js`), join(bin, name));
    for (const name of commands) symlinkSync(where(name) ?? "", join(bin, name));
    execFileSync("git", ["clone", "--quiet", "--no-hardlinks", repository, this.clone]);
    this.#environment = { PATH: bin, HOME: place, ...wayToRegistry() };
  }

  #spawn(command: string): { readonly child: ChildProcess; readonly ended: Promise<End>; said(): string } {
    const child = spawn("sh", ["-c", command], { cwd: this.clone, env: this.#environment, detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    const ended = new Promise<End>((resolve) => {
      child.on("close", (code) => resolve({ code, output }));
    });
    return { child, ended, said: () => output };
  }

  /** Runs a command to its end. */
  run(command: string): Promise<End> {
    return this.#spawn(command).ended;
  }

  /** Runs `npm start` until its banner stands there, and then presses Ctrl-C. */
  async start(): Promise<End> {
    const { child, ended, said } = this.#spawn("npm start -- --port 0");
    const until = Date.now() + 4 * MINUTE;
    while (child.exitCode === null && !said().includes("Casement sandbox") && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 200));
    // Ctrl-C reaches every process in the foreground.
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGINT");
    return ended;
  }
}

describe.each(machines)(
  "a bare machine with Node $node and npm $npm, no compiler, no cmake and no Python",
  (versions) => {
    let bare: BareMachine;
    beforeAll(() => {
      bare = new BareMachine(versions);
    }, 3 * MINUTE);

    test("installs and raises the sandbox with npm start", { timeout: 5 * MINUTE }, async () => {
      const { output } = await bare.start();
      expect(output).toContain("Casement sandbox");
      expect(output).not.toMatch(/npm (error|ERR!)/);
    });

    // `npm test` runs under the Node that it has installed, the same one on each machine.
    test.runIf(versions.node === oldest)("passes npm test", { timeout: 15 * MINUTE }, async () => {
      const { code, output } = await bare.run("npm test");
      expect(code, output.slice(-4_000)).toBe(0);
    });
  },
);
