import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import { machineScripts } from "../../lib/constructs/script-text.ts";
import { readPayload } from "../../lib/release-content.ts";
import { exampleWith } from "../stack/example.ts";
import { pageAt } from "./pages.ts";

const deploy = pageAt("docs/deploy.md");

describe("the payload by hand", () => {
  const listed = deploy.lines.filter((line) => line.startsWith("payload/"));

  test("lists every program that the profile needs", () => {
    const ours = machineScripts.map((name) => `${name}.ps1`);
    const needed = [...okd.payloadPaths].filter(([name]) => !ours.includes(name)).map(([, path]) => path);
    const below = listed.map((line) => line.replace("payload/", "C:\\k\\").replaceAll("/", "\\"));
    expect(below.toSorted()).toEqual(needed.toSorted());
  });

  test("writes a manifest that the stack takes", () => {
    const folder = mkdtempSync(join(tmpdir(), "casement-payload-"));
    for (const path of listed) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), `the program ${path}`);
    }
    // Stands for the AWS CLI: answers each upload with a version.
    writeFileSync(join(folder, "aws"), '#!/bin/sh\necho "version-of-$6"\n');
    chmodSync(join(folder, "aws"), 0o755);
    const [, version = "", program = ""] =
      /^export BUCKET=\$\(output BucketName\) VERSION=(\S+) .*\nnode --input-type=module > payload\.json <<'JS'\n([\s\S]*?)^JS$/m.exec(
        deploy.text,
      ) ?? [];
    const manifest = execFileSync(process.execPath, ["--input-type=module"], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env.PATH}`, BUCKET: "casement-bucket", VERSION: version },
      input: program,
      timeout: 10_000,
    });
    writeFileSync(join(folder, "payload.json"), manifest);
    const payload = readPayload(exampleWith({ payloadManifest: "payload.json" }), join(folder, "configuration.yaml"));
    expect(payload?.files).toHaveLength(listed.length);
    const shim = payload?.files.find(({ name }) => name === "containerd-shim-runhcs-v1.exe");
    expect(shim?.path).toBe("C:\\k\\containerd\\containerd-shim-runhcs-v1.exe");
    expect(shim?.versionId).toBe(`version-of-${shim?.key}`);
  });
});
