import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { giveInputs } from "../../../lambdas/capabilities/add/give-inputs.ts";
import { NO_NODE_CHANGED, Refused } from "../../../lambdas/errors.ts";
import { contentHash, type Input, type InputContent, type ObjectReference } from "../../../lambdas/inputs/input.ts";
import type { MachinePlan } from "../../../lambdas/machine/plan.ts";
import type { InputName, InputValue, MachineInputs, SentInput } from "../../../lambdas/records/machine-record.ts";
import { callLog, machine, taskOn } from "../../change/a-task.ts";
import { mirrorSetOf } from "../../change/inputs/mirror-fleet.ts";
import { inputVerbs } from "../../change/inputs/published.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const IMAGE = "registry-0.example.com/windows/probe:1";
const base = configurationWith({ inputs: "openshift" });
const configuration = { ...base, probe: { ...base.probe, registries: { "registry-0.example.com": IMAGE } } };
const bare = configurationWith();

/** A cluster's mirror sets, and what is known of the content that they make. */
interface Scene {
  readonly sets?: readonly object[];
  readonly configuration?: typeof base;
  /** Content that failed on a node: "this" is the one that the cluster wants now. */
  readonly blocked?: "this" | "another";
  /** Contents that other machines have. */
  readonly others?: readonly SentInput[];
  /** Contents that the bucket holds already. */
  readonly kept?: readonly InputContent[];
  /** Content that the schedule has put into the bucket, where it was lost since. */
  readonly stored?: InputContent;
  /** Answer of the API server to the reading of the mirror sets. */
  readonly unreadable?: Error;
}

/** Gives a new machine its inputs. @returns what was sent and recorded, in order, and the failure */
async function given({ sets = [mirrorSetOf(2, "first")], kept = [], others = [], ...scene }: Scene) {
  const contents: InputContent[] = [...kept];
  const plans: MachinePlan[] = [];
  const log: string[] = [];
  const recorded = new Map<InputName, InputValue>();
  const watch = inputVerbs().verbs.inputWatches.of();
  const objects: Readonly<Record<string, readonly object[]>> = {
    ImageTagMirrorSet: sets,
    Image: [{ spec: {} }],
    Proxy: [{ spec: {} }],
  };
  const revise =
    (verb: string) => async (id: string, _owner: string, input: InputName, next: (had: undefined) => InputValue) => {
      recorded.set(input, next(undefined));
      log.push(`${verb} ${input} of ${id}`);
    };
  const verbs = {
    inputObjects: {
      read: async (references: readonly ObjectReference[]) => {
        if (scene.unreadable) throw scene.unreadable;
        return references.map(({ kind }) => objects[kind] ?? []);
      },
    },
    inputStore: {
      put: async (_input: Input, content: InputContent) => void contents.push(content),
      get: async (_input: Input, sha256: string) => contents.find((one) => one.sha256 === sha256),
    },
    inputWatches: {
      of: () => ({
        ...watch,
        read: async () => {
          const identity = scene.blocked === "this" ? contents.at(-1)?.sha256 : "another";
          const stored = scene.stored ? contentHash(scene.stored) : "";
          return { ...(await watch.read()), stored, blocked: scene.blocked ? { sha256: identity } : null };
        },
      }),
    },
    secretFacts: { read: async () => undefined },
    machines: {
      given: {
        all: async () =>
          new Map(
            others.map((mirrors, at): [string, MachineInputs] => [`i-other-${at}`, { mirrors } as MachineInputs]),
          ),
        of: async () => undefined,
        send: revise("send"),
        record: revise("record"),
      },
    },
    nodes: { all: async () => [], pods: async () => [] },
    machine: {
      requestFor: async (plan: MachinePlan) => {
        plans.push(plan);
        return { plan };
      },
      send: async () => {
        log.push("apply");
        return "command-1";
      },
      commandState: async () => ({ state: "done", result: { ok: true, failed: null } }),
    },
  };
  const runtime = { version: "1", configuration: scene.configuration ?? configuration, payload: manifest() };
  const ended = await run((ctx) => giveInputs(taskOn(ctx, callLog(), verbs, { runtime })));
  return { log, plans, contents, recorded, error: ended.error.message, events: ended.events };
}

const sent = (fields: Partial<SentInput>): SentInput =>
  ({ sha256: "of a content", files: [], owner: "mirrors-1", at: "2026-11-21T14:00:00.000Z", ...fields }) as SentInput;

describe("A new machine", () => {
  test("gets the cluster's files, which are recorded before they are sent and once it has them", async () => {
    const { log, plans, contents, recorded } = await given({});
    expect(log).toEqual([`send mirrors of ${machine.instanceId}`, "apply", `record mirrors of ${machine.instanceId}`]);
    const paths = plans.flatMap(({ actions }) => actions.flatMap((one) => (one.do === "file" ? [one.path] : [])));
    expect(paths).toEqual([expect.stringContaining("registry-0"), expect.stringContaining("registry-1")]);
    expect(recorded.get("mirrors")?.sha256).toBe(contents[0]?.sha256);
  });

  test("gets nothing in a cluster that decides nothing, or whose configuration applies no input", async () => {
    expect(await given({ sets: [] })).toMatchObject({ log: [], error: undefined });
    const none = await given({ configuration: bare });
    expect([none.log, none.events.some((event) => event.includes("read the"))]).toEqual([[], false]);
  });

  /** The content that a cluster with this edition of its mirror set wants. */
  const contentOf = async (edition: string): Promise<InputContent> => {
    const { contents } = await given({ sets: [mirrorSetOf(2, edition)] });
    const [content] = contents;
    if (!content) throw new Error("nothing was put into the bucket");
    return content;
  };

  test("gets files that the schedule has put into the bucket, and that were lost there", async () => {
    const stored = await contentOf("first");
    expect((await given({ stored })).recorded.get("mirrors")?.sha256).toBe(stored.sha256);
  });

  const keptAs = (sha256: string): InputContent => ({ sha256, files: [{ path: "C:\\f", text: sha256 }] });
  const others = [
    sent({ sha256: "oldest", at: "2026-11-20T14:00:00.000Z" }),
    sent({ sha256: "older", at: "2026-11-21T14:00:00.000Z" }),
    sent({ sha256: "newest", at: "2026-11-22T14:00:00.000Z", unconfirmed: { sha256: "", files: [] } as never }),
  ];

  test.each<[string, Scene, string | null]>([
    ["a node failed with the wanted one", { blocked: "this" }, "older"],
    ["a node failed with the wanted one, and no machine has another", { blocked: "this", others: [] }, null],
    ["a node failed with another content", { blocked: "another" }, null],
    ["no node failed", {}, null],
  ])("gets the content that another machine has confirmed only where %s: %#", async (_where, scene, sha256) => {
    const kept = ["oldest", "older", "newest"].map(keptAs);
    const { contents, recorded } = await given({ kept, others, ...scene });
    expect(recorded.get("mirrors")?.sha256).toBe(sha256 ?? contents[kept.length]?.sha256);
  });

  test("does not join while containerd cannot express that a registry must not be contacted", async () => {
    const line = { source: "quay.io/a/b", mirrors: ["m.example.com/c"], mirrorSourcePolicy: "NeverContactSource" };
    const { log, error } = await given({ sets: [{ ...mirrorSetOf(0, ""), spec: { imageTagMirrors: [line] } }] });
    expect([log, error]).toEqual([[], expect.stringContaining("quay.io must not be contacted")]);
  });

  test("does not join where the cluster's wishes cannot be read, and no node is concerned", async () => {
    const why = `the mirror sets are damaged, ${NO_NODE_CHANGED}`;
    const { log, error } = await given({ unreadable: new Refused(why) });
    expect([log, error]).toEqual([[], "the mirror sets are damaged, so the new machine did not join"]);
    expect((await given({ unreadable: new Error(why) })).error).toBe(why);
  });
});
