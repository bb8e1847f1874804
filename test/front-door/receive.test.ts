import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { commands } from "../../lambdas/commands/list.ts";
import { refusedByPolicy } from "../../lambdas/front-door/permission.ts";
import { executionName } from "../../lambdas/steps/executions.ts";
import { fakeFrontDoor, NOW } from "./fake-front-door.ts";
import { frontDoorInMemory } from "./front-door-in-memory.ts";

let { memory, answerTo, type, onlyOperation } = frontDoorInMemory();

beforeEach(() => {
  ({ memory, answerTo, type, onlyOperation } = frontDoorInMemory());
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a command", () => {
  test.each(["constructor", "__proto__", "toString"])(
    "of a user called %s is one of a person without a role",
    async (user_id) => {
      expect(await type("add web 2", { user_id })).toContain("You do not have permission to use `add`");
      expect(onlyOperation().status).toBe("refused");
    },
  );

  test("is written down, started under its own name, and answered with the way to look and to cancel", async () => {
    const said = await type("add web 2");
    const operation = onlyOperation();
    expect(operation).toMatchObject({
      status: "requested",
      request: { command: "add", pool: "web", count: 2, dryRun: false },
      asker: { userId: "U0OPERATOR", userName: "olivia", channel: "C0WINDOWS" },
      requestedAt: "2026-11-21T10:30:00.000Z",
    });
    expect(memory.executions.get(executionName(operation.id))).toEqual({
      workflow: "add-nodes",
      payload: {
        operation: operation.id,
        request: operation.request,
        asker: operation.asker,
        notAfter: NOW / 1000 + 900,
      },
    });
    expect(said).toBe(
      `Checking *Add 2 nodes to web* (\`${operation.id}\`)… What comes of it follows in this channel. To stop it: \`/win cancel ${operation.id}\``,
    );
  });

  test("delivered twice starts one operation and gets the same answer", async () => {
    const first = await answerTo("add web 2");
    expect(await answerTo("add web 2")).toEqual(first);
    expect(memory.operations.size).toBe(1);
    expect(memory.executions.size).toBe(1);
  });

  test("typed twice is two operations", async () => {
    await type("add web");
    await type("add web", { trigger_id: "1.2.4" });
    expect(memory.executions.size).toBe(2);
  });

  test("whose first delivery died before the start is started by the second", async () => {
    memory.broken.add("executions.start").add("ledger.changeOperation");
    await type("add web");
    memory.broken.clear();
    await type("add web");
    expect(memory.executions.size).toBe(1);
  });

  test("whose start is not taken says so, in the answer and in the ledger, also when it is delivered again", async () => {
    memory.broken.add("executions.start");
    const said = await type("add web");
    expect(said).toContain("Not started: Lambda did not accept the operation.");
    expect(onlyOperation()).toMatchObject({ status: "not-started", endedAt: "2026-11-21T10:30:00.000Z" });
    const why = new Error("executions.start does not answer");
    expect(console.error).toHaveBeenCalledWith(`start of ${onlyOperation().id} failed`, why);
    memory.broken.clear();
    expect(await type("add web")).toBe(said);
    expect(memory.executions.size).toBe(0);
  });

  test("that its workflow found to be a mistake gets its first answer when it is delivered again", async () => {
    const first = await type("node win-9");
    const { id, ...record } = onlyOperation();
    const ended = {
      status: "not-started",
      executionArn: "arn:1",
      endedAt: record.requestedAt,
      summary: "no such node",
    } as const;
    memory.operations.set(id, { id, ...record, ...ended });
    expect(await type("node win-9")).toBe(first);
  });

  test("whose repeat is not taken leaves the first start as it is", async () => {
    const said = await type("add web");
    memory.broken.add("executions.start");
    expect(await type("add web")).toBe(said);
    expect(onlyOperation().status).toBe("requested");
  });

  test("gets a sentence instead of silence when the ledger does not answer, and starts nothing", async () => {
    memory.broken.add("ledger.requested");
    expect(await type("add web")).toContain("is not responding");
    expect(memory.starts).toEqual([]);
  });

  test.each([
    ["nodes", { command: "nodes", pool: null }],
    ["describe node win-1", { command: "node", node: "win-1" }],
    ["operations", { command: "operations" }],
  ])("%j is looked up by a workflow, also for those who may only look", async (text, request) => {
    expect(await type(text, { user_id: "U0READER" })).toContain("Fetching the current state");
    expect([...memory.executions.values()]).toMatchObject([{ workflow: "look", payload: { request } }]);
  });

  test.each([
    ["a look", "nodes"],
    ["a change that may not begin", "add web"],
  ])("keeps where Slack takes the private answer to %s, and nowhere else", async (_, text) => {
    await type(text, { response_url: "https://hooks.slack.example/commands/look" });
    const [[, url] = ["", ""], ...others] = memory.responseUrls;
    expect([url, others]).toEqual(["https://hooks.slack.example/commands/look", []]);
    expect(JSON.stringify([...memory.executions.values(), ...memory.operations.values()])).not.toContain(url);
  });

  test("starts a look although where it is answered could not be kept", async () => {
    memory.broken.add("responseUrls.keep");
    expect(await type("nodes")).toContain("Fetching the current state");
    expect(memory.starts).toHaveLength(1);
    const why = new Error("responseUrls.keep does not answer");
    expect(console.error).toHaveBeenCalledWith(`storing the response URL of ${onlyOperation().id} failed`, why);
  });

  test.each(["add wbe", "add web two", "frobnicate", "add web 2 3"])(
    "%j is answered with the right form and starts nothing",
    async (text) => {
      expect(await type(text)).toMatch(/\/win (add|help)/);
      expect(memory.operations.size).toBe(0);
    },
  );
});

describe("help", () => {
  test("lists every command and says what the reader may not use", async () => {
    const visitor = JSON.stringify(await answerTo("", { user_id: "U0VISITOR0" }));
    expect(visitor.split("no permission").length - 1).toBe(commands.length - 1);
    expect(visitor).toContain("Your roles allow no changes");
    const operator = JSON.stringify(await answerTo("help"));
    expect(operator).not.toContain("no permission");
    expect(operator).toContain("`/win add &lt;pool&gt; [count] [--dry-run] [--reason ");
  });

  test("explains one command", async () => {
    const said = JSON.stringify(await answerTo("help add"));
    expect(said).toContain("above the pool's maximum");
    expect(said).toContain("`/win add web 2 --dry-run`");
  });
});

describe("somebody who may not", () => {
  test("is told in private when the policy says no, and the refusal is kept", async () => {
    expect(await type("add web", { user_id: "U0VISITOR0" })).toContain("do not have permission to use `add`");
    expect(memory.starts).toEqual([]);
    expect(onlyOperation()).toMatchObject({ status: "refused", endedAt: "2026-11-21T10:30:00.000Z" });
  });

  test("gets no other answer for the same request when the policy has changed", async () => {
    const first = await type("add web", { user_id: "U0VISITOR0" });
    memory.members.push("U0VISITOR0");
    expect(await type("add web", { user_id: "U0VISITOR0" })).toBe(first);
    expect(memory.starts).toEqual([]);
  });

  test.each([
    ["is of another workspace", { team_id: "T0OTHER" }, "Casement's own workspace"],
    ["types in another channel", { channel_id: "C0RANDOM" }, "<#C0WINDOWS>"],
    ["writes to the bot directly", { channel_id: "D0DIRECT" }, "<#C0WINDOWS>"],
  ])("is told in private who %s, and nothing is written or started", async (_why, fields, sentence) => {
    expect(await type("add web", { user_id: "U0OPERATOR", ...fields })).toContain(sentence);
    expect(memory.operations.size).toBe(0);
  });

  test.each([
    ["guest", "Guests"],
    ["bot", "Bots cannot use Casement"],
    ["shared-channel", "another organisation"],
  ] as const)("is told in private as a %s, whatever the roles", async (membership, sentence) => {
    memory.memberships.set("U0OPERATOR", membership);
    expect(await type("add web")).toContain(sentence);
    expect(await type("help")).toContain(sentence);
    expect(memory.operations.size).toBe(0);
  });

  test("learns that nobody knows the user groups, when the roster is too old, and may ask again later", async () => {
    memory.hasNoRoster = true;
    const said = await type("add web");
    expect(said).toContain("cannot tell who is in your user groups");
    expect(said).toContain("Try again in five minutes");
    expect(said).not.toContain("do not have permission");
    expect(JSON.stringify(await answerTo("help"))).toContain("cannot tell who is in your user groups");
    expect(memory.starts).toEqual([]);
    memory.hasNoRoster = false;
    expect(await type("add web", { trigger_id: "1.2.4" })).toContain("Checking");
  });

  test("is refused by the policy without a roster too, where no user group may use the command", async () => {
    memory.hasNoRoster = true;
    expect(await type("nodes", { user_id: "U0READER" })).toContain("Fetching the current state");
    const { door } = fakeFrontDoor();
    const readersAlone = { ...door, configuration: { ...door.configuration, policy: { add: ["reader"] } } };
    const person = { roles: [], unreadablePools: [], unknownGroups: true };
    expect(refusedByPolicy(readersAlone, "add", person)).toMatchObject({ kind: "policy", allowed: ["U0READER"] });
  });

  test("gets nothing done while the directory cannot be read", async () => {
    memory.broken.add("roster.read");
    expect(await type("add web")).toContain("is not responding");
    expect(memory.operations.size).toBe(0);
  });
});
