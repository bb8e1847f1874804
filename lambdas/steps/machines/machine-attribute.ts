import { Retryable } from "../../errors.ts";
import { EXPIRES, type Key, keys, MACHINES } from "../../records/ledger-table.ts";
import {
  attributeOfOld,
  type Expiry,
  lastRelease,
  type MachineParts,
  type MachineRecord,
  type OldItem,
  type StoredAttribute,
} from "../../records/machine-record.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "../ledger/retention.ts";
import { tableClient } from "../ledger/table.ts";

/**
 * Reads and writes one attribute of the machines' records. If only the last release wrote the attribute, it is read from that
 * item.
 * @param keptDays days after its last write until an attribute expires; without it, the attribute stays as long as the machine
 */
export const machineAttribute = <Name extends keyof MachineParts>(
  context: StepContext,
  name: Name,
  keptDays?: number,
) => {
  type Value = MachineParts[Name];
  type Stored = StoredAttribute<Value> | undefined;
  type Revision = (before: Value | undefined) => Value | null | Promise<Value | null>;
  const items = tableClient(context);
  const storedIn = (record: MachineRecord | undefined): Stored => record?.[name];
  const current = (attribute: Stored): Value | undefined =>
    attribute && (attribute[EXPIRES] ?? Number.POSITIVE_INFINITY) > context.now() / 1_000 ? attribute.value : undefined;

  const read = async (instanceId: string) => {
    const record = await items.read<MachineRecord>(keys.machineRecord(instanceId));
    const stored = storedIn(record);
    const old = stored ? undefined : await items.read<OldItem>({ pk: lastRelease[name], sk: instanceId });
    return { record, stored, before: current(old ? attributeOfOld(name, old) : stored) };
  };

  const write = async (instanceId: string, revision: Revision, expiry: Expiry): Promise<Value | undefined> => {
    const key = keys.machineRecord(instanceId);
    const { record, stored, before } = await read(instanceId);
    const value = await revision(before);
    if (value === null) return before;
    const attribute = { value, version: (stored?.version ?? 0) + 1, ...expiry };
    // Another writer may have made the record meanwhile, perhaps with another attribute: then this attribute is added to it.
    if (!record && (await items.insert(key, { [name]: attribute })) === "again")
      return write(instanceId, revision, expiry);
    if (record && !(await items.changeAttribute(key, name, attribute, stored?.version)))
      throw new Retryable(`"${name}" of ${instanceId} was changed by another writer at the same time`);
    return value;
  };

  /** Reads the attribute of every machine that has it, by instance id; undefined for an attribute that is not wanted. */
  const readAll = async (isWanted: (record: Expiry) => boolean): Promise<ReadonlyMap<string, Value>> => {
    const values = new Map<string, Value | undefined>();
    for (const item of await items.partition<OldItem>(lastRelease[name]))
      values.set(item.sk, current(attributeOfOld(name, item)));
    for (const record of await items.partition<Key & Expiry & MachineRecord>(MACHINES)) {
      if (!isWanted(record)) values.delete(record.sk);
      else if (storedIn(record)) values.set(record.sk, current(storedIn(record)));
    }
    return new Map([...values].flatMap(([id, value]) => (value ? [[id, value]] : [])));
  };

  return {
    /** The attribute of every machine that has it, by instance id. */
    all: () => readAll(() => true),

    /** The same, without the machines that are gone and whose records will expire. */
    ofLiving: () => readAll((record) => record[EXPIRES] === undefined),

    /** The attribute of one machine; undefined if it has none. */
    of: async (instanceId: string): Promise<Value | undefined> => (await read(instanceId)).before,

    /**
     * Reads an attribute, passes it to `revision`, and writes the result only if the attribute was not written in between.
     * @param revision takes the existing attribute, or undefined, and returns the new one, or null to leave it
     * @returns the current attribute
     * @throws Retryable if another write of this attribute came first
     */
    revise: (instanceId: string, revision: Revision): Promise<Value | undefined> =>
      write(instanceId, revision, keptDays ? { [EXPIRES]: expiryAfter(timestamp(context), keptDays) } : {}),

    /** Lets an attribute expire now. */
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
