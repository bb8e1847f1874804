import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noOrigin, probeRepeatedly } from "../../../lambdas/change/node/probe.ts";
import type { ProbeEvent, ProbeState } from "../../../lambdas/health/probe.ts";
import { exits, probeNames } from "../../../lambdas/health/probe-pods.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { ended, images, listening, pending } from "./pod-states.ts";

beforeAll(setUp);
afterAll(tearDown);

/** States of the two pods at a look, counted from 1 over all attempts; null is a pod that does not exist. */
type Look = (look: number) => { readonly windows: ProbeState | null; readonly linux?: ProbeState | null };

interface Given {
  readonly origin?: string | null;
  readonly events?: readonly ProbeEvent[];
  readonly images?: object;
  readonly isNew?: true;
}

async function probed(at: Look, { origin = "linux-1", events = [], ...target }: Given = {}) {
  const acts: string[] = [];
  const windowsPods = [1, 2].map((attempt) => probeNames(`id-${attempt}`).windows);
  let look = 0;
  const state = async (pod: string) => {
    if (!windowsPods.includes(pod)) return at(look).linux ?? null;
    look += 1;
    return at(look).windows;
  };
  const probes = {
    state,
    origin: (_nodes: object, attempt: number) => {
      acts.push(`origin ${attempt}`);
      return origin;
    },
    user: async () => null,
    start: async (pod: { metadata: { name: string } }) => void acts.push(`start ${pod.metadata.name}`),
    remove: async (pod: string) => void acts.push(`remove ${pod}`),
    events: async (pod: string) => {
      acts.push(`events of ${pod}`);
      return events;
    },
  };
  const runtime = { read: async () => ({ configuration: configurationWith() }) };
  const steps = verbs({ probes, runtime, nodes: { all: async () => [] } });
  const beganAt = Date.now();
  const { result } = await run((ctx) =>
    probeRepeatedly({ ctx, steps }, { node: "web-1", windows: "2022", images, ...target }, (attempt) => ({
      name: `probe ${attempt}`,
      id: `id-${attempt}`,
    })),
  );
  return { result, acts, look, minutes: (Date.now() - beganAt) / 60_000 };
}

const [first, second] = [probeNames("id-1"), probeNames("id-2")];
const removed = ({ windows, linux }: typeof first): string[] => [`remove ${windows}`, `remove ${linux}`];

describe("A probe", () => {
  test("starts the second pod once the first one listens, and removes both", async () => {
    const { result, acts } = await probed((look) => ({ windows: look < 3 ? pending : ended(exits.works) }));
    expect(result).toEqual({ state: "works" });
    expect(acts).toEqual(["origin 1", `start ${first.windows}`, ...removed(first)]);
    const reached = await probed((look) => ({
      windows: look < 3 ? listening : ended(exits.works),
      linux: look < 2 ? null : listening,
    }));
    expect(reached.acts).toEqual(["origin 1", `start ${first.windows}`, `start ${first.linux}`, ...removed(first)]);
  });

  test("starts no second pod for an address that no pod can have", async () => {
    const elsewhere = { ...listening, address: "10.0.0.20" };
    const { acts } = await probed((look) => ({ windows: look < 3 ? elsewhere : ended(exits.works) }));
    expect(acts).not.toContain(`start ${first.linux}`);
  });

  test("that fails is repeated once, from another node; a result that is no failure is not", async () => {
    const { result, acts } = await probed(() => ({ windows: ended(exits.dns) }));
    expect(result).toEqual({ state: "fails", fault: "dns", from: null });
    expect(acts).toEqual([
      ...["origin 1", `start ${first.windows}`, ...removed(first)],
      ...["origin 2", `start ${second.windows}`, ...removed(second)],
    ]);
    const gone = await probed(() => ({ windows: null }));
    expect(gone).toMatchObject({ look: 1, result: { state: "not-probed", why: "the probe was deleted by others" } });
  });

  const at = "2026-11-21T08:00:00Z";
  const sandboxFails = [{ reason: "FailedCreatePodSandBox", message: "no network", at }];

  test("that has no address at the end of its time is judged by its Events, of a new machine after ten minutes", {
    tags: ["long"],
  }, async () => {
    const known = await probed(() => ({ windows: pending }), { events: sandboxFails });
    expect(known.result).toEqual({ state: "fails", fault: "start", from: null, words: "no network" });
    expect(known.acts.filter((act) => act.startsWith("events"))).toEqual([
      `events of ${first.windows}`,
      `events of ${second.windows}`,
    ]);
    expect(known.minutes / 2).toBeCloseTo(4, 0);
    const pulling = [{ reason: "Pulling", message: "", at }];
    const fresh = await probed(() => ({ windows: pending }), { events: pulling, isNew: true });
    expect(fresh.result).toEqual({
      ...{ state: "not-probed", why: "its image was still being pulled when its time was over" },
    });
    expect(fresh.minutes).toBeCloseTo(9.5, 0);
  });

  test("that listens at the end of its time is not judged by Events", { tags: ["long"] }, async () => {
    const { result, acts } = await probed(() => ({ windows: listening, linux: listening }), { events: sandboxFails });
    expect(result).toEqual({ state: "not-probed", why: "the probe did not end in time" });
    expect(acts.filter((act) => act.startsWith("events"))).toEqual([]);
  });

  test.for<[Given, string]>([
    [{ origin: null }, noOrigin],
    [{ images: { linux: "example.com/linux:1" } }, "`probe.images` names no image for 2022"],
    [{ images: { "2022": "example.com/windows:1" } }, "`probe.images` names no image for Linux"],
  ])("is not made with %j", async ([given, why]) => {
    const { result, acts } = await probed(() => ({ windows: pending }), given);
    expect(result).toEqual({ state: "not-probed", why });
    expect(acts.filter((act) => act.startsWith("start"))).toEqual([]);
  });
});
