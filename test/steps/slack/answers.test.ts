import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { demo } from "../../../lib/sandbox/demo.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());
// Slack takes about one message a second in a channel.
beforeEach(() => simulator.pass(60));

const requester = { userId: "U0OPERATOR", userName: "olivia", channel: demo.slack.channelId };
const answer = { text: "here it is", blocks: [{ type: "section", text: { type: "mrkdwn", text: "here it is" } }] };

/** An address as Slack gives it out with a command, of an acknowledgement that is long gone. */
function issued(id: string): string {
  const urls = simulator.simulation.store.collection<object>("slack-response-urls");
  const { userId, channel } = requester;
  urls.set(id, { userId, channel, issuedAt: simulator.simulation.clock.now(), uses: 0 });
  return `http://slack.sandbox.test/commands/${demo.slack.teamId}/${id}`;
}

/** Slack's methods that answering an operation called. */
async function methodsFor(operation: string): Promise<string[]> {
  const before = simulator.simulation.calls.after(0).at(-1)?.seq ?? 0;
  await simulator.as("look").answers.give(operation, requester, answer);
  return simulator.simulation.calls
    .after(before)
    .filter(({ service }) => service === "slack")
    .map(({ action }) => action);
}

it("goes to the address of the command, which the front door kept", async () => {
  await simulator.as("front-door").responseUrls.keep("nodes-1", issued("a1"));
  expect(await methodsFor("nodes-1")).toEqual(["response_url"]);
});

it("is a message of its own where no address was kept", async () => {
  expect(await methodsFor("nodes-2")).toEqual(["chat.postEphemeral"]);
});

it("does not use an address after 30 minutes, although DynamoDB has not deleted its item", async () => {
  await simulator.as("front-door").responseUrls.keep("nodes-3", issued("a3"));
  await simulator.pass(30 * 60);
  expect(await simulator.as("look").responseUrls.read("nodes-3")).toBeUndefined();
  expect(await methodsFor("nodes-3")).toEqual(["chat.postEphemeral"]);
});

it("is a message of its own when Slack says that the address is used up", async () => {
  const urls = simulator.simulation.store.collection<object>("slack-response-urls");
  await simulator.as("front-door").responseUrls.keep("nodes-4", issued("a4"));
  urls.set("a4", { ...urls.get("a4"), uses: 5 });
  expect(await methodsFor("nodes-4")).toEqual(["response_url", "chat.postEphemeral"]);
});

it.each([
  "https://collector.example/commands/T/a5",
  "http://slack.sandbox.test.collector.example/a5",
  "not an address",
])("goes to Slack alone, also when the ledger says %s", async (url) => {
  await simulator.as("front-door").responseUrls.keep("nodes-5", url);
  expect(await methodsFor("nodes-5")).toEqual(["chat.postEphemeral"]);
});
