import { afterAll, beforeAll, expect, test } from "vitest";
import { writeNews } from "../../../lambdas/capabilities/reboot-watch/news.ts";
import type { Sighting } from "../../../lambdas/machine/seen-machine.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const LAUNCHED = "2026-11-20T00:00:00.000Z";
const boot = { bootedAt: "2026-11-21T10:00:00.000Z", events: [{ id: 41, at: "2026-11-21T10:00:05.000Z", text: "" }] };
/** Clock of the machine at its answer, an hour after its boot. */
const clock = Date.parse("2026-11-21T11:00:00.000Z") / 1_000;

interface Scene {
  readonly sighting?: Partial<Sighting>;
  readonly verdict?: object;
  /** Launch that was seen before; null for a machine that was never seen. */
  readonly launchedBefore?: string | null;
}

/** Writes the news of one machine. @returns what was written, with the minutes since its boot, and which were asked */
async function written({ sighting = {}, verdict = {}, launchedBefore = LAUNCHED }: Scene) {
  const machine = { instanceId: "i-1", node: "win-1", uid: "uid-1", launchedAt: LAUNCHED, bootId: "8", reasons: [] };
  const asked: string[] = [];
  const noted: { cause: object; minutes: number | null; mark: string; of: number }[] = [];
  const steps = verbs({
    ledger: { awaitFleet: async () => undefined },
    fleet: {
      observe: async (ids: readonly string[]) => {
        asked.push(...ids);
        return { state: "sent", commandId: "observe" };
      },
      verdicts: async () => [{ instanceId: "i-1", state: "done", result: { clock }, ...verdict }],
    },
    machines: {
      seen: {
        all: async () => new Map(launchedBefore === null ? [] : [["i-1", { launchedAt: launchedBefore }]]),
        noteBoot: async ({ news }: { news: { bootedAt: string | null; cause: object; mark: string; of: number } }) => {
          const { bootedAt, ...rest } = news;
          const minutes = bootedAt === null ? null : Math.round((Date.now() - Date.parse(bootedAt)) / 60_000);
          noted.push({ ...rest, minutes });
        },
      },
    },
  });
  await run((ctx) => writeNews({ ctx, steps }, "tick-1", [{ ...machine, ...sighting } as Sighting], 4));
  return {
    asked,
    noted: noted.map(({ cause, minutes }) => ({ cause, minutes })),
    marks: noted.map(({ mark, of }) => [mark, of]),
  };
}

const unread = (why: string) => [{ cause: { kind: "unread", why }, minutes: null }];

test("A boot is explained by the machine's log, and dated by the age that its own clock gives it", async () => {
  const { noted, marks, asked } = await written({ verdict: { answers: { boot } } });
  expect(noted).toEqual([{ cause: { kind: "unclean" }, minutes: 60 }]);
  expect([marks, asked]).toEqual([[["tick-1", 4]], ["i-1"]]);
});

test("A launch since the last look is a start by EC2; a machine that was never seen has had none", async () => {
  const answered = { verdict: { answers: { boot } } };
  const started = await written({ ...answered, launchedBefore: "2026-11-19T00:00:00.000Z" });
  expect(started.noted).toEqual([{ cause: { kind: "ec2-start" }, minutes: 60 }]);
  expect((await written({ ...answered, launchedBefore: null })).noted).toMatchObject([{ cause: { kind: "unclean" } }]);
});

test("A log that was not read says why", async () => {
  const cut = "its answer was longer than SSM shows of each of many machines";
  expect((await written({})).noted).toEqual(unread(cut));
  expect((await written({ verdict: { answers: {} } })).noted).toEqual(unread(cut));
  const failed = { result: { clock, failed: { boot: "the log is locked" } } };
  expect((await written({ verdict: failed })).noted).toEqual(unread("the log is locked"));
});

test("A machine that was silent is not asked, and one whose boot is not known is no news", async () => {
  const silent = await written({ sighting: { reasons: null } });
  expect(silent).toMatchObject({ asked: [], noted: unread("the machine did not answer") });
  expect((await written({ sighting: { bootId: null }, verdict: { answers: { boot } } })).noted).toEqual([]);
});
