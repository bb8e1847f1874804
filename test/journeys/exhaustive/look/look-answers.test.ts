import { afterEach, expect, test, vi } from "vitest";
import type { SeenMessage } from "../../../../lib/sandbox/slack/message-log.ts";
import { calls, expectSound, ledgerItems, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault } from "../../outside.ts";
import { openly, privately } from "../../reading.ts";
import { people } from "../../slack-users.ts";

let here: Journey;
afterEach(async () => {
  vi.restoreAllMocks();
  await here.close();
});

/** Types a look and waits for its end. */
async function look(text = "/win operations"): Promise<void> {
  await here.type("operator", text);
  await settled(here, 2);
}

/** Messages that the operator alone sees. */
const toOperator = (): SeenMessage[] =>
  here.simulator.slack.messages().filter(({ onlyTo }) => onlyTo === people.operator);

const called = (action: string): number => calls(here, "slack", action).length;

/** The secret part of each address that Slack gave out. */
const responseIds = (): readonly string[] =>
  [...here.simulator.simulation.store.collection("slack-response-urls").keys()].map(String);

test("the answer to a look replaces its acknowledgement: one private message per look", async () => {
  here = await startJourney();
  await look("/win nodes");
  await look();
  const said = privately(here, "operator");
  expect(said).toHaveLength(2);
  expect(said[0]).toContain("No Windows nodes found");
  expect(said[1]).toBe("No operations yet.");
  expect(openly(here)).toEqual([]);
  expect(called("chat.postEphemeral")).toBe(0);
  await expectSound(here);
});

test("a mistake in a look replaces its acknowledgement too", async () => {
  here = await startJourney();
  await look("/win node ip-10-0-3-7");
  expect(privately(here, "operator")).toEqual([expect.stringContaining("not found")]);
});

test.each(["slack-5xx", "slack-slow"])(
  "under %s the answer is a message of its own, to the requester alone",
  async (kind) => {
    here = await startJourney();
    injectFault(here, kind, { method: "response_url" });
    await look();
    expect(privately(here, "operator")).toContain("No operations yet.");
    expect(called("chat.postEphemeral")).toBe(1);
    expect(openly(here)).toEqual([]);
  },
);

test("an address that has been used up is given up for a message of its own", async () => {
  here = await startJourney();
  await look();
  const urls = here.simulator.simulation.store.collection<{ readonly uses: number }>("slack-response-urls");
  const before = new Set(urls.keys());
  await here.type("operator", "/win operations");
  for (const id of urls.keys()) if (!before.has(id)) urls.set(id, { ...urls.get(id), uses: 5 });
  await settled(here, 2);
  expect(toOperator()).toHaveLength(3);
  expect(called("chat.postEphemeral")).toBe(1);
});

test("each address is in one item of the ledger and nowhere else: no payload, no call, no log, no message", async () => {
  const lines: unknown[] = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...line: unknown[]) => void lines.push(line));
  here = await startJourney();
  injectFault(here, "slack-5xx", { method: "response_url" });
  await look("/win nodes");
  await here.type("operator", "/win add web --dry-run");
  await settled(here, 5);
  const addresses = responseIds();
  expect(addresses).toHaveLength(2);
  const { store } = here.simulator.simulation;
  const executions = here.simulator.lambda.executions();
  const ledger = await ledgerItems(here);
  const kept = ledger.filter((item) => addresses.some((id) => JSON.stringify(item).includes(id)));
  expect(kept.map(({ pk }) => String(pk?.S).replace(/-\w+$/, "")).sort()).toEqual(["response#add", "response#nodes"]);
  const places = {
    calls: calls(here),
    executions,
    operations: executions.map(({ id }) => store.collection(`durable-operations/${id}`).values()),
    listed: await here.operations(),
    messages: here.simulator.slack.messages(),
    log: lines,
    ledger: ledger.filter((item) => !kept.includes(item)),
  };
  for (const [place, content] of Object.entries(places))
    for (const id of addresses) expect(JSON.stringify(content).includes(id), `${place} shows an address`).toBe(false);
});
