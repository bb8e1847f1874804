import { afterAll, beforeAll, expect, test } from "vitest";
import { Retryable } from "../../../lambdas/errors.ts";
import type { Input, ObjectReference } from "../../../lambdas/inputs/input.ts";
import { mirrorsInput } from "../../../lambdas/inputs/mirrors/input.ts";
import { operationsOf } from "../../change/fleet/fleet.ts";
import { MirrorFleet } from "../../change/inputs/mirror-fleet.ts";
import { setUp, tearDown } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

/** Another input that reads the same objects. */
const twin: Input = { ...mirrorsInput, name: "trustedAuthorities", rule: "trust", request: { command: "trust" } };
const refused: Input = { ...twin, reads: () => [] };

const commandsOf = ({ fleet }: MirrorFleet): readonly number[] => fleet.changed.map(({ length }) => length);

test("a tick without work reads nodes, records and each object once for all inputs, in one step", {
  tags: ["long"],
}, async () => {
  const here = new MirrorFleet(3, 2);
  await here.tick("tick-1");
  await here.tick("tick-2", [twin]);
  const [commands, records] = [commandsOf(here), here.used.all];
  const steps = here.steps();
  const read: string[] = [];
  const { nodes, inputObjects } = steps;
  const ended = await here.tick("tick-3", [mirrorsInput, twin], {
    ...steps,
    nodes: {
      ...nodes,
      all: async () => {
        read.push("nodes");
        return nodes.all();
      },
    },
    inputObjects: {
      ...inputObjects,
      read: async (references: readonly ObjectReference[]) => {
        read.push(...references.map(({ kind }) => kind));
        return inputObjects.read(references);
      },
    },
  });
  expect(ended.status).toBe("SUCCEEDED");
  expect(commandsOf(here)).toEqual(commands);
  expect(read.toSorted()).toEqual([
    "Image",
    "ImageContentSourcePolicy",
    "ImageDigestMirrorSet",
    "ImageTagMirrorSet",
    "nodes",
  ]);
  expect(here.used.all - records).toBe(1);
  expect(operationsOf(ended)).toBe(1);
});

test("an input that cannot be read does not keep the next one from nodes, and people are called", async () => {
  const here = new MirrorFleet(3, 2);
  const ended = await here.tick("tick-1", [refused, mirrorsInput]);
  expect(ended.status).toBe("SUCCEEDED");
  expect(commandsOf(here)).toEqual([1, 2]);
  expect(here.fleet.pages).toHaveLength(1);
});

test("an input whose work fails does not keep the next one from nodes, and the execution fails at its end", async () => {
  const here = new MirrorFleet(3, 2);
  const steps = here.steps();
  const watch = steps.inputWatches.of("trust");
  const note = async () => {
    throw new Error("the ledger has another item there");
  };
  const inputWatches = { of: (rule: string) => (rule === "trust" ? { ...watch, note } : steps.inputWatches.of(rule)) };
  const ended = await here.tick("tick-1", [refused, mirrorsInput], { ...steps, inputWatches });
  expect(ended.status).toBe("FAILED");
  expect(commandsOf(here)).toEqual([1, 2]);
});

test("a tick at which the API server does not answer leaves the inputs to the next one", async () => {
  const here = new MirrorFleet(3, 2);
  const steps = here.steps();
  const read = async () => {
    throw new Retryable("the API server does not answer");
  };
  const inputObjects = { ...steps.inputObjects, read };
  const ended = await here.tick("tick-1", [mirrorsInput, twin], { ...steps, inputObjects });
  expect(ended.status).toBe("SUCCEEDED");
  expect(operationsOf(ended)).toBe(1);
  expect(here.fleet.pages).toEqual([]);
  await here.tick("tick-2");
  expect(commandsOf(here)).toEqual([1, 2]);
});
