import { describe, expect, it } from "vitest";
import type { Action } from "../../../lambdas/machine/plan.ts";
import { AwsError } from "../../../lib/sandbox/core/aws-service.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { sha256Of } from "../../../lib/sandbox/machine/disk.ts";
import { malformedActions } from "./malformed-actions.ts";
import { apply, exporter, fromBucket, id, online, result } from "./one-machine.ts";

describe("a malformed action", () => {
  it.for(malformedActions)("is refused as the script refuses it: %s", async ([, action, error]) => {
    const fixture = await online();
    expect((await apply(fixture, action as Action)).failed?.error).toBe(error);
  });
});

describe("downloads", () => {
  it("fail as on AWS without the metadata route, without permission, and when they arrive damaged", async () => {
    const fixture = await online();
    fixture.bucket.set(`${demo.bucket}/payload/x@v1`, exporter);
    const there = fromBucket("C:\\x.exe", "payload/x", sha256Of(exporter));
    expect((await apply(fixture, fromBucket("C:\\y.exe", "payload/none", sha256Of("y")))).failed?.error).toBe(
      "S3 answered: Access Denied (403 AccessDenied)",
    );
    fixture.simulation.faults.inject("download-corrupt", { instanceId: id }, 2);
    expect((await apply(fixture, there)).failed?.error).toContain("the content has sha256");
    fixture.simulation.faults.inject("download-corrupt", { instanceId: id }, 1);
    expect(await apply(fixture, there)).toMatchObject({ ok: true });
    const running = fixture.apply(id, [
      { do: "feature", name: "Containers" },
      fromBucket("C:\\z.exe", "payload/x", sha256Of(exporter)),
    ]);
    await fixture.clock.advance(10_000);
    fixture.simulation.faults.inject("lose-metadata-route", { instanceId: id });
    expect(result(await running).failed?.error).toBe("the metadata service does not answer");
  });

  it("are retried while S3 is busy, and fail with its error when it stays so", async () => {
    const fixture = await online();
    fixture.bucket.set(`${demo.bucket}/payload/x@v1`, exporter);
    const there = fromBucket("C:\\x.exe", "payload/x", sha256Of(exporter));
    const { readObject } = fixture.role;
    let busy = 4;
    fixture.role.readObject = async (...asked) => {
      busy -= 1;
      if (busy >= 0) throw new AwsError("SlowDown", "Please reduce your request rate.", 503);
      return readObject(...asked);
    };
    expect(await apply(fixture, there)).toMatchObject({ ok: true });
    busy = 5;
    expect((await apply(fixture, fromBucket("C:\\y.exe", "payload/x", sha256Of(exporter)))).failed?.error).toBe(
      "S3 answered: Please reduce your request rate. (503 SlowDown)",
    );
  });

  it("are refused when the machine's clock is wrong, and name both clocks", async () => {
    const fixture = await online();
    const place = { bucket: demo.bucket, key: "plans/p", version: "v1", sha256: sha256Of("x") };
    fixture.simulation.faults.inject("clock-wrong", { instanceId: id, how: "ahead" });
    expect(result(await fixture.run(id, "apply", place)).failed?.error).toMatch(
      /^S3 answered: .* \(403 RequestTimeTooSkewed\); the clock of this machine says 2026-11-22 .* UTC, the clock of S3 2026-11-21 .* UTC$/,
    );
  });

  it("print nothing of a secret", async () => {
    const fixture = await online();
    const secret: Action = {
      do: "file",
      path: "C:\\k\\bootstrap",
      source: { from: "secret", secretId: "join", field: "kubeconfig" },
      sha256: null,
      access: "system",
    };
    for (const [text, words] of [
      ["TOKEN=canary-1", "the secret is not JSON"],
      ['["canary-1"]', "the secret has no field kubeconfig"],
      ['{"kubeconfig":{"token":"canary-1"}}', "the secret's field kubeconfig is not text"],
    ] as const) {
      fixture.secrets.set(`${id}/join`, text);
      expect((await apply(fixture, secret)).failed?.error).toBe(words);
    }
  });

  it("read only the field of the machine's own secret", async () => {
    const fixture = await online();
    const secret = (field: string): Action => ({
      do: "file",
      path: "C:\\k\\bootstrap",
      source: { from: "secret", secretId: "join", field },
      sha256: null,
      access: "system",
    });
    expect((await apply(fixture, secret("kubeconfig"))).ok).toBe(false);
    fixture.secrets.set(`${id}/join`, JSON.stringify({ kubeconfig: "content" }));
    expect((await apply(fixture, secret("other"))).failed?.error).toBe("the secret has no field other");
    expect((await apply(fixture, secret("kubeconfig"))).changed).toEqual(["file C:\\k\\bootstrap"]);
    expect((await apply(fixture, secret("kubeconfig"))).unchanged).toBe(1);
  });
});
