import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the app is run by the pinned Node, whatever Node runs the CDK's command", () => {
  const { app } = JSON.parse(readFileSync("cdk.json", "utf8"));
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  // As the CDK does: by a shell, in the repository's folder.
  const command = String(app).replace(/ bin\/casement\.ts$/, " --version");
  const version = execFileSync("sh", ["-c", command], { env: { PATH: "/usr/bin:/bin" }, encoding: "utf8" });
  expect(version.trim()).toBe(`v${devDependencies.node}`);
});
