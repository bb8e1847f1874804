import { describe, expect, test } from "vitest";
import { decodeProtobuf } from "../../../lib/sandbox/kubernetes/request/protobuf.ts";

type Part = readonly [number: number, value: string | Buffer | number];

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);

/** A message of fields, written by the rules of protobuf.dev. */
const message = (...parts: Part[]): Buffer =>
  Buffer.concat(
    parts.map(([number, value]) => {
      if (typeof value === "number") return Buffer.from([...varint(number << 3), ...varint(value)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
    }),
  );

const wrapped = (apiVersion: string, kind: string, object: Buffer): Buffer =>
  Buffer.concat([Buffer.from("k8s\0"), message([1, message([1, apiVersion], [2, kind])], [2, object])]);

const named = message([1, "web"], [3, "default"], [11, message([1, "app"], [2, "shop"])], [8, ""]);

describe("reading protobuf", () => {
  test("reads names, maps, choices and times, and leaves out what Go writes for nothing", () => {
    const spec = message([1, message([1, 0], [2, 300], [3, ""])], [3, message([1, 1], [2, 0], [3, "50%"])], [4, ""]);
    expect(decodeProtobuf(wrapped("policy/v1", "PodDisruptionBudget", message([1, named], [2, spec])))).toEqual({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web", namespace: "default", labels: { app: "shop" } },
      spec: { minAvailable: 300, maxUnavailable: "50%" },
    });
  });

  test("keeps a zero that somebody set", () => {
    const options = message([1, 0], [5, "All"]);
    expect(decodeProtobuf(wrapped("policy/v1", "Eviction", message([2, options])))).toMatchObject({
      deleteOptions: { gracePeriodSeconds: 0, dryRun: ["All"] },
    });
  });

  test("refuses a field or kind that it does not know rather than lose it", () => {
    const volumes = message([2, message([3, message([2, message([1, message([1, "v"])])])])]);
    expect(() => decodeProtobuf(wrapped("apps/v1", "Deployment", volumes))).toThrow("knows no field 1 of PodSpec");
    expect(() => decodeProtobuf(wrapped("v1", "Gadget", message()))).toThrow("unknown format");
  });

  test.each([
    ["JSON", Buffer.from("{}")],
    ["a length beyond the end", Buffer.concat([Buffer.from("k8s\0"), Buffer.from([10, 200, 1, 0])])],
    ["a number without end", Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(20, 255)])],
    ["a wire type that is not used", Buffer.concat([Buffer.from("k8s\0"), Buffer.from([9, 1, 2])])],
  ])("answers 400 to %s", (_what, body) => {
    expect(() => decodeProtobuf(body)).toThrow(expect.objectContaining({ code: 400 }));
  });
});
