import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { connect } from "../../bin/connect/connect.ts";
import { ledgerItems } from "./account.ts";
import { cleanUp, emptyFolder, start, type, until } from "./running.ts";

afterEach(cleanUp);

test("a freeze from the terminal refuses what comes next, with its reason, until it is lifted there", async () => {
  const here = await start(emptyFolder());
  const atTerminal = (...words: string[]) => connect([...words, "--sandbox", join(here.folder, ".sandbox")], {});
  /** The statuses of all drains, once there are so many and none is being planned. */
  const statuses = (count: number): Promise<string[]> =>
    until(`${count} drains`, async () => {
      const { operations } = await here.control("GET /state");
      const all = operations.filter(({ command }) => command === "drain").map(({ status }) => status);
      return all.length === count && !all.includes("running") ? all.toSorted() : undefined;
    });
  const { nodes } = await here.control("GET /state");
  const [node] = nodes.filter(({ metadata }) => Object(metadata).labels?.["kubernetes.io/os"] === "windows");
  const drain = () => type(here, `/win drain ${Object(node?.metadata).name}`);

  await atTerminal("freeze", "--reason", "INC-4711");
  await drain();
  expect(await statuses(1)).toEqual(["failed"]);
  const frozen = /the cluster is frozen by .+ at a terminal \(INC-4711\)/;
  const summaries = async () => (await ledgerItems(here)).flatMap(({ summary }) => (summary ? [String(summary)] : []));
  expect(await summaries()).toEqual([expect.stringMatching(frozen)]);
  await atTerminal("thaw");
  await drain();
  await statuses(2);
  expect((await summaries()).filter((one) => frozen.test(one))).toHaveLength(1);
});
