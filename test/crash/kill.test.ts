import { afterEach, expect, test } from "vitest";
import { heldBack } from "../outside/account.ts";
import { cleanUp, emptyFolder, launch, type Running, start, type, until } from "../outside/running.ts";
import { ended, expectAddedOnce, operationIn } from "./evidence.ts";

const LIMIT = 40_000;
const SPEED = ["--speed", "100"];

afterEach(cleanUp);

type World = Awaited<ReturnType<typeof ended>>;

/** Is a node of the operation in this stage? */
const stage =
  (name: string) =>
  (world: World): boolean =>
    operationIn(world)?.nodes.some((node) => node.stage === name) === true;

const rebooting = (world: World): boolean =>
  stage("features")(world) && world.machines.some(({ power }) => power === "shutting-down" || power === "booting");

const oneDone = (world: World): boolean =>
  world.nodes.length > 10 && operationIn(world)?.nodes.some((node) => node.stage === "admit") === true;

const asked = async (): Promise<Running> => {
  const running = await start(emptyFolder(), ...SPEED);
  expect((await type(running, "add web 2")).status).toBe(200);
  return running;
};

const when = (running: Running, moment: (world: World) => boolean): Promise<World> =>
  until("the moment to kill", async () => {
    const world = await running.control("GET /state");
    return moment(world) ? world : undefined;
  });

/** Kills, starts again on the same state, and sees that time has not gone back. */
async function killed(running: Running): Promise<Running> {
  const { now } = await running.control("GET /state");
  await running.signal("SIGKILL");
  const again = await start(running.folder, ...SPEED);
  expect((await again.control("GET /state")).now >= now).toBe(true);
  return again;
}

/** A start that is killed some way along: while it imports, opens its state, lets the residents move in. */
async function killedWhileStarting(folder: string, ms: number): Promise<void> {
  const { child, ended: gone } = launch(folder, ["--port", "0", ...SPEED]);
  await new Promise((resolve) => setTimeout(resolve, ms));
  child.kill("SIGKILL");
  await gone;
}

test.for([
  { name: "right after the answer", moment: () => true },
  { name: "while a node is launched", moment: stage("launch") },
  { name: "while its agent is awaited", moment: stage("agent") },
  { name: "while the route is guarded", moment: stage("guard") },
  { name: "while it reboots for its features", moment: rebooting },
  { name: "while it fetches its payload", moment: stage("payload") },
  { name: "while it is configured", moment: stage("configure") },
  { name: "while it joins", moment: stage("network") },
  { name: "just before the end", moment: oneDone },
])("an add that is killed $name goes on and ends as if nothing had been", { timeout: LIMIT }, async ({ moment }) => {
  const running = await asked();
  await when(running, moment);
  const again = await killed(running);
  await expectAddedOnce(again, await ended(again, LIMIT));
});

test("an add that is killed twice in a row, the second time before the sandbox stands, still ends well", {
  timeout: LIMIT,
}, async () => {
  const running = await asked();
  await when(running, stage("features"));
  await running.signal("SIGKILL");
  await killedWhileStarting(running.folder, 700);
  const again = await killed(await start(running.folder, ...SPEED));
  await expectAddedOnce(again, await ended(again, LIMIT));
});

test("a request that is cut off before its answer leaves nothing half done", { timeout: LIMIT }, async () => {
  let running = await start(emptyFolder(), ...SPEED);
  for (const ms of [10, 25, 40]) {
    const answer = type(running, "add web 2").catch(() => "cut off");
    await new Promise((resolve) => setTimeout(resolve, ms));
    running = await killed(running);
    await answer;
  }
  // Within half an hour the sweep finds what was asked for and never began; what began has ended.
  await running.control("POST /clock", { advance: 3_600 });
  const { operations } = await running.control("GET /state");
  for (const { status } of operations) expect(status).toMatch(/succeeded|failed/);
  expect(await heldBack(running)).toEqual([]);
});

test("a first start that is killed again and again is followed by a whole town", { timeout: LIMIT }, async () => {
  const folder = emptyFolder();
  for (const ms of [300, 500, 700, 900, 1_100]) await killedWhileStarting(folder, ms);
  const running = await start(folder, ...SPEED);
  const { nodes, instances } = await running.control("GET /state");
  expect(nodes).toHaveLength(9);
  expect(instances).toHaveLength(9);
});
