import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { CONFIGURATION_FILE, frontDoorConfiguration } from "../../lambdas/front-door/configuration.ts";
import { bundle, bundleAll } from "../../lib/constructs/bundle.ts";
import { entries } from "../../lib/functions.ts";
import { drainByCasement } from "./drain-ours.ts";
import { drainByKubectl } from "./drain-peer.ts";
import { type MirrorFigures, mostCalls, mostCommands } from "./mirror-figures.ts";
import { type BenchSimulator, benchSimulator } from "./simulator.ts";

/** One line of .bench/results.json. */
interface Result {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly peer: string;
  readonly peerValue: number;
  readonly ratio: number;
}

const FOLDER = resolve(".bench");
const COLD_STARTS = 40;
const WARM_UP = 200;
const WARM = 2000;
/** Processes of either side that answer warm, one after the other: a pause of the host falls into one of them. */
const WARM_ROUNDS = 5;
const STOCK = "stock Bolt handler";

const round = (value: number): number => Math.round(value * 10) / 10;
const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * q))] ??
  Number.NaN;

const compared = (name: string, unit: string, value: number, peerValue: number, peer = STOCK): Result => ({
  ...{ name, unit, peer, value: round(value), peerValue: round(peerValue) },
  ratio: Math.round((value / peerValue) * 100) / 100,
});

let typed = 0;

/** `/win add web 1` by the operator, signed now, with a trigger of its own. */
function event({ signingSecret, configuration }: BenchSimulator): object {
  const { teamId, channel, appId } = configuration.slack;
  typed += 1;
  const body = new URLSearchParams({
    ...{ team_id: teamId, channel_id: channel, user_id: "U0OPERATOR", user_name: "olivia", api_app_id: appId },
    ...{ command: configuration.command, text: "add web 1", trigger_id: `bench.${process.pid}.${typed}` },
    ...{ response_url: "https://hooks.slack.invalid/commands/1" },
  }).toString();
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", signingSecret).update(`v0:${at}:${body}`).digest("hex");
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "x-slack-request-timestamp": String(at),
    "x-slack-signature": `v0=${signature}`,
  };
  return { headers, body, isBase64Encoded: false };
}

/** Runs one of the measuring scripts on a bundle, in a process as bare as Lambda's. */
function runScript<T>(script: string, folder: string, simulator: BenchSimulator, input: string): Promise<T> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, script), folder], {
      env: { ...simulator.environment },
      stdio: ["pipe", "pipe", "inherit"],
      timeout: 60_000,
    });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", failed);
    child.on("close", (code) =>
      code === 0 ? done(JSON.parse(output)) : failed(new Error(`${script} ended with ${code}`)),
    );
    child.stdin.end(input);
  });
}

interface Cold {
  readonly import: number;
  readonly total: number;
  readonly status: number;
  readonly body: string;
}

async function coldStart(folder: string, simulator: BenchSimulator): Promise<Cold> {
  const cold = await runScript<Cold>("cold.mjs", folder, simulator, JSON.stringify(event(simulator)));
  if (cold.status !== 200 || !cold.body.includes("To stop it"))
    throw new Error(`${folder} answered ${cold.status}: ${cold.body}`);
  return cold;
}

async function warmTimes(folder: string, simulator: BenchSimulator): Promise<number[]> {
  const events = Array.from({ length: WARM_UP + WARM }, () => JSON.stringify(event(simulator)));
  return (await runScript<number[]>("warm.mjs", folder, simulator, events.join("\n"))).slice(WARM_UP);
}

async function kilobytes(folder: string): Promise<number> {
  const code = (await readdir(folder)).filter((name) => /\.[cm]js$/.test(name));
  const sizes = await Promise.all(code.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

/** Bundles both: ours as it is deployed, the stock one as esbuild does it by itself. */
async function bundles({ configuration }: BenchSimulator): Promise<{ ours: string; stock: string }> {
  const { "front-door": ours } = await bundleAll({ "front-door": entries["front-door"] }, FOLDER);
  const stock = join(FOLDER, "stock");
  await bundle("test/bench/stock/handler.ts", stock);
  for (const folder of [ours, stock])
    await writeFile(join(folder, CONFIGURATION_FILE), JSON.stringify(frontDoorConfiguration(configuration)));
  return { ours, stock };
}

/** One after the other, so that whatever else the machine does falls on both alike. */
async function coldStarts({ ours, stock }: { ours: string; stock: string }, simulator: BenchSimulator) {
  const times: { ours: Cold[]; stock: Cold[] } = { ours: [], stock: [] };
  for (let round = -1; round < COLD_STARTS; round += 1) {
    const pair = { ours: await coldStart(ours, simulator), stock: await coldStart(stock, simulator) };
    // The first pair only fills the file system's cache.
    if (round >= 0) {
      times.ours.push(pair.ours);
      times.stock.push(pair.stock);
    }
  }
  return times;
}

/** 300 pods under 30 budgets, drained by Casement and by kubectl, one after the other on the same kind of server. */
async function drains(): Promise<Result[]> {
  const [ours, theirs] = [await drainByCasement(), await drainByKubectl()];
  return [
    compared("drain-time", "s", ours.seconds, theirs.seconds, "kubectl"),
    compared("drain-requests", "requests", ours.requests, theirs.requests, "kubectl"),
  ];
}

/** Runs a file of the lane bench. @returns what it has written */
async function measuredBy<T>(name: string): Promise<T> {
  const file = `test/bench/${name}.test.ts`;
  const lane = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--project", "bench", file], {
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 25 * 60_000,
  });
  const code = await new Promise<number | null>((done) => lane.on("close", done));
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
  return JSON.parse(await readFile(join(FOLDER, `${name}.json`), "utf8"));
}

/** 100 nodes rebooted by one rollout in the sandbox's time, beside ten times its slowest node: ten are away at once. */
async function rollout(): Promise<Result> {
  const { value, slowest } = await measuredBy<{ readonly value: number; readonly slowest: number }>("reboot-100");
  return compared("reboot-100", "s", value, 10 * slowest, "ten times the slowest node");
}

/** A tick without a change, and an edited mirror set, on clusters of 10, 100 and 1,000 nodes. */
async function mirrors(): Promise<Result[]> {
  const all = await measuredBy<readonly MirrorFigures[]>("mirrors");
  const ten = all[0]?.seconds ?? Number.NaN;
  return all.flatMap(({ nodes, quietCalls, sendCommands, seconds }) => [
    compared(`mirrors-quiet ${nodes}`, "calls", quietCalls, mostCalls(nodes), "the limit"),
    compared(`mirrors-change ${nodes}`, "commands", sendCommands, mostCommands(nodes), "the limit"),
    compared(`mirrors-change ${nodes}`, "s", seconds, ten, "ten nodes"),
  ]);
}

/** Figures that are measured together. */
interface Bench {
  readonly figures: readonly string[];
  measure(parts: Bundled): Promise<readonly Result[]>;
}

interface Bundled {
  readonly folders: { readonly ours: string; readonly stock: string };
  readonly simulator: BenchSimulator;
}

const medianOf = (times: readonly Cold[], part: "total" | "import"): number =>
  quantile(
    times.map((time) => time[part]),
    0.5,
  );

const benches: readonly Bench[] = [
  {
    figures: ["bundle"],
    measure: async ({ folders }) => [
      compared("bundle", "KB", await kilobytes(folders.ours), await kilobytes(folders.stock)),
    ],
  },
  {
    figures: ["cold-ack", "cold-import"],
    measure: async ({ folders, simulator }) => {
      const { ours, stock } = await coldStarts(folders, simulator);
      return [
        compared("cold-ack", "ms", medianOf(ours, "total"), medianOf(stock, "total")),
        compared("cold-import", "ms", medianOf(ours, "import"), medianOf(stock, "import")),
      ];
    },
  },
  {
    figures: ["warm-ack-p99", "warm-ack-p50"],
    measure: async ({ folders, simulator }) => {
      const rounds: { ours: number[]; stock: number[] }[] = [];
      for (let round = 0; round < WARM_ROUNDS; round += 1) {
        rounds.push({
          ours: await warmTimes(folders.ours, simulator),
          stock: await warmTimes(folders.stock, simulator),
        });
      }
      const median = (side: "ours" | "stock", q: number): number =>
        quantile(
          rounds.map((round) => quantile(round[side], q)),
          0.5,
        );
      return [
        compared("warm-ack-p99", "ms", median("ours", 0.99), median("stock", 0.99)),
        compared("warm-ack-p50", "ms", median("ours", 0.5), median("stock", 0.5)),
      ];
    },
  },
  { figures: ["drain-time", "drain-requests"], measure: drains },
  { figures: ["reboot-100"], measure: async () => [await rollout()] },
  { figures: ["mirrors-quiet", "mirrors-change"], measure: mirrors },
];

/** Chooses what measures the named figures; without a name, everything. @throws RangeError for an unknown name */
function chosen(names: readonly string[]): readonly Bench[] {
  const known = benches.flatMap(({ figures }) => figures);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new RangeError(`There is no figure ${unknown.join(", ")}. Figures: ${known.join(", ")}.`);
  return names.length === 0 ? benches : benches.filter(({ figures }) => figures.some((name) => names.includes(name)));
}

/** Prints each figure when it is there, and before it what is being measured: some take minutes. */
async function measureAll(wanted: readonly Bench[], simulator: BenchSimulator): Promise<readonly Result[]> {
  const parts = { folders: await bundles(simulator), simulator };
  const results: Result[] = [];
  for (const { figures, measure } of wanted) {
    console.log(`measuring ${figures.join(", ")} …`);
    for (const result of await measure(parts)) {
      const { name, value, unit, peer, peerValue, ratio } = result;
      console.log(`${name}: ${value} ${unit}, ${peer} ${peerValue} ${unit}, ratio ${ratio}`);
      results.push(result);
    }
  }
  return results;
}

async function main(names: readonly string[]): Promise<void> {
  const wanted = chosen(names);
  console.log(
    `Node ${process.version} on ${cpus().length} × ${cpus()[0]?.model.trim()}; the peers run in the same run`,
  );
  const simulator = await benchSimulator();
  try {
    const results = await measureAll(wanted, simulator);
    if (wanted.length < benches.length) return;
    await mkdir(FOLDER, { recursive: true });
    await writeFile(join(FOLDER, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
  } finally {
    await simulator.close();
  }
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof RangeError ? error.message : error);
  process.exitCode = 1;
});
