import { reconcileByRule } from "../../../lambdas/capabilities/reconcile/tick.ts";
import type { Input, InputContent, ObjectReference } from "../../../lambdas/inputs/input.ts";
import { mirrorsInput } from "../../../lambdas/inputs/mirrors/input.ts";
import type { MachinePlan } from "../../../lambdas/machine/plan.ts";
import {
  type InputName,
  type InputValue,
  type MachineInputs,
  type SentInput,
  sendingInput,
} from "../../../lambdas/records/machine-record.ts";
import type { StepContext } from "../../../lambdas/steps/context.ts";
import { machine } from "../../../lambdas/steps/machine/machine.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import { run } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { Fleet, type Troubles } from "../fleet/fleet.ts";
import { inputVerbs, publishedConfig } from "./published.ts";

const base = configurationWith({ inputs: "openshift" });
const IMAGE = "registry-0.example.com/windows/probe:1";
const people = { people: { operator: ["U0OPERATOR"] }, policy: { reconcile: ["operator"] } };
const configuration = { ...base, ...people, probe: { ...base.probe, registries: { "registry-0.example.com": IMAGE } } };

/** Milliseconds in which the first node pulls the image of the proof (assumed). */
const PULL_MS = 8_000;

/** Mirrors of each registry, so that 200 files have about 120 KB. */
const MIRRORS = 5;

/** A mirror set of so many registries. @param edition part of the mirrors' paths of the first registry */
export const mirrorSetOf = (registries: number, edition: string): object => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageTagMirrorSet",
  metadata: { name: "all" },
  spec: {
    imageTagMirrors: Array.from({ length: registries }, (_, at) => ({
      source: `registry-${at}.example.com`,
      mirrors: Array.from({ length: MIRRORS }, (_, mirror) => `mirror-${mirror}.example.com/copies/${edition}/${at}`),
    })),
  },
});

type Revalue = (had: SentInput | undefined) => InputValue;

/** A fleet whose cluster has a mirror set, with a ledger that keeps what machines were given. */
export class MirrorFleet {
  readonly fleet: Fleet;
  readonly given = new Map<string, MachineInputs>();
  readonly contents: InputContent[] = [];
  /** Number of machines whose records were written for each plan. */
  readonly machinesOfPlans: number[] = [];
  /** Reads and writes of machines' inputs, by verb. */
  readonly used = { all: 0, of: 0, send: 0, record: 0 };
  plansInBucket = 0;
  readonly #inputs = inputVerbs();
  /** Use of the item that keeps the state of the schedule. */
  readonly watch = this.#inputs.seen;
  #sinceLastPlan = 0;
  #set: object;
  readonly #registries: number;

  constructor(machines: number, registries: number, troubles: Troubles = {}) {
    this.fleet = new Fleet(machines, troubles);
    this.#registries = registries;
    this.#set = mirrorSetOf(registries, "first");
  }

  /** Edits the mirror set: every file changes. */
  edit(): void {
    this.#set = mirrorSetOf(this.#registries, "second");
  }

  /** The ledger's part of machines' inputs: it keeps them as the real one does. */
  #given() {
    const at = "2026-11-26T03:00:00Z";
    const revise = (id: string, input: InputName, next: (had: SentInput | undefined) => SentInput): void => {
      const had = this.given.get(id);
      this.given.set(id, { ...had, [input]: next(had?.[input]) });
    };
    return {
      all: async () => {
        this.used.all += 1;
        return new Map(this.given);
      },
      of: async (id: string) => {
        this.used.of += 1;
        return this.given.get(id);
      },
      send: async (id: string, owner: string, input: InputName, valueFrom: Revalue) => {
        this.used.send += 1;
        this.#sinceLastPlan += 1;
        revise(id, input, (had) => sendingInput(had, valueFrom(had), { owner, at }));
      },
      record: async (id: string, owner: string, input: InputName, valueFrom: Revalue) => {
        this.used.record += 1;
        revise(id, input, (had) => ({ ...valueFrom(had), owner, at }));
      },
    };
  }

  /** Objects of the cluster by their kind. */
  #objects(): Readonly<Record<string, readonly object[]>> {
    return { ImageTagMirrorSet: [this.#set], Image: [{ spec: {} }], ControllerConfig: [publishedConfig] };
  }

  /** Makes requests as the real verb does, on a bucket that takes every plan. */
  #requestFor() {
    const send = async () => {
      this.plansInBucket += 1;
      return { VersionId: "1" };
    };
    const context = { clients: { s3: { send } }, settings: { bucket: "casement" } };
    const { requestFor } = machine(context as unknown as StepContext);
    return (plan: MachinePlan, key: string) => {
      this.machinesOfPlans.push(this.#sinceLastPlan);
      this.#sinceLastPlan = 0;
      return requestFor(plan, key);
    };
  }

  /** The pod of the proof: its image is pulled after a while. */
  #probes() {
    let pulledAt = 0;
    return {
      start: async () => {
        pulledAt = Date.now() + PULL_MS;
      },
      state: async () => ({ exitCode: null, address: null, waiting: "", ended: "" }),
      events: async () =>
        Date.now() < pulledAt ? [] : [{ reason: "Pulled", message: `Successfully pulled image "${IMAGE}"`, at: "" }],
      remove: async () => undefined,
    };
  }

  /** The verbs by which the workflow reaches it. */
  steps(): Steps {
    const steps = this.fleet.steps();
    const { verbs } = this.#inputs;
    const kept = {
      put: async (_input: Input, content: InputContent) => void this.contents.push(content),
      get: async (_input: Input, sha256: string) => this.contents.find((one) => one.sha256 === sha256),
    };
    return {
      ...steps,
      ...verbs,
      machines: { ...steps.machines, given: this.#given() },
      machine: { ...steps.machine, requestFor: this.#requestFor() },
      runtime: {
        read: async () => ({ version: "1", configuration, payload: { files: [] } }),
        rules: async () => configuration,
      },
      inputObjects: {
        read: async (references: readonly ObjectReference[]) =>
          references.map(({ kind }) => this.#objects()[kind] ?? []),
      },
      inputStore: kept,
      secretFacts: { read: async () => undefined },
      probes: this.#probes(),
      stops: { all: async () => [], ofNamespace: async () => [] },
    } as unknown as Steps;
  }

  /** Lets the schedule pass once. */
  tick(tick: string, inputs: readonly Input[] = [mirrorsInput], steps = this.steps()) {
    return run((ctx) => reconcileByRule({ ctx, steps }, tick, inputs));
  }
}
