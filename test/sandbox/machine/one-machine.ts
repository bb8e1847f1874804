import type { Action, ApplyResult } from "../../../lambdas/machine/plan.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { sha256Of } from "../../../lib/sandbox/machine/disk.ts";
import { payloadContent } from "../../../lib/sandbox/machine/payload.ts";
import { type Fixture, instance, machineFixture, type Report, resultOf } from "./fixture.ts";

/** The machine of a test. */
export const one = instance(1);
export const id = one.instanceId;

/** A machine with its agent online and Casement's folders. */
export async function online(): Promise<Fixture> {
  const fixture = machineFixture();
  fixture.start(one);
  await fixture.online(id);
  const folders = ["C:\\k", "C:\\Casement"];
  await fixture.apply(
    id,
    folders.map((path) => ({ do: "directory", path, access: "inherited" })),
  );
  return fixture;
}

/** Result that apply.ps1 printed. */
export const result = (report: Report): ApplyResult => resultOf(report) as unknown as ApplyResult;
/** Applies these actions. */
export const apply = async (fixture: Fixture, ...actions: Action[]): Promise<ApplyResult> =>
  result(await fixture.apply(id, actions));

/** A file with its content in the plan. */
export const file = (path: string, content: string): Action => ({
  do: "file",
  path,
  source: { from: "inline", base64: Buffer.from(content).toString("base64") },
  sha256: sha256Of(content),
  access: "inherited",
});

/** A file of the bucket, version v1. */
export const fromBucket = (path: string, key: string, sha256: string): Action => ({
  do: "file",
  path,
  source: { from: "bucket", bucket: demo.bucket, key, version: "v1" },
  sha256,
  access: "inherited",
});

/** A program as it is stored in the bucket. */
export const exporter = payloadContent("windows_exporter", "0.30.5");
