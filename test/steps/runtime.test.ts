import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unreadableIn } from "../../lambdas/commands/approvals.ts";
import { configurationOf } from "../../lambdas/configuration/configuration.ts";
import { RUNTIME_KEY } from "../../lambdas/configuration/runtime-key.ts";
import { payloadManifestOf } from "../../lambdas/machine/payload.ts";
import type { MachinePlan } from "../../lambdas/machine/plan.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import { newestWindows } from "../../lib/sandbox/aws/ec2/images.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { nextRelease } from "../journeys/releases.ts";
import { manifest } from "../profiles/okd/facts.ts";
import { START, type TestSimulator, testSimulator } from "./test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

interface Published {
  readonly configuration: object;
  readonly payload: { readonly files: object[] };
}

const publish = (content: object): string => simulator.s3.seed(demo.bucket, RUNTIME_KEY, JSON.stringify(content));

/** Document that a deployment would publish today. */
const document = (): Published => ({
  configuration: simulator.configuration,
  payload: manifest() as Published["payload"],
});

describe("The release document", () => {
  it("is read at its newest, and an old version stays what it was", async () => {
    const { runtime } = simulator.as("add-nodes");
    const first = await runtime.read(null);
    const pools = { ...simulator.configuration.pools, extra: simulator.configuration.pools.web };
    const changed = { configuration: { ...simulator.configuration, pools }, payload: first.payload };
    simulator.s3.seed(demo.bucket, RUNTIME_KEY, JSON.stringify(changed));
    const second = await runtime.read(null);
    expect(second.version).not.toBe(first.version);
    expect(Object.keys(second.configuration.pools)).toContain("extra");
    expect(await runtime.read(first.version)).toEqual(first);
    expect(Object.keys(first.configuration.pools)).not.toContain("extra");
  });

  it("that is wrong is refused by the paths of its faults", async () => {
    const version = simulator.s3.seed(demo.bucket, RUNTIME_KEY, '{"configuration":{"command":"win"},"payload":{}}');
    await expect(simulator.as("look").runtime.read(version)).rejects.toThrow(/cluster/);
    const none = simulator.s3.seed(demo.bucket, RUNTIME_KEY, "");
    await expect(simulator.as("look").runtime.read(none)).rejects.toThrow();
  });
});

describe("A release document of the next release", () => {
  it("is read as this release knows it, whatever keys and files were added at whatever level", async () => {
    const { runtime } = simulator.as("look");
    const today = await runtime.read(publish(document()));
    const { configuration, payload } = nextRelease(document()) as Published;
    payload.files.push({ ...payload.files[0], name: "new.exe", path: "C:\\k\\new.exe" });
    const next = await runtime.read(publish({ configuration, payload }));
    expect(next).toEqual({ ...today, version: next.version });
    expect(JSON.stringify(next)).not.toContain("addedByTheNextRelease");
  });

  it("is refused by the same keys where it is written", () => {
    const { configuration, payload } = nextRelease(document()) as Published;
    expect(() => configurationOf(configuration)).toThrow('pools.web.taint: Unrecognized key: "addedByTheNextRelease"');
    expect(() => payloadManifestOf(okd, payload)).toThrow('files.0: Unrecognized key: "addedByTheNextRelease"');
  });

  it("still says who may do what when everything else has become unreadable", async () => {
    const { runtime } = simulator.as("look");
    const { people, policy, slack, command } = simulator.configuration;
    publish({ configuration: { people, policy, slack, command, pools: { web: { windows: "2031" } } }, payload: 7 });
    await expect(runtime.read(null)).rejects.toMatchObject({ name: "Refused" });
    expect(await runtime.rules()).toEqual({ people, policy, slack, command, approvals: {}, pools: { web: {} } });
  });

  it("whose rules of one pool are unreadable keeps those of the others, and names the fault", async () => {
    const { runtime } = simulator.as("look");
    const { pools } = simulator.configuration;
    const strict = { ...pools.web, approvals: { reboot: { needs: 3 } }, policy: { reboot: ["approver"] } };
    const batch = { ...pools.batch, policy: { reboot: ["operator"] } };
    publish({ ...document(), configuration: { ...simulator.configuration, pools: { ...pools, web: strict, batch } } });
    const fault = { rulesFault: expect.stringContaining("approvals.reboot.needs: ") };
    for (const read of [(await runtime.read(null)).configuration, await runtime.rules()]) {
      expect(read.pools).toMatchObject({ web: fault, batch: { policy: { reboot: ["operator"] } } });
      expect(unreadableIn(read)).toEqual(["web"]);
      expect(read.pools.web).not.toHaveProperty("policy");
    }
  });

  it.each([undefined, null, "elsewhere", []])("without a table of pools (%j) allows nobody anything", async (pools) => {
    const { people, policy, slack, command } = simulator.configuration;
    publish({ configuration: { people, policy, slack, command, pools }, payload: {} });
    await expect(simulator.as("look").runtime.rules()).rejects.toMatchObject({ name: "Refused" });
  });

  it("that is unreadable is refused with what somebody can do", async () => {
    publish({ configuration: { people: [] }, payload: {} });
    await expect(simulator.as("look").runtime.rules()).rejects.toThrow(
      /If a deployment is running, try again when it has ended.*\n {2}slack: /s,
    );
  });
});

describe("The image of a Windows release", () => {
  it.each(["2019", "2022", "2025"] as const)("of %s is the newest that AWS publishes", async (windows) => {
    expect(await simulator.as("add-nodes").instances.image(okd.imageParameter(windows))).toEqual({
      parameter: `/aws/service/ami-windows-latest/Windows_Server-${windows}-English-Core-Base`,
      imageId: newestWindows(START, windows)?.imageId,
    });
  });
});

describe("A plan that is too large for a command", () => {
  it("lies in the bucket, named by version and hash", async () => {
    const plan = { actions: [{ text: "x".repeat(3_100) }] } as unknown as MachinePlan;
    const request = await simulator.as("provision-node").machine.requestFor(plan, "plans/add-1/0/configure.json");
    const text = JSON.stringify(plan);
    const sha256 = createHash("sha256").update(text).digest("hex");
    expect(request).toMatchObject({ bucket: demo.bucket, key: "plans/add-1/0/configure.json", sha256 });
    const { version } = request as { version: string };
    const read = simulator.nodeRole.readObject(
      "i-0aaaaaaaaaaaaaaaa",
      demo.bucket,
      "plans/add-1/0/configure.json",
      version,
    );
    expect(Buffer.from(await read).toString("utf8")).toBe(text);
  });
});
