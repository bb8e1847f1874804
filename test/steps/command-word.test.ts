import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RUNTIME_KEY } from "../../lambdas/configuration/runtime-key.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { type TestSimulator, testSimulator } from "./test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
  publish({ configuration: { ...simulator.configuration, command: "/win-b" }, payload: {} });
});
afterAll(() => simulator.close());

const publish = (document: object): string => simulator.s3.seed(demo.bucket, RUNTIME_KEY, JSON.stringify(document));
const said = () => simulator.slack.messages().map(({ text }) => text);
const saying = (text: string) => ({ text, blocks: [{ type: "section", text: { type: "mrkdwn", text } }] });

describe("The command word of the newest rules", () => {
  it("stands in what is posted, what replaces it, and what one person reads", async () => {
    const { thread } = simulator.as("remove-node");
    const ts = await thread.post(demo.slack.channelId, saying("post {win}"), "first");
    await simulator.pass(60);
    await thread.update(demo.slack.channelId, ts, saying("update {win}"));
    await thread.sendEphemeral(demo.slack.channelId, "U0OPERATOR", saying("private {win}"));
    expect(said()).toEqual(["update /win-b", "private /win-b"]);
  });

  it("stands in the answer to a look", async () => {
    const requester = { channel: demo.slack.channelId, userId: "U0OPERATOR", userName: "olga" };
    await simulator.as("look").answers.give("node-3f9c2a71", requester, saying("answer {win}"));
    expect(said()).toContain("answer /win-b");
  });

  it("stands in the Events of a Node", async () => {
    const node = { name: "ip-10-0-3-7", uid: "4f6e" };
    await simulator.as("drain-node").nodes.announce(node, "Warning", "CasementLeftNode", "run {win} uncordon");
    expect(JSON.stringify(simulator.kubernetes.objects("events"))).toContain("run /win-b uncordon");
  });

  it("is /win where the rules cannot be read", async () => {
    publish({ configuration: { people: "moved elsewhere" }, payload: {} });
    await simulator.pass(60);
    await simulator.as("remove-node").thread.post(demo.slack.channelId, saying("unread {win}"), "second");
    expect(said()).toContain("unread /win");
  });
});
