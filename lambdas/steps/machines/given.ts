import {
  type InputName,
  type InputValue,
  inputsWith,
  listsOf,
  type MachineInputs,
  type SentInput,
  type StoredFile,
  sendingInput,
} from "../../records/machine-record.ts";
import { type StepContext, timestamp } from "../context.ts";
import { fileLists } from "./file-lists.ts";
import { machineAttribute } from "./machine-attribute.ts";

/** Makes the value of an input from its record so far. */
type Revalue = (sent: SentInput | undefined) => InputValue;

/** The inputs that were sent to machines. */
export function given(context: StepContext) {
  const attribute = machineAttribute(context, "given");
  const lists = fileLists(context);

  const read = async (stored: MachineInputs<StoredFile>): Promise<MachineInputs> =>
    inputsWith(stored, await lists.read(listsOf(stored)));

  /** Makes the value of an input, as the record names it. */
  const storedValue = async (before: MachineInputs<StoredFile>, input: InputName, valueFrom: Revalue) =>
    lists.keep(valueFrom((await read(before))[input]));

  return {
    /** The inputs of every machine that is not gone, by instance id. */
    all: async (): Promise<ReadonlyMap<string, MachineInputs>> => {
      const all = await attribute.ofLiving();
      const known = await lists.read([...all.values()].flatMap(listsOf));
      return new Map([...all].map(([id, stored]) => [id, inputsWith(stored, known)]));
    },

    /** The inputs of one machine; undefined if none is recorded. */
    of: async (instanceId: string): Promise<MachineInputs | undefined> => {
      const stored = await attribute.of(instanceId);
      return stored && read(stored);
    },

    /** Records an input that is about to be sent to a machine; its other inputs stay. */
    send: async (instanceId: string, owner: string, input: InputName, valueFrom: Revalue): Promise<void> => {
      const at = timestamp(context);
      await attribute.revise(instanceId, async (before = {}) => ({
        ...before,
        [input]: sendingInput(before[input], await storedValue(before, input, valueFrom), { owner, at }),
      }));
    },

    /** Records an input that a machine has; its other inputs stay. */
    record: async (instanceId: string, owner: string, input: InputName, valueFrom: Revalue): Promise<void> => {
      const at = timestamp(context);
      await attribute.revise(instanceId, async (before = {}) => ({
        ...before,
        [input]: { ...(await storedValue(before, input, valueFrom)), owner, at },
      }));
    },
  };
}
