import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectSound, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { batch, cordonByHand, ec2, otherWeb, shortName, web } from "../../others.ts";
import { openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";
import { type Name, people } from "../../slack-users.ts";

let here: Journey;

/** Looking changes nothing: tests that only look share a journey. */
function sharing(build: () => Promise<Journey>): void {
  beforeAll(async () => {
    here = await build();
  });
  afterAll(() => here.close());
}

/** Types, waits for whatever was started, and returns the last thing this person alone was told. */
async function answer(user: Name, text: string): Promise<string> {
  await here.type(user, text);
  await settled(here, 2);
  return privately(here, user).at(-1) ?? "";
}

/** Arjun without the user group that makes him an operator too. */
const approverOnly = { operator: ["U0OPERATOR"], approver: ["U0APPROVER"] };

/** The cells of a table's line that holds this word, cut where kubectl cuts: at three spaces. */
const cells = (table: string, word: string): string[] =>
  (table.split("\n").find((line) => line.includes(word)) ?? "").split(/ {3,}/);

describe("somebody who looks around", () => {
  sharing(withSeedNodes);

  test("lists the nodes of one pool, and those that are not Ready", async () => {
    const ofWeb = await answer("operator", "/win nodes web");
    expect(ofWeb).toContain(shortName(web));
    expect(ofWeb).not.toContain(shortName(batch));
    expect(await answer("operator", "/win nodes edge")).toContain("No Windows nodes of pool `edge` found");
    expect(await answer("operator", "/win nodes --notready")).toContain("No Windows node is NotReady.");
    expect(await answer("operator", "/win nodes wbe")).toContain("`web`");
  });

  test.each(["get nodes", "get no", "kubectl get nodes", "GET NODES", "  nodes  "])(
    "is also said %j",
    async (words) => {
      expect(await answer("approver", `/win ${words}`)).toContain(shortName(web));
    },
  );

  test("costs Slack no question about people that the schedule has answered", async () => {
    const before = here.simulator.simulation.calls.after(0).length;
    await answer("operator", "/win nodes");
    const asked = here.simulator.simulation.calls
      .after(0)
      .slice(before)
      .filter(({ service }) => service === "slack");
    expect(asked.map(({ action }) => action)).toEqual(["response_url"]);
  });

  test("is answered to the requester alone", async () => {
    await answer("operator", "/win nodes");
    expect(openly(here)).toEqual([]);
    expect(privately(here, "visitor")).toEqual([]);
  });

  test.each([
    ["its name", web.name],
    ["its short name", "ip-10-0-3-7"],
    ["its instance id", web.instanceId],
    ["a beginning of its instance id", web.instanceId.slice(0, 7)],
    ["its address", "10.0.3.7"],
    ["a unique beginning", "ip-10-0-3"],
  ])("finds a node by %s", async (_how, typed) => {
    const said = await answer("operator", `/win node ${typed}`);
    expect(said).toMatch(new RegExp(`Name: +${web.name}\n`));
    expect(said).toMatch(new RegExp(`Instance: +${web.instanceId}, m6i.xlarge, us-west-2c, running`));
    expect(said).toMatch(/Ownership: +managed/);
    expect(said).toMatch(/Ready +True .*KubeletReady/);
    expect(said).toMatch(/\*Pods \(\d\):\*/);
  });

  test.each(["describe node ip-10-0-3-7", "describe no/ip-10-0-3-7", "get node ip-10-0-3-7", "get nodes/ip-10-0-3-7"])(
    "is also said %j",
    async (words) => {
      expect(await answer("operator", `/win ${words}`)).toContain(web.instanceId);
    },
  );

  test("names the nodes that an unclear beginning could mean, and only those that run Windows", async () => {
    const said = await answer("operator", "/win node ip-10-0-1");
    expect(said).toContain("matches 2 nodes");
    expect(said).toContain(batch.name);
    expect(said).not.toContain("ip-10-0-1-10");
  });

  test.each(["web-9", "10.0.3", "ip-10-0-3-70", "i-0fffffffffffffff0"])("says that there is no %s", async (typed) => {
    expect(await answer("operator", `/win node ${typed}`)).toContain(`Windows node \`${typed}\` not found`);
    expect(await answer("operator", "/win operations")).toBe("No operations yet.");
    await expectSound(here);
  });
});

describe("on a cluster without Windows nodes", () => {
  sharing(startJourney);

  test.each(["nodes", "node ip-10-0-3-7", "operations", "add web", "remove ip-10-0-3-7", "cancel add-3f9c2a71"])(
    "somebody without a role is refused %j in private, and nothing starts",
    async (words) => {
      expect(await answer("visitor", `/win ${words}`)).toMatch(
        /You do not have permission to use .*Nothing was changed/,
      );
      expect(await here.operations()).toEqual([]);
      expect(here.simulator.lambda.executions()).toEqual([]);
      expect(openly(here)).toEqual([]);
    },
  );

  test.each([
    ["C0GENERAL0", /<#C0WINDOWS>/],
    ["C0PARTNERS", /<#C0WINDOWS>|shared with another organisation/],
  ])("in channel %s the right channel is named and nothing starts", async (channel, words) => {
    const shown = await here.drive(here.simulator.slack.ui.type(people.operator, channel, "/win add web 2"));
    expect(shown.messages.map(({ text }) => text).join()).toMatch(words);
    expect(shown.messages.every(({ onlyTo }) => onlyTo === people.operator)).toBe(true);
    expect(await here.operations()).toEqual([]);
  });

  test.each(["help add", "add --help", "add -h"])("%j explains the command", async (words) => {
    const said = await answer("operator", `/win ${words}`);
    for (const part of [
      '`/win add &lt;pool&gt; [count] [--dry-run] [--reason "&lt;reason&gt;"]`',
      "*pool*",
      "*count* (optional)",
      "Examples:",
    ])
      expect(said).toContain(part);
    expect(await here.operations()).toEqual([]);
  });

  test("an empty line is help", async () => {
    expect(await answer("operator", "/win")).toContain("Windows nodes of prod-west");
  });
});

describe("with seed nodes", () => {
  afterEach(() => here.close());

  test("shows kubectl's columns and ours, with kubectl's words for the status", async () => {
    here = await withSeedNodes();
    await cordonByHand(here, otherWeb);
    await ec2(here, "StopInstances", { "InstanceId.1": batch.instanceId });
    await here.pass(3);
    const table = await answer("operator", "/win nodes");
    expect(cells(table, "NAME")).toEqual([...["NAME", "STATUS", "POOL", "AGE", "BUILD"]]);
    expect(cells(table, shortName(web))).toEqual([
      ...[shortName(web), "Ready", "web", expect.stringMatching(/^\d+[msh]/), "10.0.20348"],
    ]);
    expect(cells(table, shortName(otherWeb))[1]).toBe("Ready,cordoned");
    expect(cells(table, shortName(batch))[1]).toBe("NotReady");
    expect(table).toMatch(/All: .*VERSION `v1\.34\.2`/);
    expect(table).not.toContain("ip-10-0-0-10");
    await expectSound(here);
  });

  test("says what to do where there are none", async () => {
    here = await startJourney();
    expect(await answer("operator", "/win nodes")).toMatch(/No Windows nodes found.*\/win help add/);
  });

  test("names the operation that works on it, and how to stop it", async () => {
    here = await withSeedNodes();
    await here.type("operator", "/win remove ip-10-0-3-7");
    await here.pass(0.2);
    await here.submit("operator");
    await here.type("approver", "/win node ip-10-0-3-7");
    await here.pass(0.1);
    expect(privately(here, "approver").at(-1)).toMatch(
      /`(remove-\w+)` is working on this node; `\/win cancel \1` stops it/,
    );
  });

  test("lists who asked for what and how it ended, newest first, and no looks", async () => {
    here = await withSeedNodes();
    await answer("operator", "/win nodes");
    await answer("operator", "/win add web --dry-run");
    await here.pass(5);
    await answer("operator", "/win remove ip-10-0-1-41");
    const table = await answer("approver", "/win operations");
    expect(table.split("\n")[1]?.split(/ {3,}/)).toEqual(["OPERATION", "STATUS", "AGE", "TOOK", "BY"]);
    expect(table.replace(/\s+/g, " ")).toMatch(
      /BY remove-\w{8} refused \w+ \w+ olivia Remove ip-10-0-1-41 .*has termination protection.* add-\w{8} succeeded 5m\w* \w+ olivia Dry run: add 1 node to web .*nothing was changed/,
    );
    expect(table).not.toMatch(/nodes-|operations-/);
  });

  test("an empty policy allows nobody anything but help", async () => {
    here = await startJourney({ configuration: { policy: {} } });
    for (const words of ["nodes", "add web", "operations"])
      expect(await answer("operator", `/win ${words}`)).toContain("do not have permission");
    expect(await answer("operator", "/win help")).toContain("Your roles allow no changes");
    expect(await here.operations()).toEqual([]);
  });

  test("whoever may only look and cancel may not add", async () => {
    here = await startJourney({ configuration: { people: approverOnly } });
    expect(await answer("approver", "/win add web")).toContain("You do not have permission to use `add`");
    expect(await answer("approver", "/win operations")).toContain("No operations yet");
  });

  test("lists every command and what of it this person may use", async () => {
    here = await startJourney({ configuration: { people: approverOnly } });
    const theirs = await answer("approver", "/win help");
    for (const word of ["help", "nodes", "node", "add", "remove", "operations", "cancel"])
      expect(theirs).toContain(`\`/win ${word}`);
    expect(theirs).toMatch(/\/win add .*no permission/);
    expect(theirs).not.toMatch(/\/win cancel .*no permission/);
    // A person who requests changes need not approve any, nor see everybody's.
    expect(await answer("operator", "/win help")).not.toMatch(/\/win (?!audit|approve|deny).*no permission/);
  });
});
