import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandLineOf } from "../../bin/acceptance/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "casement-acceptance-"));
writeFileSync(join(folder, "endpoints.json"), JSON.stringify({ kubernetes: "https://127.0.0.1:1" }));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (...words: string[]) => commandLineOf([...words, "--sandbox", folder], { USER: "olivia" });

describe("the command line of npm run acceptance", () => {
  it("waits half an hour for people and lets them type, by default", () => {
    expect(read("--pool", "web")).toMatchObject({
      ...{ mode: "new", pool: "web", user: null, waitMinutes: 30, yes: false },
      ...{ folder: "acceptance", terminal: "olivia" },
    });
  });

  it("takes the pool from the run that goes on", () => {
    expect(read("--resume")).toMatchObject({ mode: "resume", pool: null });
    expect(read("--clean-up", "--user", "U0OPERATOR")).toMatchObject({ mode: "clean-up", user: "U0OPERATOR" });
  });

  it.for([
    [["--pool", "wbe"], 'there is no pool "wbe": web, batch, edge'],
    [[], "name the pool with --pool: web, batch, edge"],
    [["--pool", "web", "--user", "olivia"], "--user takes Slack's id of a person"],
    [["--pool", "web", "--wait", "soon"], '--wait takes minutes, up to 720, not "soon"'],
    [["--pool", "web", "--wait", "0"], "--wait takes minutes"],
    [["--resume", "--clean-up"], "choose one"],
    [["--colour"], "npm run acceptance -- --pool POOL"],
  ] as const)("%s is refused with what would be right", ([words, refusal]) => {
    expect(() => read(...words)).toThrow(refusal);
  });

  it("is refused without a deployment where no sandbox runs", () => {
    expect(() => commandLineOf(["--pool", "web"], {}, () => undefined)).toThrow("name the deployment");
  });
});
