import { describe, expect, test } from "vitest";
import { decodeProtobuf } from "../../../lib/sandbox/kubernetes/kubectl/protobuf.ts";
import { stillCluster } from "./cluster.ts";

type Part = readonly [number: number, value: string | Buffer | number];

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);

/** Writes a message of fields by the rules of protobuf.dev. */
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

const sandboxCluster = async () => {
  const cluster = await stillCluster();
  return { ...cluster, token: cluster.api.issueToken({ name: "manager", groups: ["system:masters"] }, null) };
};

describe("reading protobuf", () => {
  test("reads names, maps, choices and times, and drops Go's zero values", () => {
    const spec = message([1, message([1, 0], [2, 300], [3, ""])], [3, message([1, 1], [2, 0], [3, "50%"])], [4, ""]);
    expect(decodeProtobuf(wrapped("policy/v1", "PodDisruptionBudget", message([1, named], [2, spec])))).toEqual({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web", namespace: "default", labels: { app: "shop" } },
      spec: { minAvailable: 300, maxUnavailable: "50%" },
    });
  });

  test("reads the leader election lease of a controller manager, to the microsecond", async () => {
    const moment = message([1, 1_795_347_504], [2, 123_456_000]);
    const spec = message([1, "manager-1_a"], [2, 15], [3, moment], [4, moment], [5, 0]);
    const body = wrapped("coordination.k8s.io/v1", "Lease", message([1, named], [2, spec]));
    const cluster = await sandboxCluster();
    const answer = await cluster.api.answer({
      method: "POST",
      url: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
      headers: { authorization: `Bearer ${cluster.token}`, "content-type": "application/vnd.kubernetes.protobuf" },
      body,
    });
    expect(answer.status).toBe(201);
    expect(JSON.parse(String(answer.body)).spec).toEqual({
      holderIdentity: "manager-1_a",
      leaseDurationSeconds: 15,
      acquireTime: "2026-11-22T11:38:24.123456Z",
      renewTime: "2026-11-22T11:38:24.123456Z",
      leaseTransitions: 0,
    });
    await cluster.stop();
  });

  test("reads the lists of a signing request's extra", () => {
    const extra = message([1, "example.com/ids"], [2, message([1, "a"], [1, "b"])]);
    const spec = message([2, "olivia"], [4, "dev"], [4, "ops"], [6, extra]);
    const request = message([1, named], [2, spec]);
    expect(decodeProtobuf(wrapped("certificates.k8s.io/v1", "CertificateSigningRequest", request))).toMatchObject({
      spec: { username: "olivia", groups: ["dev", "ops"], extra: { "example.com/ids": ["a", "b"] } },
    });
  });

  test("distinguishes the events of the two groups", () => {
    const about = message([1, "Node"], [3, "n"]);
    const core = message([1, named], [2, about], [4, "hello"], [8, 1]);
    expect(decodeProtobuf(wrapped("v1", "Event", core))).toMatchObject({
      involvedObject: { kind: "Node", name: "n" },
      message: "hello",
      count: 1,
    });
    const other = message([1, named], [4, "scheduler"], [8, about], [10, "hello"]);
    expect(decodeProtobuf(wrapped("events.k8s.io/v1", "Event", other))).toMatchObject({
      regarding: { kind: "Node", name: "n" },
      note: "hello",
      reportingController: "scheduler",
    });
  });

  test("keeps the resources of a workload's containers, and a status", () => {
    const resources = message([2, message([1, "cpu"], [2, message([1, "250m"])])]);
    const podSpec = message(
      [2, message([1, "main"], [2, "i"], [8, resources])],
      [22, message([1, "os"], [2, "Exists"])],
    );
    const spec = message([1, 2], [3, message([2, podSpec])]);
    const status = message([1, 2], [4, 1], [6, message([1, "ReplicaFailure"], [2, "True"])]);
    const read = decodeProtobuf(wrapped("apps/v1", "ReplicaSet", message([1, named], [2, spec], [3, status])));
    expect(read).toMatchObject({
      spec: {
        template: {
          spec: { containers: [{ resources: { requests: { cpu: "250m" } } }], tolerations: [{ key: "os" }] },
        },
      },
      status: { replicas: 2, readyReplicas: 1, conditions: [{ type: "ReplicaFailure", status: "True" }] },
    });
  });

  test("keeps a zero that was set", () => {
    const options = message([1, 0], [5, "All"]);
    expect(decodeProtobuf(wrapped("policy/v1", "Eviction", message([2, options])))).toMatchObject({
      deleteOptions: { gracePeriodSeconds: 0, dryRun: ["All"] },
    });
  });

  test("refuses an unknown field or kind instead of dropping it", () => {
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
