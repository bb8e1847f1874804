import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { copies, type EntryItem } from "../../lambdas/append-audit/copies.ts";
import { type Chain, entryAfter } from "../../lambdas/audit/entry.ts";
import { withLog } from "../../lambdas/logging.ts";
import { keys } from "../../lambdas/records/ledger-table.ts";
import type { EventContext } from "../../lambdas/steps/context.ts";
import { storedItems } from "../steps/ledger/stored-items.ts";

const AT = "2026-11-21T14:00:00.000Z";
const EARLIER = "2026-11-21T09:00:00.000Z";
const chain: Chain = { operation: "drain-3f9c2a71", index: 3 };
const name = "drain-3f9c2a71:3";
const DELAY = keys.auditExport(name);

const plain = entryAfter(
  { cluster: "prod-west", chain, head: null },
  { at: AT, mark: "launch", act: { what: "started" } },
);
const entry = { ...plain, ...keys.audit(name, 1), expiresAt: 2_000_000_000 };

const settings = { cluster: "prod-west", bucket: "casement", ledgerTable: "casement" };
const named = (error: string, message = "no") => Object.assign(new Error(message), { name: error });
const listed = (since: string) => ({ unfinished: "prod-west/exports", requestedAt: since });

/** Has copies written by a bucket that answers so. @returns the result, what S3 was sent, the delay's record, the log */
async function copied(
  work: (of: ReturnType<typeof copies>, items: Map<string, object>) => Promise<unknown>,
  delay?: object,
  answer: () => unknown = () => ({}),
) {
  const { dynamodb, items } = storedItems(delay ? [[DELAY, delay]] : []);
  const puts: unknown[] = [];
  const send = async (command: { readonly input: object }) => {
    puts.push(command.input);
    return answer();
  };
  const now = () => Date.parse(AT);
  const context = { clients: { dynamodb, s3: { send } }, settings, now } as unknown as EventContext;
  const lines: object[] = [];
  const log = (line: string) => void lines.push(JSON.parse(line) as object);
  const result = await withLog({ settings, now, log }, {}, () =>
    work(copies(context, "2026-11-20T23:59:00.000Z"), items as Map<string, object>),
  );
  return { result, puts, lines, delay: items.get(`${DELAY.pk} ${DELAY.sk}`) };
}

const refused = (error: unknown) => () => {
  throw error;
};
const logged = (why: string) => ({
  ...{ time: AT, level: "WARN", event: "refusal", operation: "drain-3f9c2a71" },
  ...{ service: "s3", action: "PutObject", why },
});
const tried = (of: ReturnType<typeof copies>) => of.tryPut(chain, entry);

describe("The copy of an entry", () => {
  it("is written once, without what the ledger adds, in the folder of the operation's day", async () => {
    expect(await copied(tried)).toEqual({
      result: true,
      puts: [
        {
          Bucket: "casement",
          Key: "audit/prod-west/2026-11-20/drain-3f9c2a71/node-0003/0001.json",
          Body: JSON.stringify(plain),
          ContentType: "application/json",
          IfNoneMatch: "*",
        },
      ],
      lines: [],
      delay: undefined,
    });
  });

  it("is there where the bucket has one already", async () => {
    const { result, lines, delay } = await copied(tried, undefined, refused(named("PreconditionFailed")));
    expect({ result, lines, delay }).toEqual({ result: true, lines: [], delay: undefined });
  });

  it.each([
    [named("AccessDenied", "not authorized"), "not authorized"],
    [{ name: "PreconditionFailed" }, "[object Object]"],
  ])("is left to the sweep, with a line in the log, where S3 refuses it: %o", async (error, why) => {
    const { result, lines, delay } = await copied(tried, undefined, refused(error));
    expect({ result, lines }).toEqual({ result: false, lines: [logged(expect.stringContaining(why))] });
    expect(delay).toMatchObject({ chain, since: AT, failures: 1 });
  });
});

describe("A bucket that does not answer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is waited for no longer than three seconds", async () => {
    const ended: unknown[] = [];
    const work = copied(tried, undefined, () => new Promise(() => undefined)).then((end) => ended.push(end));
    await vi.advanceTimersByTimeAsync(2_999);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await work;
    expect(ended).toMatchObject([{ result: false, delay: { failures: 1 } }]);
  });
});

describe("The delay of a chain's copies", () => {
  const postponed = async (before?: object) => (await copied((of) => of.postpone(chain), before)).delay;
  const record = (since: string, failures: number) => ({ chain, since, failures, ...listed(since) });

  it("begins with the first that is missing, and is listed for the sweep", async () => {
    expect(await postponed()).toEqual({ ...record(AT, 1), ...DELAY, version: 1 });
  });

  it("keeps its beginning when another is missing", async () => {
    expect(await postponed({ ...record(EARLIER, 2), version: 2 })).toEqual({
      ...record(EARLIER, 3),
      ...DELAY,
      version: 3,
    });
  });

  it("begins anew once the one before has ended", async () => {
    const before = { chain, since: EARLIER, failures: 2, doneAt: EARLIER, version: 4 };
    expect(await postponed(before)).toEqual({ ...record(AT, 1), ...DELAY, version: 5 });
  });
});

describe("The missing copies of a chain", () => {
  const late = { chain, since: EARLIER, failures: 2, ...listed(EARLIER), version: 2 };
  const second: EntryItem = { ...entry, sequence: 2 };
  const catchUp = (of: ReturnType<typeof copies>) => of.catchUp(chain, async () => [entry, second]);

  it("are written all, which ends the delay; its record expires after a day", async () => {
    const { result, puts, delay } = await copied(catchUp, late);
    expect([result, puts.map((put) => (put as { Key: string }).Key.slice(-9))]).toEqual([
      true,
      ["0001.json", "0002.json"],
    ]);
    expect(delay).toEqual({
      ...{ chain, since: EARLIER, failures: 2, doneAt: AT, ...DELAY, version: 3 },
      expiresAt: Date.parse(AT) / 1_000 + 86_400,
    });
  });

  it.each([undefined, { ...late, doneAt: EARLIER }])("end no delay where there is none: %o", async (before) => {
    const { result, delay } = await copied(catchUp, before);
    expect({ result, delay }).toEqual({ result: true, delay: before && { ...before, ...DELAY } });
  });

  it("end no delay where another copy failed meanwhile", async () => {
    const again = { ...late, ...DELAY, failures: 3, version: 3 };
    const { result, delay } = await copied(
      (of, items) =>
        of.catchUp(chain, async () => {
          items.set(`${DELAY.pk} ${DELAY.sk}`, again);
          return [entry];
        }),
      late,
    );
    expect({ result, delay }).toEqual({ result: true, delay: again });
  });

  it("stay missing where S3 refuses one, or the chain cannot be read", async () => {
    const denied = await copied(catchUp, late, refused(named("AccessDenied", "not authorized")));
    expect(denied).toMatchObject({ result: false, lines: [logged(expect.stringContaining("not authorized"))] });
    expect(denied.puts).toHaveLength(1);
    const unread = await copied((of) => of.catchUp(chain, async () => Promise.reject(new Error("busy"))), late);
    expect(unread).toMatchObject({ result: false, puts: [], lines: [{ why: expect.stringContaining("busy") }] });
    for (const { delay } of [denied, unread]) expect(delay).toEqual({ ...late, ...DELAY });
  });
});
