import type { Configuration } from "../../configuration/configuration.ts";
import { Refused } from "../../errors.ts";
import type { FoundObjects, Input, InputContent } from "../../inputs/input.ts";
import type { SeenMachine } from "../../machine/seen-machine.ts";
import type { ExaminedInput, Finding } from "../../messages/doctor/finding.ts";
import type { MachineInputs } from "../../records/machine-record.ts";
import { inputObjects } from "../cluster/input-objects.ts";
import { nodes } from "../cluster/nodes.ts";
import { inputContent, inputFound } from "../input-content.ts";
import { type InputWatch, inputWatches } from "../input-watches.ts";
import { machines } from "../machines/machines.ts";
import { runtime } from "../runtime.ts";
import { secretFacts } from "../secret-facts.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";
import { type GivenNode, givenNodes, lackingFindings } from "./given-nodes.ts";

/** Nodes that get the inputs of the cluster, and the records of all machines. */
interface NodeRecords {
  readonly examined: readonly GivenNode[];
  /** Inputs of each machine, by instance id. */
  readonly given: ReadonlyMap<string, MachineInputs>;
  /** Last observation of each machine, by instance id. */
  readonly seen: ReadonlyMap<string, SeenMachine>;
}

/** Reads nodes and records. */
export type RecordsReader = (patient: DoctorFacts) => Promise<NodeRecords>;

async function readRecords(patient: DoctorFacts): Promise<NodeRecords> {
  const known = machines(patient.context);
  const [examined, given, seen] = await Promise.all([givenNodes(patient), known.given.all(), known.seen.all()]);
  return { examined, given, seen };
}

/** Makes a reader that several checks of one examination share, so that nodes and records are read once. */
export function sharedRecords(): RecordsReader {
  let reading: Promise<NodeRecords> | undefined;
  return (patient) => {
    reading ??= readRecords(patient);
    return reading;
  };
}

/** Facts of an applied input, with nodes and records. */
export interface InputExamination extends NodeRecords {
  readonly configuration: Configuration;
  readonly found: FoundObjects;
  readonly content: InputContent;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type ExaminableInput = Input & { readonly name: ExaminedInput };

async function examination(
  patient: DoctorFacts,
  input: ExaminableInput,
  found: FoundObjects,
  read: RecordsReader,
): Promise<InputExamination & { readonly watch: InputWatch }> {
  const { context, configuration } = patient;
  const [records, watch] = await Promise.all([read(patient), inputWatches(context).of(input.rule).read()]);
  const given = [...records.given.values()].flatMap((one) => one[input.name] ?? []);
  const now = context.now();
  const facts = { configuration, given, now, isRequested: false, accepted: watch.accepted };
  const services = { nodes: nodes(context), secretFacts: secretFacts(context), runtime: runtime(context) };
  const content = await inputContent(input, found, facts, services);
  return { ...records, configuration, found, content, now, watch };
}

/**
 * Makes the check of one input: nodes that lack it, and its own findings.
 * @param own further findings about an applied input
 * @param unapplied findings if the configuration does not apply it; none by default
 */
export const inputCheck = (
  input: ExaminableInput,
  what: string,
  read: RecordsReader,
  {
    own,
    unapplied = async () => [],
  }: {
    readonly own: (examined: InputExamination, patient: DoctorFacts) => Promise<readonly Finding[]>;
    readonly unapplied?: (patient: DoctorFacts) => Promise<readonly Finding[]>;
  },
): DoctorCheck => ({
  area: "Nodes",
  what,
  observe: async (patient) => {
    try {
      const found = await inputFound(inputObjects(patient.context), input, patient.configuration);
      if (found === null) return await unapplied(patient);
      const { watch, ...examined } = await examination(patient, input, found, read);
      return [
        ...(await own(examined, patient)),
        ...lackingFindings(input, examined.content, examined.examined, { ...examined, watch }),
      ];
    } catch (error) {
      if (error instanceof Refused) return [{ kind: "input-unread", input: input.name, why: error.message }];
      throw error;
    }
  },
});
