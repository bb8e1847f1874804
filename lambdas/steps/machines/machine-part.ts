import { Retryable } from "../../errors.ts";
import { EXPIRES, type Key, keys, MACHINES } from "../../records/ledger-table.ts";
import {
  type Expiry,
  lastRelease,
  type MachineParts,
  type MachineRecord,
  type OldItem,
  partOfOld,
  type StoredPart,
} from "../../records/machine-record.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "../ledger/retention.ts";
import { tableClient } from "../ledger/table.ts";

/**
 * Reads and writes one part of the machines' records. If only the last release wrote the part, it is read from that
 * item.
 * @param keptDays days after its last write until a part expires; without it, the part stays as long as the machine
 */
export const machinePart = <Name extends keyof MachineParts>(context: StepContext, name: Name, keptDays?: number) => {
  type Part = MachineParts[Name];
  type Stored = StoredPart<Part> | undefined;
  type Revision = (before: Part | undefined) => Part | null | Promise<Part | null>;
  const items = tableClient(context);
  const storedIn = (record: MachineRecord | undefined): Stored => record?.[name];
  const current = (part: Stored): Part | undefined =>
    part && (part[EXPIRES] ?? Number.POSITIVE_INFINITY) > context.now() / 1_000 ? part.value : undefined;

  const read = async (instanceId: string) => {
    const record = await items.read<MachineRecord>(keys.machineRecord(instanceId));
    const stored = storedIn(record);
    const old = stored ? undefined : await items.read<OldItem>({ pk: lastRelease[name], sk: instanceId });
    return { record, stored, before: current(old ? partOfOld(name, old) : stored) };
  };

  const write = async (instanceId: string, revision: Revision, expiry: Expiry): Promise<Part | undefined> => {
    const key = keys.machineRecord(instanceId);
    const { record, stored, before } = await read(instanceId);
    const value = await revision(before);
    if (value === null) return before;
    const part = { value, version: (stored?.version ?? 0) + 1, ...expiry };
    // Another writer may have made the record meanwhile, perhaps with another part: then this part is added to it.
    if (!record && (await items.insert(key, { [name]: part })) === "again") return write(instanceId, revision, expiry);
    if (record && !(await items.changeAttribute(key, name, part, stored?.version)))
      throw new Retryable(`"${name}" of ${instanceId} was changed by another writer at the same time`);
    return value;
  };

  /** Reads the part of every machine that has it, by instance id; undefined for a part that is not wanted. */
  const readAll = async (isWanted: (record: Expiry) => boolean): Promise<ReadonlyMap<string, Part>> => {
    const parts = new Map<string, Part | undefined>();
    for (const item of await items.partition<OldItem>(lastRelease[name]))
      parts.set(item.sk, current(partOfOld(name, item)));
    for (const record of await items.partition<Key & Expiry & MachineRecord>(MACHINES)) {
      if (!isWanted(record)) parts.delete(record.sk);
      else if (storedIn(record)) parts.set(record.sk, current(storedIn(record)));
    }
    return new Map([...parts].flatMap(([id, part]) => (part ? [[id, part]] : [])));
  };

  return {
    /** The part of every machine that has it, by instance id. */
    all: () => readAll(() => true),

    /** The same, without the machines that are gone and whose records will expire. */
    ofLiving: () => readAll((record) => record[EXPIRES] === undefined),

    /** The part of one machine; undefined if it has none. */
    of: async (instanceId: string): Promise<Part | undefined> => (await read(instanceId)).before,

    /**
     * Reads a part, passes it to `revision`, and writes the result only if the part was not written in between.
     * @param revision takes the existing part, or undefined, and returns the new one, or null to leave it
     * @returns the current part
     * @throws Retryable if another write of this part came first
     */
    revise: (instanceId: string, revision: Revision): Promise<Part | undefined> =>
      write(instanceId, revision, keptDays ? { [EXPIRES]: expiryAfter(timestamp(context), keptDays) } : {}),

    /** Lets a part expire now. */
    end: async (instanceId: string): Promise<void> => {
      await write(instanceId, (before) => before ?? null, { [EXPIRES]: Math.floor(context.now() / 1_000) });
    },

    /** Copies the items of the last release into the machines' records, and lets the items expire. */
    moveOld: async (expiry: Expiry): Promise<void> => {
      for (const { pk, sk, ...item } of await items.partition<OldItem>(lastRelease[name]))
        if (item[EXPIRES] === undefined) {
          await write(sk, (before) => before ?? null, {});
          await items.change({ pk, sk }, expiry);
        }
    },
  };
};
