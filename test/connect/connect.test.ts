import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../bin/connect/connect.ts";

const root = resolve(import.meta.dirname, "../..");
const place = mkdtempSync(join(tmpdir(), "casement-connect-"));
const folder = join(place, ".sandbox");
let sandbox: ChildProcess;

const atSandbox = (...words: string[]) => connect([...words, "--sandbox", folder], {});

/** What the sandbox wrote for whoever talks to it from outside. */
const endpoints = (): Record<string, string> => JSON.parse(readFileSync(join(folder, "endpoints.json"), "utf8"));

const order = (kind: string, match: object): Promise<Response> =>
  fetch(`${endpoints().control}/mishaps`, { method: "POST", body: JSON.stringify({ kind, match }) });

beforeAll(async () => {
  sandbox = spawn(process.execPath, [join(root, "bin/sandbox.ts"), "--port", "0", "--fresh"], { cwd: place });
  for (let waited = 0; waited < 300 && !existsSync(join(folder, "endpoints.json")); waited += 1)
    await new Promise((turn) => setTimeout(turn, 100));
}, 40_000);

afterAll(async () => {
  const ended = new Promise((done) => sandbox.once("exit", done));
  sandbox.kill("SIGTERM");
  await ended;
  rmSync(place, { recursive: true, force: true });
});

describe("npm run connect", () => {
  test("says what there is, to --help and behind what it does not understand", async () => {
    const { code, text } = await connect(["credential", "--help"], {});
    expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining("npm run connect -- manifest") });
    await expect(connect(["--colour"], {})).rejects.toThrow(/Unknown option '--colour'.*npm run connect -- manifest/s);
  });

  test("says that the bot may do everything in a cluster where the manifest was applied", async () => {
    const { code, text } = await atSandbox();
    expect(text).toContain("prod-west: all well (4 checks)");
    expect(code).toBe(0);
  });

  test("makes a credential, stores it without printing it, and says when it ends", async () => {
    const { code, text } = await atSandbox("credential", "--days", "7");
    expect(text).toContain("The credential is stored");
    expect(text).toMatch(/The cluster credential expires in 6 days, at 20\d\d-/);
    expect(text).toContain("npm run connect -- credential");
    expect(text).not.toMatch(/eyJ/);
    expect(code).toBe(0);
  });

  test.each([
    [
      "a token that nobody gave out",
      (at: string) => ["--token-file", at],
      "nobody-knows-it",
      /does not accept the token/,
    ],
    [
      "an authority that did not sign",
      (at: string) => ["--ca-file", at],
      rootCertificates[0] ?? "",
      /is not of the authority in/,
    ],
    ["an authority that is none", (at: string) => ["--ca-file", at], "PEM", /ca must be a certificate in PEM/],
    ["an address without TLS", () => ["--server", "http://127.0.0.1"], "", /server must be an address like https:/],
  ])("keeps the credential that counts when it is given %s", async (_, words, content, why) => {
    const file = join(place, "given");
    writeFileSync(file, content);
    await expect(atSandbox("credential", ...words(file))).rejects.toThrow(why);
    expect(await atSandbox()).toMatchObject({ code: 0 });
  });

  test("stores a credential for an API server that only the functions reach", async () => {
    const { code, text } = await atSandbox("credential", "--server", "https://127.0.0.1:1");
    expect(text).toContain("The credential is stored");
    expect(text).toContain("The cluster does not answer");
    expect(code).toBe(1);
  });

  test("runs the whole doctor, and goes on while Slack is down", async () => {
    expect(await atSandbox("credential", "--days", "90")).toMatchObject({ code: 0 });
    const well = await atSandbox("check");
    expect(well.text).toMatch(/all well \(\d\d checks\)/);
    await order("slack-down", {});
    const { code, text } = await atSandbox("--check");
    expect(text).toMatch(/❌ Slack does not answer: .*\n\s+Remedy: look at https:\/\/slack-status.com/);
    expect(text).toContain("Not looked at: the channel");
    expect(text).not.toContain("Cluster\n");
    expect(code).toBe(1);
  }, 60_000);

  test("says what to do when AWS does not answer", async () => {
    await order("aws-5xx", { service: "s3" });
    const { code, text } = await atSandbox("check");
    expect(text).toContain("❌ AWS does not answer");
    expect(text).toContain("Not looked at: everything that a release describes");
    expect(code).toBe(1);
  }, 40_000);

  test("prints the reviewed manifest with the labels of the pools, and nothing else changed", async () => {
    const { code, text } = await atSandbox("manifest");
    const reviewed = readFileSync(join(root, "lib/manifests/cluster-access.yaml"), "utf8").split("\n");
    const changed = text.split("\n").filter((line, at) => line !== reviewed[at]);
    expect(changed).toEqual([`      expression: "['example.com/role']"`]);
    expect(code).toBe(0);
  });

  test.each([
    [["dance"], /there is no "dance" here/],
    [["credential", "--days", "forever"], /--days takes a whole number/],
    [["--nonsense"], /nonsense/],
    [[], /name the deployment: --configuration FILE/],
    [["--configuration", "nowhere.yaml"], /nowhere\.yaml/],
  ])("refuses %j in words", async (words, expected) => {
    await expect(connect(words, {})).rejects.toThrow(expected);
  });
});
