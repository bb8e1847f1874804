import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const output = mkdtempSync(join(tmpdir(), "casement-synth-"));
const cdk = (...words: string[]) => run("npx", ["cdk", "synth", "--quiet", "--output", output, ...words]);

describe("cdk synth", () => {
  it("makes the stack of the example without Docker, an account or the network", async () => {
    const { stderr } = await cdk();
    expect(stderr).toContain("There is no payload yet");
    expect(stderr).toContain("this is the stack of docs/configuration.example.yaml");
    const template = JSON.parse(readFileSync(join(output, "casement-prod-west.template.json"), "utf8"));
    expect(Object.keys(template.Resources).length).toBeGreaterThan(50);
  });

  it("ends with the path of a wrong value", async () => {
    const file = join(output, "wrong.yaml");
    writeFileSync(file, readFileSync("docs/configuration.example.yaml", "utf8").replace("maximum: 8", "maximum: many"));
    await expect(cdk("-c", `configuration=${file}`)).rejects.toThrow(
      /wrong\.yaml: .*not valid:\n +pools\.web\.maximum/,
    );
  });
});
