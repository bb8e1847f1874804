import { afterEach, expect, test } from "vitest";
import { heldBack } from "../outside/account.ts";
import { cleanUp, emptyFolder, launch, type Running, start, type, until } from "../outside/running.ts";
import { ended, expectAddedOnce, operationIn } from "./evidence.ts";

/** A free machine needs a tenth of it. */
const LIMIT = 180_000;
const HOUR = { advance: 3_600 };
const STEP = { advance: 5 };
const STEPS = 720;

afterEach(cleanUp);

type SandboxState = Awaited<ReturnType<typeof ended>>;

/** Is a node of the operation in this stage? */
const stage =
  (name: string) =>
  (state: SandboxState): boolean =>
    operationIn(state)?.nodes.some((node) => node.stage === name) === true;

const rebooting = (state: SandboxState): boolean =>
  stage("features")(state) && state.machines.some(({ power }) => power === "shutting-down" || power === "booting");

const asked = async (): Promise<Running> => {
  const running = await start(emptyFolder());
  expect((await type(running, "add web 2")).status).toBe(200);
  return running;
};

/**
 * Kills at a moment of the add, while time moves on. Until then time moves by hand and in small steps, each shorter than
 * the shortest stage: however slow the machine is, no moment passes unseen.
 */
async function killedAt(running: Running, moment: (state: SandboxState) => boolean): Promise<SandboxState> {
  for (let step = 0; step < STEPS; step += 1) {
    const state = await running.control("GET /state");
    if (moment(state)) {
      const moved = running.control("POST /clock", HOUR).catch(() => "cut off");
      await new Promise((resolve) => setTimeout(resolve, 20));
      await running.signal("SIGKILL");
      await moved;
      return state;
    }
    await running.control("POST /clock", STEP);
  }
  throw new Error(`the moment to kill did not come within ${STEPS * STEP.advance} s of sandbox time`);
}

/** Starts again on the same state, and sees that time has not gone back. */
async function again({ folder }: Running, { now }: Pick<SandboxState, "now">): Promise<Running> {
  const running = await start(folder);
  expect((await running.control("GET /state")).now >= now).toBe(true);
  return running;
}

/** A start that is killed some way along: while it imports, opens its state, seeds the nodes. */
async function killedWhileStarting(folder: string, ms: number): Promise<void> {
  const { child, ended: gone } = launch(folder, ["--port", "0"]);
  await new Promise((resolve) => setTimeout(resolve, ms));
  child.kill("SIGKILL");
  await gone;
}

test.for([
  {
    name: "right after the answer, while the route is guarded, and while it is configured",
    moments: [() => true, stage("guard"), stage("configure")],
  },
  {
    name: "while a node is launched, while it reboots for its features, and while it joins",
    moments: [stage("launch"), rebooting, stage("network")],
  },
  {
    name: "while its agent is awaited, while it fetches its payload, and just before the end",
    moments: [stage("agent"), stage("payload"), stage("admit")],
  },
])("an add that is killed $name goes on and ends as if nothing had been", { timeout: LIMIT }, async ({ moments }) => {
  let running = await asked();
  for (const moment of moments) running = await again(running, await killedAt(running, moment));
  await running.control("POST /clock", HOUR);
  await expectAddedOnce(running, await ended(running, LIMIT));
});

test("an add that is killed twice in a row, the second time before the sandbox stands, still ends well", {
  timeout: LIMIT,
}, async () => {
  const running = await asked();
  const seen = await killedAt(running, stage("features"));
  await killedWhileStarting(running.folder, 700);
  const third = await again(running, seen);
  const last = await again(third, await killedAt(third, stage("configure")));
  await last.control("POST /clock", HOUR);
  await expectAddedOnce(last, await ended(last, LIMIT));
});

test("an add goes on in the sandbox's own pace, too", { timeout: LIMIT }, async () => {
  const first = await start(emptyFolder(), "--speed", "20");
  await type(first, "add web 2");
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await first.signal("SIGKILL");
  const second = await start(first.folder, "--speed", "20");
  const before = operationIn(await second.control("GET /state"));
  await until("a change", async () => {
    const now = operationIn(await second.control("GET /state"));
    return JSON.stringify(now) !== JSON.stringify(before) || undefined;
  });
});

test("a sandbox that is killed at a high speed goes on where it stopped, and with what it accepted", {
  timeout: LIMIT,
}, async () => {
  const first = await start(emptyFolder(), "--speed", "300");
  await type(first, "add web 2");
  const { now } = await first.control("GET /state");
  await first.signal("SIGKILL");
  const second = await start(first.folder, "--speed", "300");
  const resumed = await second.control("GET /state");
  expect(Date.parse(resumed.now) - Date.parse(now)).toBeLessThan(5 * 60_000);
  await second.control("POST /clock", { advance: 120 });
  const operation = operationIn(await second.control("GET /state"));
  expect([operation?.status, operation?.nodes.length]).toEqual(["running", 2]);
});

test("a request that is cut off before its answer leaves nothing half done", { timeout: LIMIT }, async () => {
  let running = await start(emptyFolder());
  for (const ms of [10, 25, 40]) {
    const answer = type(running, "add web 2").catch(() => "cut off");
    await new Promise((resolve) => setTimeout(resolve, ms));
    await running.signal("SIGKILL");
    await answer;
    running = await start(running.folder);
  }
  // Within half an hour the sweep finds what was asked for and never began; what began has ended.
  await running.control("POST /clock", HOUR);
  const { operations } = await running.control("GET /state");
  for (const { status } of operations) expect(status).toMatch(/succeeded|failed/);
  expect(await heldBack(running)).toEqual([]);
});

test("a first start that is killed again and again is followed by a complete one", { timeout: LIMIT }, async () => {
  const folder = emptyFolder();
  for (const ms of [300, 500, 700, 900, 1_100]) await killedWhileStarting(folder, ms);
  const running = await start(folder);
  const { nodes, instances } = await running.control("GET /state");
  expect(nodes).toHaveLength(9);
  expect(instances).toHaveLength(9);
});
