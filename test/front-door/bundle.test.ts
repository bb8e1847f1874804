import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONFIGURATION_FILE, frontDoorConfiguration } from "../../lambdas/front-door/configuration.ts";
import { bundleAll } from "../../lib/constructs/bundle.ts";
import { entries } from "../../lib/functions.ts";
import { configuration } from "./configuration.ts";
import { signed, slashCommand } from "./signed.ts";

const base = mkdtempSync(join(tmpdir(), "casement-door-"));
const folder = join(base, "front-door");
const environment = {
  ...{ AWS_REGION: "us-west-2", AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "secret" },
  // Nothing listens there: what needs the simulator fails at once.
  ...{ AWS_ENDPOINT_URL: "http://127.0.0.1:9", CASEMENT_SLACK_URL: "http://127.0.0.1:9/api/" },
  ...{ CASEMENT_CLUSTER: "prod-west", CASEMENT_BUCKET: "b", CASEMENT_LEDGER_TABLE: "t" },
  ...{ CASEMENT_SLACK_SECRET: "s", CASEMENT_FUNCTIONS: "{}", CASEMENT_DOCUMENTS: "{}" },
};
const code = () => readdirSync(folder).filter((name) => name.endsWith(".cjs"));

beforeAll(async () => {
  await bundleAll({ "front-door": entries["front-door"] }, base);
  writeFileSync(join(folder, CONFIGURATION_FILE), JSON.stringify(frontDoorConfiguration(configuration)));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Answers of the bundle in a process of its own, as Lambda would run it; the error's name where it throws. */
function answered(events: readonly object[]): unknown[] {
  const script = `const { handler } = await import(${JSON.stringify(pathToFileURL(join(folder, "index.cjs")).href)});
    const answers = [];
    for (const event of ${JSON.stringify(events)})
      answers.push(await handler(event, {}).catch((error) => error.name));
    console.log(JSON.stringify(answers));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { env: environment });
  return JSON.parse(output.toString().trim().split("\n").at(-1) ?? "");
}

describe("the bundle that is deployed", () => {
  test("is at most 200 KB", () => {
    const bytes = code().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(200_000);
  });

  test("holds no remedy of a failure and no card of a plan", () => {
    const text = code()
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
    for (const words of [
      "the account's quota of vCPUs is used up",
      "Pods that will be evicted",
      "casement.dev/starting-",
    ])
      expect(text.includes(words), words).toBe(false);
  });

  test("holds no client that the door does not use", () => {
    const text = code()
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
    for (const foreign of ["RunInstances", "SendCommand", "GetObject", "createNamespacedPodEviction"])
      expect(text.includes(foreign), foreign).toBe(false);
  });

  test("holds no more of the configuration than the door goes by", () => {
    const held = JSON.parse(readFileSync(join(folder, "configuration.json"), "utf8"));
    expect(held.pools).toEqual({ web: {}, batch: {} });
    expect(JSON.stringify(held)).not.toContain("PEM");
  });

  test("refuses what Slack did not sign without a call, and asks for the secret before it believes a signature", () => {
    const now = Math.floor(Date.now() / 1000);
    const signedHelp = signed(slashCommand("help").body ?? "", undefined, now);
    const [unsigned, believed] = answered([{ headers: {}, body: "payload=1" }, signedHelp]);
    expect(unsigned).toEqual({ statusCode: 401, body: "" });
    expect(believed).toBeDefined();
    expect(believed).not.toMatchObject({ statusCode: 200 });
  });
});
