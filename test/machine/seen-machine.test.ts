import { describe, expect, it } from "vitest";
import { rebootDue } from "../../lambdas/machine/reboot-due.ts";
import { afterProof, judgeSighting, type SeenMachine, type Sighting } from "../../lambdas/machine/seen-machine.ts";

const machine = { instanceId: "i-1", node: "win-1", uid: "uid-1", launchedAt: "2026-11-01T00:00:00.000Z" };
const before: SeenMachine = {
  ...machine,
  bootId: "7",
  reasons: [],
  dueSince: null,
  seenAt: "2026-11-21T02:30:00.000Z",
};
const now = "2026-11-21T03:00:00.000Z";
const seen = (more: Partial<Sighting> = {}): Sighting => ({ ...machine, bootId: "7", reasons: [], ...more });
const order = (at: string, bootId: string | null = null) => ({ operation: "reboot-1", at, bootId });

describe("what waits for a reboot", () => {
  it("is due since the look that first found it, whatever is added later", () => {
    const first = judgeSighting(before, undefined, seen({ reasons: ["servicing"] }), now).record;
    expect(first).toMatchObject({ dueSince: now, reasons: ["servicing"], seenAt: now });
    const later = "2026-11-21T09:00:00.000Z";
    const more = seen({ reasons: ["servicing", "windows-update"] });
    expect(judgeSighting(first ?? undefined, undefined, more, later).record).toMatchObject({
      dueSince: now,
      seenAt: later,
    });
    expect(judgeSighting(first ?? undefined, undefined, seen(), later).record).toMatchObject({ dueSince: null });
  });

  it("is not known of a machine that was not seen lately, nor of another Node on it", () => {
    const due: SeenMachine = { ...before, reasons: ["servicing"], dueSince: before.seenAt };
    const at = Date.parse(before.seenAt);
    expect(rebootDue(due, "uid-1", at + 60_000).state).toBe("due");
    expect(rebootDue(before, "uid-1", at + 60_000).state).toBe("not-due");
    expect(rebootDue(due, "uid-1", at + 3 * 3_600_000)).toEqual({ state: "unknown", seenAt: before.seenAt });
    expect(rebootDue(before, "uid-1", at + 3 * 3_600_000).state).toBe("unknown");
    expect(rebootDue(due, "uid-2", at)).toEqual({ state: "unknown", seenAt: null });
    expect(rebootDue(undefined, "uid-1", at)).toEqual({ state: "unknown", seenAt: null });
  });
});

describe("a reason that a proven reboot of Casement did not end", () => {
  const due: SeenMachine = { ...before, reasons: ["file-renames", "proxy"], dueSince: before.seenAt };
  const file = "C:\\Vendor\\agent.new";
  const clean = afterProof(due, { bootId: "8", reasons: [] }, now);
  const at = (hours: number): string => new Date(Date.parse(now) + hours * 3_600_000).toISOString();
  const lookAt = (known: SeenMachine, hours: number, reasons: Sighting["reasons"]): SeenMachine =>
    judgeSighting(known, undefined, seen({ bootId: "8", reasons, file }), at(hours)).record ?? known;
  const dueAt = (record: SeenMachine) => rebootDue(record, "uid-1", Date.parse(record.seenAt));

  it("is chronic, with the first file, whether it is there at the proof or at a look within a day", () => {
    const chronic = { reasons: ["file-renames"], rebootedAt: now, file };
    expect(dueAt(afterProof(due, { bootId: "8", reasons: ["file-renames"], file }, now))).toMatchObject({ chronic });
    expect(dueAt(lookAt(clean, 23, ["file-renames", "proxy"]))).toMatchObject({ state: "due", chronic });
  });

  it("is no chronic one where Windows installs the next update after it", () => {
    const updates: SeenMachine = { ...due, reasons: ["windows-update"] };
    const looked = lookAt(afterProof(updates, { bootId: "8", reasons: [] }, now), 12, ["windows-update"]);
    expect(dueAt(looked)).not.toHaveProperty("chronic");
    const still = afterProof(updates, { bootId: "8", reasons: ["windows-update"] }, now);
    expect(dueAt(still)).toMatchObject({ chronic: { reasons: ["windows-update"] } });
  });

  it("stays chronic as long as it is there, and is a new one after more than a day without it", () => {
    const again = lookAt(clean, 1, ["file-renames"]);
    expect(dueAt(lookAt(again, 40, ["file-renames"]))).toHaveProperty("chronic");
    const gone = lookAt(again, 40, []);
    expect(dueAt(gone)).toEqual({ state: "not-due", seenAt: at(40) });
    expect(dueAt(lookAt(gone, 41, ["file-renames"]))).not.toHaveProperty("chronic");
  });

  it("is none that came after the reboot, nor the proxy that Casement writes", () => {
    expect(dueAt(lookAt(clean, 1, ["servicing", "proxy"]))).not.toHaveProperty("chronic");
  });
});

describe("a mark of an autoscaler", () => {
  const marks = ["karpenter.sh/disrupted"];
  const later = "2026-11-21T09:00:00.000Z";
  const recordOf = (known: SeenMachine, more: Partial<Sighting>, at = now) =>
    judgeSighting(known, undefined, seen(more), at).record;

  it("is as old as its first observation, whether or not the machine answers", () => {
    const first = recordOf(before, { marks }) ?? before;
    expect(first.marks).toEqual({ "karpenter.sh/disrupted": now });
    expect(recordOf(first, { marks }, later)?.marks).toEqual(first.marks);
    expect(recordOf(before, { marks, reasons: null })).toEqual({ ...before, marks: first.marks });
    expect(recordOf(first, { marks, reasons: null }, later)).toBeNull();
  });

  it("is forgotten once it is gone, and on another Node", () => {
    const first = { ...before, marks: { "karpenter.sh/disrupted": now } };
    expect(recordOf(first, {}, later)).not.toHaveProperty("marks");
    expect(recordOf(first, { bootId: null, reasons: null }, later)).toEqual(before);
    expect(recordOf(first, { uid: "uid-2", marks }, later)?.marks).toEqual({ "karpenter.sh/disrupted": later });
  });
});

describe("repairs of the route guard", () => {
  const look = (had: SeenMachine | undefined, repairs: number | undefined, troubles: Sighting["troubles"] = []) => {
    const counted = repairs === undefined ? {} : { repairs };
    return judgeSighting(had, undefined, seen({ mark: "look", troubles, ...counted }), now).record ?? undefined;
  };

  it("are a trouble once they are many within a day, beside those of the look, and are kept meanwhile", () => {
    const first = look(before, 2);
    expect(first).toMatchObject({ repairs: { since: now, from: 2, count: 0, last: 0 } });
    expect(first).not.toHaveProperty("troubles");
    const silent = look(first, undefined);
    expect(silent?.repairs).toEqual(first?.repairs);
    expect(look(silent, 8, [{ kind: "disk-low" }])?.troubles).toMatchObject([
      { kind: "disk-low" },
      { kind: "routes-lost", times: 6, since: now, mark: "look" },
    ]);
  });
});

describe("the renewal of passwords of ECR", () => {
  const failed = { kind: "failed", why: "ECR does not answer" } as const;
  const faultOf = (had: SeenMachine | undefined, more: Partial<Sighting>, at = now) =>
    judgeSighting(had, undefined, seen(more), at).record;

  it("fails since the look that first found it, whatever the error becomes, until one has succeeded", () => {
    const first = faultOf(before, { renewalFault: failed }) ?? undefined;
    expect(first?.renewalFault).toEqual({ ...failed, since: now });
    const later = "2026-11-21T09:00:00.000Z";
    const other = { kind: "failed", why: "the role may not" } as const;
    expect(faultOf(first, { renewalFault: other }, later)?.renewalFault).toEqual({ ...other, since: now });
    expect(faultOf(first, { renewalFault: null }, later)).not.toHaveProperty("renewalFault");
  });

  it("stays as it was while a machine does not say, as while its task runs", () => {
    const first = faultOf(before, { renewalFault: failed }) ?? undefined;
    expect(faultOf(first, {})?.renewalFault).toEqual({ ...failed, since: now });
    expect(faultOf(before, {})).not.toHaveProperty("renewalFault");
  });
});

describe("a boot", () => {
  const changeOf = (...args: Parameters<typeof judgeSighting>) => judgeSighting(...args).change;

  it("that changed without an order is foreign, and stays so until it is told", () => {
    const { change, record } = judgeSighting(before, undefined, seen({ bootId: "8", reasons: ["file-renames"] }), now);
    expect(change).toBe("foreign");
    expect(record).toMatchObject({ bootId: "7", reasons: ["file-renames"], seenAt: now });
  });

  it("is not told at the first sight of a machine, nor of another Node", () => {
    expect(changeOf(undefined, undefined, seen({ bootId: "8" }), now)).toBe("none");
    expect(changeOf(before, undefined, seen({ bootId: "8", uid: "uid-2" }), now)).toBe("none");
  });

  it("is Casement's own where an order came since the last look, and no other boot than the one it led to", () => {
    expect(changeOf(before, order("2026-11-21T02:40:00.000Z"), seen({ bootId: "8" }), now)).toBe("own");
    expect(changeOf(before, order("2026-11-21T01:00:00.000Z"), seen({ bootId: "8" }), now)).toBe("foreign");
    expect(changeOf(before, order("2026-11-21T02:40:00.000Z", "8"), seen({ bootId: "8" }), now)).toBe("own");
    expect(changeOf(before, order("2026-11-21T02:40:00.000Z", "8"), seen({ bootId: "9" }), now)).toBe("foreign");
  });

  it("is known from the kubelet where the machine does not answer; what waits for a reboot is not", () => {
    const silent = seen({ bootId: "8", reasons: null });
    expect(judgeSighting(before, undefined, silent, now)).toEqual({ change: "foreign", record: null });
    expect(judgeSighting(before, order("2026-11-21T02:40:00.000Z"), silent, now)).toEqual({
      change: "own",
      record: { ...before, bootId: "8" },
    });
    expect(judgeSighting(undefined, undefined, silent, now).record).toBeNull();
    expect(judgeSighting(before, undefined, seen({ bootId: null, reasons: null }), now).change).toBe("none");
  });
});
