import { afterEach, describe, expect, test } from "vitest";
import { expectSound, heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { passTo, poolsWith, saturday } from "../../maintenance.ts";
import { forcedDrain, outcomeOf, SHORT, unasked } from "../../on-web.ts";
import { web } from "../../others.ts";
import { privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const run = (command: string): Promise<readonly [string, string]> => outcomeOf(here, command);

/** The newest answer to a look, to the person alone. */
async function seen(command: string): Promise<string> {
  await here.type("operator", command);
  await here.pass(1);
  return privately(here, "operator").at(-1) ?? "";
}

// Journeys begin on a Saturday at 03:00 UTC.
const stops = [
  { command: '/win freeze --reason "release" --until "03:30"', what: "The cluster", end: "`/win thaw`" },
  { command: '/win freeze web --reason "release" --until "03:30"', what: "Pool `web`", end: "`/win thaw web`" },
  { command: '/win hold web --reason "release" --until "Sat 03:30"', what: "Pool `web`", end: "`/win unhold web`" },
  {
    command: `/win hold ${SHORT} --reason "release" --until "2026-11-21 03:30"`,
    what: `\`${web.name}\``,
    end: "`/win unhold ",
  },
] as const;

describe.each(stops)("$command", ({ command, what, end }) => {
  test("shows on node and operations what stops it, and ends with its time by itself", async () => {
    here = await unasked("drain");
    const [status, summary] = await run(command);
    expect([status, summary]).toEqual(["succeeded", expect.stringContaining(what)]);
    expect(summary).toContain(end);
    const shown = new RegExp(`^🧊 ${what}[^\\n]*03:30 UTC[^\\n]* by olivia: release. To end it: ${end}`);
    expect(await seen(`/win node ${SHORT}`)).toMatch(shown);
    expect(await seen("/win operations")).toMatch(shown);
    await passTo(here, "2026-11-21T03:29");
    expect((await run(forcedDrain))[0]).toBe("refused");
    await passTo(here, "2026-11-21T03:31");
    expect(await seen(`/win node ${SHORT}`)).not.toContain("🧊");
    expect(await seen("/win operations")).not.toContain("🧊");
    expect((await run(forcedDrain))[0]).toBe("succeeded");
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });
});

test("A time of --until is read in the time zone of the pool's maintenance windows, and told in UTC", async () => {
  const pools = poolsWith({ maintenance: [saturday({ timeZone: "Europe/Berlin", from: "00:00", until: "23:00" })] });
  here = await withSeedNodes({ configuration: { pools, approvals: { drain: { needs: 0 } } } });
  const [, summary] = await run('/win freeze web --reason "release" --until "04:30"');
  expect(summary).toContain("until 2026-11-21 03:30 UTC");
  expect((await run(forcedDrain))[0]).toBe("refused");
  await passTo(here, "2026-11-21T03:31");
  expect((await run(forcedDrain))[0]).toBe("succeeded");
});

test.each([
  ['--until "yesterday"', /is no time/],
  ['--until "2026-11-20 03:00"', /has passed/],
  ['--until "2027-11-20 03:00"', /30 days/],
  ['--until "04:00" --for 2h', /--for/],
] as const)("/win freeze with %s is told in private what is wrong, and freezes nothing", async (options, words) => {
  here = await unasked("drain");
  await run(`/win freeze web --reason "x" ${options}`);
  expect(privately(here, "operator").at(-1)).toMatch(words);
  expect((await run(forcedDrain))[0]).toBe("succeeded");
});
