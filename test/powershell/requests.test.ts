import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import type { Action } from "../../lambdas/machine/plan.ts";
import type { WireResponse } from "../../lib/sandbox/core/wire.ts";
import { freshMachine, withMetadata } from "../machine-cases/windows.ts";
import type { Instead } from "./account.ts";
import { applyOn, LATER, sha256 } from "./applying.ts";
import { pwsh } from "./pwsh.ts";
import { type ScriptHost, scriptHost, suite } from "./run.ts";

const HOUR = 3_600_000;
const SECRET = "casement/prod-west/join/i-1";
/** A text that is longer than one read of a stream, and not ASCII. */
const program = `kubelet \u00e9 ${"0123456789".repeat(20_000)}`;

const slowDown: WireResponse = {
  status: 503,
  headers: { "content-type": "application/xml" },
  body: "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>",
};
const damaged: WireResponse = { status: 200, headers: {}, body: "damaged" };

let here: ScriptHost;
afterEach(() => here.close());

const lay = (): void => {
  here = scriptHost(freshMachine({ routes: withMetadata }));
};

const pinned = (change: Partial<{ key: string; version: string; sha256: string }> = {}): Action => {
  const place = here.account.put("payload/kubelet (v1)+~!'*.exe", program);
  const { sha256: wanted = sha256(program), ...moved } = change;
  const source = { from: "bucket", ...place, ...moved } as const;
  return { do: "file", path: here.path("kubelet.exe"), source, sha256: wanted, access: "inherited" };
};
const secretFile = (field = "kubeconfig"): Action => ({
  do: "file",
  path: here.path("bootstrap"),
  source: { from: "secret", secretId: SECRET, field },
  sha256: null,
  access: "system",
});

/** Reads the script's error of a failed action; expects that nothing is left on the disk. */
const fault = async (action: Action): Promise<string> => {
  const ended = await applyOn(here, action);
  expect(ended.exitCode).toBe(1);
  expect(readdirSync(here.root).filter((name) => /kubelet|bootstrap/.test(name))).toEqual([]);
  expect(ended.stderr).toBe("");
  return ended.result.failed?.error ?? "";
};

describe.skipIf(!pwsh)(suite("requests to AWS from a script"), () => {
  it("download an object and a secret with one set of credentials", async () => {
    lay();
    here.account.keep(SECRET, JSON.stringify({ kubeconfig: "token: \u00fcber" }));
    const { result, stdout } = await applyOn(here, pinned(), secretFile());
    expect(result).toMatchObject({ ok: true, failed: null });
    expect(readFileSync(here.path("kubelet.exe"), "utf8")).toBe(program);
    expect(readFileSync(here.path("bootstrap"), "utf8")).toBe("token: \u00fcber");
    expect(here.account.answers()).toEqual(["GetObject 200", "GetSecretValue 200"]);
    expect(here.account.issued()).toBe(1);
    expect(stdout).not.toContain("token");
  });

  it("report in S3's words a missing version, and an object that the role may not read", async () => {
    lay();
    expect(await fault(pinned({ version: "0".repeat(32) }))).toBe(
      "S3 answered: The specified version does not exist. (404 NoSuchVersion)",
    );
    expect(await fault(pinned({ key: "runtime/current.json" }))).toMatch(
      /^S3 answered: .*not authorized to perform: s3:GetObjectVersion .*\(403 AccessDenied\)$/,
    );
    expect(here.account.answers()).toHaveLength(2);
  });

  it("report in Secrets Manager's words a secret that the role may not read", async () => {
    lay();
    here.account.keep(SECRET, "{}", { instanceId: "i-0bbbbbbbbbbbbbbbb" });
    expect(await fault(secretFile())).toMatch(
      /^Secrets Manager answered: .*not authorized to perform: secretsmanager:GetSecretValue .*\(400 AccessDeniedException\)$/,
    );
  });

  it.for<[string, Instead[], string[]]>([
    ["a service that is busy", [slowDown, slowDown], ["GetObject 200"]],
    ["an answer that is cut off", ["cut"], ["GetObject 200", "GetObject 200"]],
    ["content that arrives damaged, once", [damaged], ["GetObject 200"]],
  ])("bear %s", async ([, instead, answers]) => {
    lay();
    here.account.instead(...instead);
    expect((await applyOn(here, pinned())).result).toMatchObject({ ok: true });
    expect(readFileSync(here.path("kubelet.exe"), "utf8")).toBe(program);
    expect(here.account.answers()).toEqual(answers);
  });

  it("give up after five attempts, and after two downloads of wrong content", async () => {
    lay();
    here.account.instead(...Array<Instead>(5).fill(slowDown));
    expect(await fault(pinned())).toBe("S3 answered: Please reduce your request rate. (503 SlowDown)");
    expect(here.account.answers()).toEqual([]);
    expect(await fault(pinned({ sha256: sha256("another") }))).toContain(`wanted is ${sha256("another")}`);
    expect(here.account.answers()).toEqual(["GetObject 200", "GetObject 200"]);
  });

  it("read the credentials again when they expire on the way", async () => {
    lay();
    here.account.keep(SECRET, JSON.stringify({ kubeconfig: "x" }));
    here.account.instead({
      status: 400,
      headers: { "content-type": "application/x-amz-json-1.1" },
      body: JSON.stringify({
        __type: "ExpiredTokenException",
        message: "The security token included in the request is expired",
      }),
    });
    expect((await applyOn(here, secretFile())).result).toMatchObject({ ok: true });
    expect(here.account.issued()).toBe(2);
  });

  it("never use expired credentials", async () => {
    lay();
    here.account.lifetime(-1_000);
    expect(await fault(pinned())).toBe("S3 answered: The provided token has expired. (400 ExpiredToken)");
    expect(here.account.answers()).toEqual(Array(5).fill("anonymous 400"));
  });

  it("name the clock that is wrong", async () => {
    lay();
    here.account.skew(HOUR);
    here.account.keep(SECRET, "{}");
    const clocks = (name: string) =>
      new RegExp(`; the clock of this machine says [-\\d: ]+ UTC, the clock of ${name} [-\\d: ]+ UTC$`);
    const s3 = await fault(pinned());
    expect(s3).toMatch(/^S3 answered: The difference .* is too large. \(403 RequestTimeTooSkewed\);/);
    expect(s3).toMatch(clocks("S3"));
    const secrets = await fault(secretFile());
    expect(secrets).toMatch(/^Secrets Manager answered: Signature expired.* \(400 InvalidSignatureException\);/);
    expect(secrets).toMatch(clocks("Secrets Manager"));
  });

  it("report an unreachable metadata service, and an instance without a role", async () => {
    lay();
    here.account.withoutRole();
    expect(await fault(pinned())).toMatch(/^the metadata service gave no credentials: .*404/);
    here.change({ routes: [] });
    expect(await fault(pinned())).toBe("the metadata service does not answer");
    expect(here.account.answers()).toEqual([]);
  });

  it("download a plan, and download it again when it arrives damaged", async () => {
    lay();
    const plan = JSON.stringify({ format: 2, operation: "add-1", notAfter: LATER, actions: [] });
    const place = here.account.put("plans/add-1/0/configure.json", plan);
    here.account.instead(damaged);
    expect((await here.send("apply", { ...place, sha256: sha256(plan) })).result).toMatchObject({ ok: true });
    const wrong = await here.send("apply", { ...place, sha256: sha256("another") });
    expect(wrong.result).toMatchObject({ ok: false, failed: { action: "request" } });
    const nothing = await here.send("apply", { bucket: place.bucket });
    expect(nothing.result).toMatchObject({ failed: { error: "the request holds no plan and no place of one" } });
  });
});

describe.skipIf(!pwsh)(suite("a request for a password of ECR"), () => {
  it("is signed for the registry's region, not for the machine's", async () => {
    lay();
    const host = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
    const wanted = { path: here.path("quay.io", "hosts.toml"), text: "", hosts: [host], forbids: true };
    mkdirSync(here.path("Casement", "registries"));
    here.write(here.path("Casement", "registries", "quay.io.json"), JSON.stringify(wanted));
    expect((await here.run("registries", { WaitSeconds: 0 })).exitCode).toBe(1);
    // The account is in another region.
    expect(JSON.parse(here.read(here.path("Casement", "registries.json"))).error).toBe(
      "ECR at api.ecr.eu-west-1.amazonaws.com answered: Credential should be scoped to a valid region. (400 InvalidSignatureException)",
    );
  });
});

describe.skipIf(!pwsh)(suite("a script that reads a secret"), () => {
  it.for([
    ["no JSON", "TOKEN=canary-1", "the secret is not JSON"],
    ["cut off", '{"kubeconfig": "canary-1', "the secret is not JSON"],
    ["a list", '["canary-1"]', "the secret has no field kubeconfig"],
    ["without the field", '{"other": "canary-1"}', "the secret has no field kubeconfig"],
    [
      "with an object in its field",
      '{"kubeconfig": {"token": "canary-1"}}',
      "the secret's field kubeconfig is not text",
    ],
    ["with a number in its field", '{"kubeconfig": 17}', "the secret's field kubeconfig is not text"],
  ] as const)("prints nothing of one that is %s", async ([, text, words]) => {
    lay();
    here.account.keep(SECRET, text);
    expect(await fault(secretFile())).toBe(words);
  });

  it("prints only the first line of a service's signature error", async () => {
    lay();
    const message =
      "The request signature we calculated does not match the signature you provided.\n\nThe Canonical String for this request should have been\n'POST\nx-amz-security-token:canary-1'";
    const body = JSON.stringify({ __type: "com.amazon.coral.service#InvalidSignatureException", message });
    here.account.instead({ status: 400, headers: {}, body });
    expect(await fault(secretFile())).toBe(
      "Secrets Manager answered: The request signature we calculated does not match the signature you provided. (400 InvalidSignatureException)",
    );
  });
});
