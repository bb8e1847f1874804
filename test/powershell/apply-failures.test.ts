import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import type { Operation } from "../../lambdas/desired/plan.ts";
import { applyOn, base64, inline, LATER, sha256 } from "./applying.ts";
import { type Ground, ground, pwsh, suite } from "./run.ts";
import { freshMachine, type Machine, service } from "./stand-in.ts";

describe.skipIf(!pwsh)(suite("apply.ps1 when something is wrong"), () => {
  let here: Ground;
  afterEach(() => here.close());

  const lay = (change: Partial<Machine> = {}) => {
    here = ground(freshMachine(change));
  };
  const apply = (...operations: Operation[]) => applyOn(here, ...operations);

  it("stops at content with another hash and keeps the file that was there", async () => {
    lay();
    const path = here.path("kubelet.conf");
    here.write(path, "before");
    const { exitCode, result } = await apply(
      inline(path, "after", sha256("something else")),
      inline(here.path("never"), "never"),
    );
    expect(exitCode).toBe(1);
    expect(result).toMatchObject({ ok: false, changed: [], failed: { operation: `file ${path}` } });
    expect(result.failed?.error).toContain(`wanted is ${sha256("something else")}`);
    expect(here.read(path)).toBe("before");
    expect(readdirSync(here.root).filter((name) => name.startsWith("never") || name.includes("casement-new"))).toEqual(
      [],
    );
  });

  it("reports what was done before the failure, in the machine's own words", async () => {
    lay({ featureFails: true });
    const path = here.path("kubelet.conf");
    const { exitCode, result } = await apply(inline(path, "x"), { do: "feature", name: "Containers" });
    expect(exitCode).toBe(1);
    expect(result).toMatchObject({
      changed: [`file ${path}`],
      failed: { operation: "feature Containers", error: "Install-WindowsFeature answered Failed" },
      rebootDue: false,
    });
  });

  it.for([
    [
      "a missing secret",
      {
        do: "file",
        path: "x",
        source: { from: "secret", secretId: "gone", field: "k" },
        sha256: null,
        access: "inherited",
      },
      "can't find",
    ],
    [
      "a missing object",
      {
        do: "file",
        path: "x",
        source: { from: "bucket", bucket: "b", key: "k", version: "v" },
        sha256: sha256(""),
        access: "inherited",
      },
      "version does not exist",
    ],
    ["an unknown feature", { do: "feature", name: "Telnet" }, "no such feature"],
    ["a missing service", { do: "service-state", name: "kubelet", state: "Running" }, "no such service"],
    ["a task that fails", { do: "run-task", name: "Casement guard", withinSeconds: 5 }, "last result is 1"],
    ["an operation it does not know", { do: "format-disk", path: "C:" }, "knows no such operation"],
  ] as const)("fails at %s", async ([, operation, error]) => {
    lay({ tasks: { "Casement guard": { state: "Ready", lastResult: 0, nextResult: 1, runs: 0 } } });
    const given = operation.do === "file" ? { ...operation, path: here.path("x") } : operation;
    const { exitCode, result } = await apply(given as Operation);
    expect(exitCode).toBe(1);
    expect(result.failed?.error).toContain(error);
  });

  it("does not follow a link that somebody laid in the place of a folder", async () => {
    lay();
    symlinkSync(here.path("Casement"), here.path("k"));
    const { result } = await apply({ do: "directory", path: here.path("k"), access: "system" });
    expect(result.failed).toMatchObject({ error: "it is a link to another place" });
    expect(here.machine().access).toEqual({});
  });

  it("tries five times to replace a file that something holds", async () => {
    lay({ later: [{}, {}, {}, {}, {}, {}] });
    const path = here.path("held");
    mkdirSync(path);
    const { result } = await apply(inline(path, "x"));
    expect(result.failed).toMatchObject({ operation: `file ${path}` });
    expect(here.machine().later).toHaveLength(2);
  });

  it("fails when a service stops right after its start", async () => {
    lay({ services: { kubelet: service({ state: "Stopped", breaks: true }) } });
    const { result } = await apply({ do: "service-state", name: "kubelet", state: "Running" });
    expect(result.failed).toMatchObject({ operation: "service-state kubelet", error: "it is Stopped after 1 seconds" });
  });

  it("stops a service with those that need it, and is content when there is none", async () => {
    lay({ services: { kubelet: service(), "hybrid-overlay-node": service({ dependsOn: ["kubelet"] }) } });
    const { result } = await apply(
      { do: "service-state", name: "kubelet", state: "Stopped" },
      { do: "service-state", name: "csi-proxy", state: "Stopped" },
    );
    expect(result).toMatchObject({ ok: true, changed: ["service-state kubelet"], unchanged: 1 });
    expect(here.machine().notes).toEqual(["stop hybrid-overlay-node", "stop kubelet"]);
  });

  it("fails at any other exit code of Windows", async () => {
    lay({ scExitCode: 5 });
    const { exitCode, result } = await apply({ do: "service-recovery", name: "AmazonSSMAgent", restartAfter: [30] });
    expect(exitCode).toBe(1);
    expect(result.failed?.error).toContain("sc.exe failure ended with 5");
  });

  it("does nothing when the request has expired", async () => {
    lay();
    const plan = { format: 1, operation: "add-1", notAfter: 1_000, operations: [inline(here.path("x"), "x")] };
    const { exitCode, result } = await here.send("apply", { plan });
    expect(exitCode).toBe(1);
    expect(result).toMatchObject({
      ok: false,
      changed: [],
      failed: { operation: "request", error: expect.stringContaining("expired") },
    });
    expect(readdirSync(here.root)).not.toContain("x");
  });

  it("reads a plan from the bucket and refuses one with another hash", async () => {
    const plan = JSON.stringify({
      format: 1,
      operation: "add-1",
      notAfter: LATER,
      operations: [{ do: "feature", name: "Containers" }],
    });
    lay({ objects: { "bucket/plan@v1": base64(plan) } });
    const asked = { bucket: "bucket", key: "plan", version: "v1" };
    const wrong = await here.send("apply", { ...asked, sha256: sha256("another") });
    expect(wrong.result).toMatchObject({ ok: false, failed: { operation: "request" } });
    const right = await here.send("apply", { ...asked, sha256: sha256(plan) });
    expect(right.result).toMatchObject({ ok: true, changed: ["feature Containers"] });
  });

  it.for(["", "x'; Restart-Computer; '", "{{ Request }}"])(
    "refuses the request %o, which is no base64",
    async (request) => {
      lay();
      const { exitCode, result } = await here.run("apply", { Request: request });
      expect(exitCode).toBe(1);
      expect(result).toMatchObject({ ok: false, failed: { operation: "request", error: "the request is not base64" } });
    },
  );
});
