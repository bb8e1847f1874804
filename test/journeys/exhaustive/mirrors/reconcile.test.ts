import { afterEach, describe, expect, test } from "vitest";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { createSet, filesOn, nodes, reconciles, said, startMirroring } from "../../mirroring.ts";
import { edge, type SeedNode } from "../../others.ts";
import { openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };
const FILE = "quay.io\\hosts.toml";

const has = (node: SeedNode): boolean => FILE in filesOn(here, node);
const answer = (): string => privately(here, "operator").at(-1) ?? "";

/** Types a command and waits for its end. */
async function run(command: string): Promise<void> {
  await here.type("operator", command);
  await here.until(() => here.simulator.lambda.executions().every(({ status }) => status !== "RUNNING"), 30, "the end");
}

describe("/win reconcile", () => {
  test("with --dry-run shows nodes and files and changes nothing", async () => {
    here = await startMirroring();
    await createSet(here, "tag", "team", quay);
    await run("/win reconcile --dry-run");
    expect(answer()).toContain("3 nodes would be changed, one first.");
    for (const { name } of nodes) expect(answer()).toContain(`\`${name}\``);
    expect(answer()).not.toContain(edge.name);
    expect(answer()).toContain("C:\\k\\containerd\\registries\\quay.io\\hosts.toml");
    await run("/win reconcile ip-10-0-3-7 --dry-run");
    expect(answer()).toContain("1 node would be changed.");
    expect(nodes.some(has)).toBe(false);
    await here.until(() => said(here, "3 nodes updated") === 1, 12, "the schedule");
    await run("/win reconcile --dry-run");
    expect(answer()).toContain("nothing to change");
    await run("/win reconcile");
    await here.type("operator", "/win operations");
    await here.pass(1);
    expect(answer()).toContain("No node differed. Nothing was changed.");
    await expectSound(here);
  });

  test("writes at once what the schedule would write later, to one node, to a pool, to all", async () => {
    here = await startMirroring();
    await createSet(here, "tag", "team", quay);
    await run("/win reconcile ip-10-0-3-7");
    expect(nodes.map(has)).toEqual([true, false, false]);
    await run("/win reconcile batch");
    expect(nodes.map(has)).toEqual([true, false, true]);
    await run("/win reconcile");
    expect(nodes.map(has)).toEqual([true, true, true]);
    expect((await reconciles(here)).map(({ asker, status }) => [asker?.userId, status])).toEqual(
      nodes.map(() => ["U0OPERATOR", "succeeded"]),
    );
    await here.pass(6);
    expect(await reconciles(here)).toHaveLength(3);
    await expectSound(here);
  });

  test.for([
    ["a node that does not exist", "/win reconcile nosuch", /Windows node `nosuch` not found/],
    [
      "a node that Casement does not manage",
      "/win reconcile ip-10-0-1-52",
      /nothing to change\.\n• `ip-10-0-1-52\S*` is not a node that Casement provisioned/,
    ],
    ["a pool whose label others alone have set", "/win reconcile edge", /Pool `edge` has no Windows nodes\./],
  ] as const)("of %s changes nothing and says why", async ([, command, why]) => {
    here = await startMirroring();
    await createSet(here, "tag", "team", quay);
    await run(command);
    expect([answer(), ...openly(here)].join("\n")).toMatch(why);
    expect([answer(), ...openly(here)].join("\n")).not.toContain("cannot be listed");
    expect([...nodes, edge].some(has)).toBe(false);
  });

  test("of a person without the right changes nothing", async () => {
    here = await startMirroring();
    await createSet(here, "tag", "team", quay);
    await here.type("visitor", "/win reconcile");
    await here.pass(1);
    expect(privately(here, "visitor").at(-1)).toContain("do not have permission to use `reconcile`");
    expect(nodes.some(has)).toBe(false);
    expect(await reconciles(here)).toEqual([]);
  });
});

describe("/win mirrors", () => {
  test("shows what nodes have, and a registry of which no set speaks", async () => {
    here = await startMirroring();
    await createSet(here, "tag", "team", quay);
    expect((await look(here, "/win mirrors")).said).toMatch(/⏳ `quay\.io` .* on 0 of 3 nodes; not yet on `ip-10/);
    await run("/win reconcile");
    expect((await look(here, "/win mirrors")).said).toMatch(/✅ `quay\.io` .* on all 3 nodes/);
    const { said: none } = await look(here, "/win mirrors registry.redhat.io");
    expect(none).toContain("No mirror set concerns `registry.redhat.io`: Windows nodes pull from it directly.");
  });
});
