import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { SANDBOX_SHAPES } from "../../bin/acceptance/report.ts";
import { connect } from "../../bin/connect/connect.ts";
import { expectedOf } from "../../lib/calibration/expected.ts";
import type { MeasureName } from "../../lib/calibration/measures.ts";
import { accept, filesOf } from "./acceptance-run.ts";
import { heldBack, joinSecrets, sentReasons } from "./account.ts";
import { cleanUp, emptyFolder, type Running, refusal, start, type } from "./running.ts";

/** A run takes half an hour of the sandbox's time, and the host may be busy. */
const LONG = { timeout: 600_000 };

afterEach(cleanUp);

const signed = ["--pool", "web", "--user", "U0OPERATOR"];

/** A slow clock: the runs move it. */
const sandbox = (...flags: string[]): Promise<Running> => start(emptyFolder(), "--speed", "1", ...flags);

async function expectNothingLeft(here: Running): Promise<void> {
  const { nodes, instances } = await here.control("GET /state");
  expect(nodes).toHaveLength(9);
  expect(instances.filter(({ State }) => Object(State).Name === "running")).toHaveLength(9);
  expect(await joinSecrets(here)).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
}

describe("npm run acceptance", () => {
  test("adds, tries, reboots, proves and removes one node, and finds the sandbox as it is", LONG, async () => {
    const here = await sandbox();
    const { code, text } = await accept(here, signed);
    expect(text).toContain("has ended well: nothing of it is left.");
    expect(code).toBe(0);
    expect(text).toMatch(/the guard put the route back after \d+(\.\d+)? s/);
    expect(text).toContain("Fields: none differs from the sandbox's in 9 answers.");
    expect(text).toContain("Answers: none differs from the sandbox's in 7 questions.");
    await expectNothingLeft(here);
    const named = / by arn:aws:sts::\d{12}:assumed-role\/.+\/owner$/;
    expect([...new Set(await sentReasons(here))]).toEqual([expect.stringMatching(named)]);
    const [run] = filesOf(here, ".run.json");
    const { shapes, answers, measures, instanceId, nodeName } = run?.content ?? {};
    expect(JSON.parse(readFileSync(SANDBOX_SHAPES, "utf8"))).toEqual({ shapes, answers });
    for (const [name, seconds] of Object.entries(measures as Record<MeasureName, number>)) {
      const [least, most] = expectedOf(name as MeasureName, "2022") ?? [];
      // Looks of the functions come between two moves of the clock.
      expect.soft(seconds, name).toBeGreaterThanOrEqual((least ?? Number.NaN) - 10);
      expect.soft(seconds, name).toBeLessThanOrEqual((most ?? Number.NaN) + 20);
    }
    const [report] = filesOf(here, ".report.json");
    for (const name of [instanceId, nodeName, "U0OPERATOR"])
      expect(JSON.stringify(report?.content)).not.toContain(name);
    // What it measured is what the sandbox can take.
    const [calibration] = filesOf(here, ".calibration.json");
    await (await start(emptyFolder(), "--calibration", calibration?.path ?? "")).signal("SIGINT");
  });

  test(
    "goes on after kill -9, finds a run without its file, and says when the guard does not repair",
    LONG,
    async () => {
      const here = await sandbox();
      const killed = await accept(here, ["--pool", "web"], {
        onPoll: (text, child) => void (text.includes("installing Windows features") && child.kill("SIGKILL")),
      });
      expect(killed.code).toBeNull();
      const second = await accept(here, signed);
      expect(second).toMatchObject({
        code: 2,
        text: expect.stringMatching(/the run acc-\w+ has not ended.*--clean-up/s),
      });
      rmSync(join(here.folder, "acceptance"), { recursive: true });
      await here.control("POST /faults", { kind: "guard-hangs" });
      const { code, text } = await accept(here, ["--resume"]);
      expect(code).toBe(1);
      expect(text).toContain("FAILED at the step route: the guard did not put the route back within 150 seconds");
      expect(text).toContain("The script has put it back itself");
      expect(text).toMatch(/Left: the instance i-\w+ \(node ip-[\w.-]+\).*npm run acceptance -- --clean-up --sandbox/s);
      const { machines, operations } = await here.control("GET /state");
      expect(operations.filter(({ command }) => command === "add")).toHaveLength(1);
      for (const { routes, services } of machines.filter((one) => one.services.length > 0))
        expect(routes.some(({ prefix }) => prefix === "169.254.169.254/32") || services.length === 0).toBe(true);
      expect((await accept(here, ["--clean-up"])).code).toBe(1);
      await expectNothingLeft(here);
      expect(await accept(here, ["--resume"])).toMatchObject({
        code: 2,
        text: expect.stringContaining("no run on prod-west"),
      });
    },
  );

  test(
    "stops when nobody approves, on Ctrl-C and when the removal is refused, and cleans up in the end",
    LONG,
    async () => {
      const here = await sandbox();
      const alone = await accept(here, [...signed, "--wait", "5"], { approves: false });
      expect(alone.code).toBe(1);
      expect(alone.text).toMatch(
        /FAILED at the step reboot: reboot-\w+ has waited 5 minutes for a person: nothing was changed/,
      );
      const interrupted = await accept(here, ["--resume", "--wait", "5"], {
        approves: false,
        onPoll: (text, child) => void (text.includes("operation reboot-") && !child.killed && child.kill("SIGINT")),
      });
      expect(interrupted).toMatchObject({
        code: 1,
        text: expect.stringContaining("FAILED at the step reboot: it was interrupted."),
      });
      expect(interrupted.text).toMatch(/The operation reboot-\w+ goes on without this terminal/);
      const { operations } = await here.control("GET /state");
      for (const { id } of operations.filter(({ status }) => status === "waiting")) await type(here, `cancel ${id}`);
      const atSandbox = (...words: string[]) => connect([...words, "--sandbox", join(here.folder, ".sandbox")], {});
      await atSandbox("freeze", "--reason", "INC-4711");
      const refused = await accept(here, ["--clean-up"]);
      expect(refused.code).toBe(1);
      expect(refused.text).toMatch(/FAILED at the step remove: remove-\w+ ended as refused: .*INC-4711/);
      await atSandbox("thaw");
      expect((await accept(here, ["--clean-up"])).text).not.toContain("FAILED");
      await expectNothingLeft(here);
    },
  );

  test(
    "pulls images on the new node where the cluster's mirrors lead it, and says why one was not pulled",
    LONG,
    async () => {
      const here = await sandbox("--with", "mirror-set");
      for (const host of ["registry.example.com", "other.example.com"])
        await here.control("POST /faults", { kind: "registry-down", match: { host } });
      const pulled = ["--pull", "registry.example.com/shop/storefront:1.4"];
      const { code, text } = await accept(here, [...signed, ...pulled, "--pull", "other.example.com/app:1"]);
      expect(code).toBe(1);
      expect(text).toContain("registry.example.com/shop/storefront:1.4 was pulled");
      expect(text).toMatch(/FAILED at the step pull: other\.example\.com\/app:1 was not pulled on ip-.*refused/);
      expect((await accept(here, ["--clean-up"])).text).not.toContain("FAILED");
      await expectNothingLeft(here);
    },
  );

  test("begins nothing for a pool that is not there, and ends with exit code 2", LONG, async () => {
    const here = await sandbox();
    const { code, text } = await accept(here, ["--pool", "wbe"]);
    expect({ code, text }).toEqual({ code: 2, text: 'casement: there is no pool "wbe": web, batch, edge\n' });
    expect((await here.control("GET /state")).operations).toEqual([]);
    expect(existsSync(join(here.folder, "acceptance"))).toBe(false);
  });
});

describe("npm start -- --calibration", () => {
  const file = (figures: object) => {
    const path = join(emptyFolder(), "calibration.json");
    const measuredAt = "2026-11-24T05:00:00.000Z";
    const machine = { windows: "2022", instanceType: "m6i.xlarge", measuredAt };
    writeFileSync(path, JSON.stringify({ casement: "calibration", version: 1, ...machine, figures, measured: {} }));
    return path;
  };

  test("takes the times of the file", LONG, async () => {
    const here = await sandbox("--calibration", file({ launch: [600_000, 600_000] }));
    await type(here, "add web");
    const state = async () => {
      const { instances } = await here.control("GET /state");
      return Object(instances.at(-1)?.State).Name;
    };
    await here.control("POST /clock", { advance: 540 });
    expect(await state()).toBe("pending");
    await here.control("POST /clock", { advance: 90 });
    expect(await state()).toBe("running");
  });

  test("tells in one line what is wrong with the file, and starts nothing", LONG, async () => {
    const folder = emptyFolder();
    const path = file({ launch: [9, 1] });
    for (const [name, words] of [
      [path, "figures.launch: the first time of the two must not be the longer one"],
      [file({ lunch: [1, 2] }), 'figures: Unrecognized key: "lunch"'],
      [join(folder, "none.json"), "ENOENT"],
    ] as const) {
      const { code, err } = await refusal(folder, "--port", "0", "--calibration", name);
      expect({ code, lines: err.split("\n").length }).toEqual({ code: 1, lines: 2 });
      expect(err).toContain(`casement: --calibration ${name}: ${words}`);
    }
    expect(existsSync(join(folder, ".sandbox"))).toBe(false);
  });
});
