import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../bin/connect/connect.ts";
import type { Terminal } from "../../bin/connect/terminal.ts";
import { readDeployment } from "../../lib/deployment.ts";
import { cleanUp, emptyFolder, type Running, start } from "../outside/running.ts";

const root = resolve(import.meta.dirname, "../..");
let here: Running;
let place: string;
let folder: string;

beforeAll(async () => {
  here = await start(emptyFolder());
  place = here.folder;
  folder = join(place, ".sandbox");
});

afterAll(cleanUp);

const pipe: Terminal = { isInteractive: false, note: () => undefined, read: async () => "", ask: async () => "" };
const atSandbox = (...words: string[]) => connect([...words, "--sandbox", folder], {}, pipe);

describe("npm run connect -- discover", () => {
  test("finds the sandbox that runs in its folder, says so in the first line, and leaves the outcome to a pipe", () => {
    const { CASEMENT_CONFIGURATION: _, ...env } = process.env;
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [join(root, "bin/connect.ts"), ...words], { cwd: place, env, encoding: "utf8" });
    const manifest = run("manifest");
    expect(manifest.stderr).toBe("This is the sandbox in .sandbox, not a real cluster.\n");
    expect(manifest.stdout).toMatch(/^# /);
    const discovered = run("discover");
    expect(discovered.stderr).toBe(manifest.stderr);
    expect(discovered.stdout).toMatch(
      /^Wrote \.sandbox\/prod-west\.slack-app\.yaml\.\nWrote \.sandbox\/prod-west\.yaml\.\nOf 1024 .*\nNext: /,
    );
    const again = run("discover");
    expect(again.stdout).toMatch(/^\.sandbox\/prod-west\.yaml is as it should be\.\n/);
    // The configuration of the sandbox's cluster means the sandbox, as long as one runs.
    expect(run("manifest", "--configuration", ".sandbox/prod-west.yaml").stderr).toBe(manifest.stderr);
    const frozen = run("freeze", "--reason", "x");
    expect({ code: frozen.status, text: frozen.stderr }).toEqual({
      code: 2,
      text: expect.stringMatching(/name the deployment/),
    });
  });

  test("discovers from the sandbox a configuration that a deployment takes, with every value found", async () => {
    const file = join(place, "whole.yaml");
    const { text } = await atSandbox("discover", "--configuration", file, "--on-call", "olivia,arjun");
    expect(text).not.toContain("still to be filled in");
    expect(text).toMatch(/^Of 1024 vCPUs that this account may run, 36 run: room for 247 nodes of 4 vCPUs\.$/m);
    const { cluster, aws, people, pools, slack } = readDeployment(file, Date.now());
    expect(cluster).toMatchObject({ name: "prod-west", id: "prod-west-x7k2p", serviceNetwork: "172.30.0.0/16" });
    expect(aws.securityGroups).toEqual({ controlPlane: "sg-0d10000000000a200", linuxNodes: "sg-0d10000000000a300" });
    expect(pools.web?.subnets).toEqual(["subnet-0a10000000000000a", "subnet-0b10000000000000b"]);
    expect(people["on-call"]).toEqual(["U0OPERATOR", "U0APPROVER"]);
    expect(slack).toMatchObject({ teamId: "T0CASEMENT", appId: "A0CASEMENT", channel: "C0WINDOWS" });
  });

  test("replaces no file of another content without showing the difference and asking", async () => {
    const file = join(place, "mine.yaml");
    const words = ["--configuration", file];
    await atSandbox("discover", ...words);
    const mine = readFileSync(file, "utf8").replace("hybridOverlayPort: 4789", "hybridOverlayPort: 4790");
    writeFileSync(file, mine);
    await expect(atSandbox("discover", ...words)).rejects.toThrow("add --yes to replace it; nothing was written");
    const notes: string[] = [];
    const person = (answer: string): Terminal => ({
      isInteractive: true,
      note: (line) => notes.push(line),
      read: async () => "",
      ask: async () => answer,
    });
    const asked = (answer: string) => connect(["discover", ...words, "--sandbox", folder], {}, person(answer));
    expect((await asked("no")).text).toContain(`${file} was left as it is.`);
    expect(notes.at(-1)).toMatch(/- {3}hybridOverlayPort: 4790 .*\n\+ {3}hybridOverlayPort: 4789 /);
    expect(readFileSync(file, "utf8")).toBe(mine);
    await asked("yes");
    expect(readFileSync(file, "utf8")).toContain("hybridOverlayPort: 4789");
  });

  test("discovers what the other services know while one refuses, and the file is refused with the paths", async () => {
    const file = join(place, "half.yaml");
    await here.control("POST /faults", { kind: "slack-refuses", match: { method: "users.conversations" } });
    const { text } = await atSandbox("discover", "--configuration", file);
    expect(text).toContain(
      "These values are still to be filled in:\n  slack.channel: Slack users.conversations: Slack ",
    );
    expect(() => readDeployment(file, Date.now())).toThrow(/not complete.*\n {2}slack\.channel$/);
  });
});

describe("npm run connect -- slack", () => {
  const manifest = () => readFileSync(join(folder, "prod-west.slack-app.yaml"), "utf8");
  const piped = (value: unknown) =>
    connect(["slack", "--from-stdin", "--sandbox", folder], {}, { ...pipe, read: async () => JSON.stringify(value) });
  const own = () => ({ signingSecret: here.endpoints.signingSecret, botToken: here.endpoints.botToken });

  test("asks for both secrets without showing them, tries and stores them, and writes the app's manifest", async () => {
    const { signingSecret, botToken } = here.endpoints;
    const left = [signingSecret, ` ${botToken}\n`];
    const hidden: (boolean | undefined)[] = [];
    const terminal: Terminal = {
      ...pipe,
      isInteractive: true,
      ask: async (_question, isHidden) => {
        hidden.push(isHidden);
        return left.shift() ?? "";
      },
    };
    const { text, code } = await connect(["slack", "--sandbox", folder], {}, terminal);
    expect({ hidden, code }).toEqual({ hidden: [true, true], code: 0 });
    expect(text).toMatch(
      /^Stored the secrets of the Slack app: Slack takes the token, and the front door the signature\./,
    );
    for (const secret of [signingSecret, botToken]) expect(text).not.toContain(secret);
    expect(manifest().split(here.endpoints.frontDoor)).toHaveLength(3);
    expect((await piped(own())).code).toBe(0);
  });

  test.each([
    ["a signing secret of another form", { signingSecret: "abc" }, /^signingSecret: must be the Signing Secret/],
    ["another kind of token", { botToken: "xapp-1" }, /^botToken: must be the Bot User OAuth Token/],
    ["a token that Slack refuses", { botToken: "xoxb-1-2" }, /Slack refused: invalid_auth; nothing was stored/],
  ])("stores nothing for %s", async (_, wrong, why) => {
    await expect(piped({ ...own(), ...wrong })).rejects.toThrow(why);
    expect(await atSandbox("check")).toMatchObject({ code: 0 });
  });

  test("waits while the front door goes by the secret from before", async () => {
    for (const secret of [{ ...own(), signingSecret: "0".repeat(32) }, own()])
      expect((await piped(secret)).code).toBe(0);
  });

  test("wants a terminal or a pipe", async () => {
    await expect(atSandbox("slack")).rejects.toThrow("pipe JSON with signingSecret and botToken to --from-stdin");
  });
});
