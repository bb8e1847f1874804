import { Refused } from "../../../lambdas/errors.ts";
import { guardFile } from "../../../lambdas/machine/machine-paths.ts";
import type { NodeRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import type { Lease } from "../../../lambdas/steps/ledger/leases.ts";
import type { FleetChange, InvocationVerdict } from "../../../lambdas/steps/machine/fleet.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { acceptedAs, timeout, verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import type { Ended } from "../../sandbox/durable/backends.ts";
import { inputVerbs } from "../inputs/published.ts";

export const configuration = {
  ...configurationWith(),
  people: { operator: ["U0OPERATOR"] },
  policy: { guard: ["operator"], reconcile: ["operator"], cancel: ["operator"] },
};

/** Events that trouble the fleet while it is changed. */
export interface Troubles {
  /** Words of a machine that fails, by its number; null where it does not. */
  readonly fails?: (machine: number) => string | null;
  /** Machines whose agents take no command. */
  readonly silent?: readonly number[];
  /** An error that the settling of a machine meets. */
  readonly settling?: (machine: number) => Error | null;
  /** Number of commands after which the operation is cancelled. */
  readonly cancelledAfter?: number;
  readonly slack?: "down";
  /** Machines whose Nodes are deleted once a command was sent. */
  readonly deleted?: readonly number[];
  /** Machines that other operations hold. */
  readonly held?: readonly number[];
  /** Answer of the first kubelet to the API server; null where it accepts it. */
  readonly logRefusal?: string;
}

export const idOf = (machine: number): string => `i-${String(machine).padStart(17, "0")}`;
export const nameOf = (machine: number): string =>
  `ip-10-0-${machine >> 8}-${machine & 255}.us-west-2.compute.internal`;
const numberOf = (instanceId: string): number => Number(instanceId.slice(2));

const nodeOf = (machine: number) => ({
  metadata: {
    name: nameOf(machine),
    uid: `uid-${machine}`,
    labels: { "kubernetes.io/os": "windows", "casement.dev/pool": "web" },
  },
  spec: { providerID: `aws:///us-west-2a/${idOf(machine)}` },
});

const machineOf = (machine: number) => ({
  instanceId: idOf(machine),
  privateDnsName: nameOf(machine),
  state: "running",
  tags: { [TAG.launched]: "true", [TAG.cluster]: configuration.cluster.name, [TAG.pool]: "web" },
});

const FILE = { name: "guard.ps1", path: guardFile, sha256: "aa" };
const guard = { present: true, sha256: "aa", taskEnabled: true, lastResult: 0, paths: 1, error: "" };

interface AuditedAct {
  readonly what: string;
  readonly detail?: { readonly outcome?: unknown };
}

/** A fleet of one pool, its ledger, and whatever was done to it. */
export class Fleet {
  readonly changed: (readonly string[])[] = [];
  readonly requests: object[] = [];
  readonly records = new Map<number, NodeRecord>();
  readonly held = new Map<string, string>();
  readonly said: string[] = [];
  readonly pages: string[] = [];
  readonly acts: { readonly what: string; readonly outcome: unknown }[] = [];
  readonly #inputs = inputVerbs();
  readonly blocked: readonly object[] = this.#inputs.blocked;
  readonly sent: string[] = [];
  readonly given: string[] = [];
  operation: Partial<OperationRecord> | undefined;
  readonly #count: number;
  readonly #troubles: Troubles;

  constructor(count: number, troubles: Troubles = {}) {
    this.#count = count;
    this.#troubles = troubles;
    for (const machine of troubles.held ?? []) this.held.set(idOf(machine), "drain-0a1b2c3d:0");
  }

  /** Status of each node's record, each with its number. */
  statuses(): Readonly<Record<string, number>> {
    const by = Map.groupBy(this.records.values(), ({ status }) => status);
    return Object.fromEntries([...by].map(([status, records]) => [status, records.length]));
  }

  numbers(): readonly number[] {
    return Array.from({ length: this.#count }, (_, machine) => machine);
  }

  #verdict(script: string, instanceId: string): InvocationVerdict {
    if (this.#troubles.silent?.includes(numberOf(instanceId)))
      return { instanceId, state: "failed", why: "no agent took it", code: "command-undelivered" };
    const why = script === "observe" ? null : this.#troubles.fails?.(numberOf(instanceId));
    const seen = { metadataAnswers: true, guard, files: [{ sha256: "of the file before" }] };
    const failed = why ? { action: "file", error: why } : null;
    return { instanceId, state: "done", result: { ok: !why, failed, ...seen } };
  }

  #nodes() {
    const gone = this.changed.length > 0 ? (this.#troubles.deleted ?? []) : [];
    return this.numbers()
      .filter((machine) => !gone.includes(machine))
      .map(nodeOf);
  }

  #audit(_mark: string, { what, detail }: AuditedAct): void {
    this.acts.push({ what, outcome: detail?.outcome });
  }

  async #say(message: object): Promise<string> {
    if (this.#troubles.slack === "down") throw timeout();
    this.said.push(JSON.stringify(message));
    return "1.0";
  }

  #leases() {
    return {
      holder: async (id: string) => this.held.get(id)?.split(":")[0],
      take: async (instanceId: string, owner: string): Promise<Lease> => {
        const holder = this.held.get(instanceId);
        if (holder !== undefined && holder !== owner) throw new Refused(`${instanceId} belongs to ${holder}`);
        this.held.set(instanceId, owner);
        return { instanceId, owner, epoch: 1 };
      },
      release: async ({ instanceId }: Lease) => {
        const error = this.#troubles.settling?.(numberOf(instanceId));
        if (error) throw error;
        this.held.delete(instanceId);
      },
      releaseOwned: async (id: string, owner: string) => this.held.get(id) === owner && this.held.delete(id),
    };
  }

  #ledger() {
    return {
      awaitFleet: async () => undefined,
      accepted: async () => this.operation && acceptedAs(this.operation as OperationRecord)(),
      requested: async (record: OperationRecord) => {
        this.operation ??= record;
        return "first";
      },
      operation: async () => {
        const isCancelled = this.changed.length >= (this.#troubles.cancelledAfter ?? Number.POSITIVE_INFINITY);
        return this.operation && { ...this.operation, ...(isCancelled ? { cancelledBy: "U0OPERATOR" } : {}) };
      },
      changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
        this.operation = { ...this.operation, ...change };
      },
      recordNode: async (record: NodeRecord) => void this.records.set(record.index, record),
      changeNode: async (_id: string, index: number, change: Partial<NodeRecord>) => {
        const record = this.records.get(index);
        if (record) this.records.set(index, { ...record, ...change });
      },
      nodes: async () => [...this.records.values()].toSorted((one, other) => one.index - other.index),
    };
  }

  #machines() {
    return {
      agents: async () => new Map(this.numbers().map((machine) => [idOf(machine), { online: true }])),
      sent: async () => null,
      requestFor: async (plan: object) => plan,
    };
  }

  #commands() {
    return {
      observe: async () => ({ state: "sent", commandId: "observe" }),
      change: async (leases: readonly Lease[], { request }: FleetChange) => {
        this.changed.push(leases.map(({ instanceId }) => instanceId));
        this.requests.push(request);
        return { state: "sent", commandId: `change-${this.changed.length}` };
      },
      verdicts: async (script: string, _command: string, ids: readonly string[]) =>
        ids.map((id) => this.#verdict(script, id)),
    };
  }

  /** The verbs by which workflows reach it. */
  steps(): Steps {
    const pod = { metadata: {}, status: { phase: "Running" } };
    return verbs({
      unsaid: { note: async () => undefined, said: async () => undefined },
      runtime: {
        read: async () => ({ version: "1", configuration, payload: { files: [FILE] } }),
        rules: async () => configuration,
      },
      people: { membership: async () => "member", groupsOf: async () => [] },
      ...this.#inputs.verbs,
      machines: {
        seen: { all: async () => new Map() },
        given: {
          all: async () => new Map(),
          of: async () => undefined,
          send: async (id: string) => void this.sent.push(id),
          record: async (id: string) => void this.given.push(id),
        },
        assistance: { all: async () => [] },
      },
      nodes: {
        all: async () => this.#nodes(),
        read: async () => undefined,
        podsOn: async () => (this.#troubles.logRefusal ? [pod] : []),
        logRefusal: async () => this.#troubles.logRefusal ?? null,
      },
      instances: { ofCluster: async () => this.numbers().map(machineOf), endsOf: async () => new Map() },
      claims: { all: async () => [] },
      machine: this.#machines(),
      leases: this.#leases(),
      thread: {
        post: async (_channel: string, message: object) => this.#say(message),
        update: async (_channel: string, _ts: string, message: object) => this.#say(message),
      },
      answers: { give: async (_id: string, _to: object, message: object) => this.#say(message) },
      notices: { send: async ({ message }: { message: string }) => void this.pages.push(message) },
      audit: {
        append: async (_chain: object, mark: string, act: AuditedAct) => this.#audit(mark, act),
        appendAll: async (_chain: object, all: readonly { readonly mark: string; readonly act: AuditedAct }[]) => {
          for (const { mark, act } of all) this.#audit(mark, act);
        },
      },
      fleet: this.#commands(),
      ledger: this.#ledger(),
    });
  }
}

/** Bytes of the largest thing that an execution keeps. */
export const largest = ({ history }: Ended): number =>
  Math.max(...history.map((event) => Buffer.byteLength(JSON.stringify(event))));

/** Operations of an execution. */
export const operationsOf = ({ events }: Ended): number =>
  events.filter((event) => /^(Step|Context|Callback|Wait|Chained)\w*Started /.test(event)).length;

/** Names of the steps that have ended, in their order. */
export const stepsOf = ({ events }: Ended): readonly string[] =>
  events.flatMap((event) => (event.startsWith("StepSucceeded ") ? [event.slice("StepSucceeded ".length)] : []));
