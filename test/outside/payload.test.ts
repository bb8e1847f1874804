import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { pageAt } from "../docs/pages.ts";

const deploy = pageAt("docs/deploy.md");
const listed = deploy.lines.filter((line) => line.startsWith("payload/"));

// Needs tar, which the fast tests do without. The image's build packs each file as an archive of its own, with its checksum
// by the path where it was built.
test("the payload by hand is unpacked from WMCO's image and checked against its checksums", () => {
  const folder = mkdtempSync(join(tmpdir(), "casement-wmco-"));
  const unpacking = deploy.lines.filter((line) => line.startsWith("tar -xzf "));
  const sums = unpacking.map((line) => {
    const archive = join(folder, line.split(" ")[2] ?? "");
    const name = basename(archive, ".tar.gz");
    mkdirSync(dirname(archive), { recursive: true });
    writeFileSync(join(folder, name), `the program ${name}`);
    execFileSync("tar", ["-czf", archive, "-C", folder, name]);
    return `${createHash("sha256").update(`the program ${name}`).digest("hex")}  /build/somewhere/${name}`;
  });
  writeFileSync(join(folder, "wmco", "sha256sum"), `${sums.join("\n")}\n`);
  const making = deploy.lines.filter((line) => line.startsWith("mkdir -p wmco "));
  execFileSync("sh", ["-ec", [...making, ...unpacking].join("\n")], { cwd: folder });
  const [, program = ""] = /^node --input-type=module <<'JS'\n([\s\S]*?)^JS$/m.exec(deploy.text) ?? [];
  const check = () =>
    String(execFileSync(process.execPath, ["--input-type=module"], { cwd: folder, input: program, timeout: 10_000 }));
  expect(check().trim().split("\n").toSorted()).toEqual(listed.map((path) => `ok    ${path}`).toSorted());
  writeFileSync(join(folder, "payload", "kubelet.exe"), "something else");
  expect(check()).toContain("WRONG payload/kubelet.exe");
});
