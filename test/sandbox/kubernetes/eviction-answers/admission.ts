import type { StillCluster } from "../cluster.ts";
import { dry, evicted, forbidden, type Row, refused } from "./row.ts";

const WEBHOOK = "admission.example.com";
const failed = (why: string): string => `failed calling webhook "${WEBHOOK}": failed to call webhook: ${why}`;
const unreachable = (why: string) =>
  refused(500, "InternalError", `Internal error occurred: ${failed(why)}`, { causes: [{ message: failed(why) }] });
const POST = 'Post "https://admission.example.svc:443/?timeout=10s"';

const fault = (kind: string) => async (cluster: StillCluster) => {
  if (!cluster.simulation.faults.inject(kind, { resource: "pods/eviction" })) throw new Error(`no fault ${kind}`);
};

/** Webhooks, as faults. */
const webhooks: readonly Row[] = [
  {
    situation: "a webhook that denies with a message only",
    before: fault("webhook-denies"),
    asked: { options: dry },
    answer: refused(400, undefined, `admission webhook "${WEBHOOK}" denied the request: webhook says no`),
    pod: "untouched",
  },
  {
    situation: "a webhook that denies with code 429",
    before: fault("webhook-postpones"),
    answer: refused(429, "TooManyRequests", `admission webhook "${WEBHOOK}" denied the request: webhook says later`),
    pod: "untouched",
  },
  {
    situation: "a webhook over its time-out, failurePolicy Fail",
    before: fault("webhook-slow"),
    answer: { ...unreachable(`${POST}: context deadline exceeded`), seconds: 10 },
    pod: "untouched",
  },
  {
    situation: "a webhook over its time-out, failurePolicy Ignore",
    before: fault("webhook-slow-ignored"),
    answer: { ...evicted, seconds: 10 },
    pod: { grace: 30 },
  },
  {
    situation: "a webhook that refuses connections, failurePolicy Fail",
    before: fault("webhook-down"),
    answer: unreachable(`${POST}: dial tcp 172.30.0.99:443: connect: connection refused`),
    pod: "untouched",
  },
  {
    situation: "priority and fairness with a full level",
    before: fault("kubernetes-throttle"),
    asked: { options: dry },
    answer: {
      status: 429,
      body: "Too many requests, please try again later.\n",
      headers: { "content-type": "text/plain; charset=utf-8", "retry-after": "1" },
    },
    pod: "untouched",
  },
];

const GROUP = "admissionregistration.k8s.io/v1";
const denying =
  (validation: object) =>
  async (cluster: StillCluster): Promise<void> => {
    const resourceRules = [
      { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods/eviction"] },
    ];
    const spec = { matchConstraints: { resourceRules }, validations: [{ expression: "false", ...validation }] };
    const metadata = { name: "drain" };
    await cluster.admin(`POST /apis/${GROUP}/validatingadmissionpolicies`, { metadata, spec });
    const bound = { policyName: "drain", validationActions: ["Deny"] };
    await cluster.admin(`POST /apis/${GROUP}/validatingadmissionpolicybindings`, { metadata, spec: bound });
    const asked = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "nope" } };
    const url = "POST /api/v1/namespaces/default/pods/nope/eviction?dryRun=All";
    await cluster.until(async () => (await cluster.admin(url, asked)).status !== 404, "the policy's first refusal");
  };
const denial = (why: string): string => `ValidatingAdmissionPolicy 'drain' with binding 'drain' denied request: ${why}`;

const policies: readonly Row[] = [
  {
    situation: "a ValidatingAdmissionPolicy that gives no reason",
    before: denying({ message: "not now" }),
    asked: { options: dry },
    answer: refused(422, "Invalid", `pods "p" is forbidden: ${denial("not now")}`, {
      name: "p",
      kind: "pods",
      causes: [{ message: denial("not now") }],
    }),
    pod: "untouched",
  },
  {
    situation: "a ValidatingAdmissionPolicy with reason Forbidden",
    before: denying({ message: "not now, forbidden", reason: "Forbidden" }),
    asked: { options: dry },
    answer: forbidden("p", denial("not now, forbidden"), [{ message: denial("not now, forbidden") }]),
    pod: "untouched",
  },
];

/** Makes a namespace with a pod of its own that nothing ends, and deletes it. */
const leaving = async (cluster: StillCluster): Promise<void> => {
  cluster.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } } as never);
  cluster.api.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "leaving", finalizers: ["example.com/held"] },
    spec: { nodeName: "elsewhere", terminationGracePeriodSeconds: 3_600, containers: [{ name: "c", image: "pause" }] },
    status: { phase: "Running" },
  } as never);
  await cluster.admin("DELETE /api/v1/namespaces/leaving");
};
const isTerminating = (name: string) =>
  forbidden(name, "unable to create new content in namespace leaving because it is being terminated", [
    {
      reason: "NamespaceTerminating",
      message: "namespace leaving is being terminated",
      field: "metadata.namespace",
    },
  ]);

const namespaces: readonly Row[] = [
  {
    situation: "a namespace that is being deleted",
    before: leaving,
    asked: { namespace: "leaving" },
    answer: isTerminating("p"),
    pod: "untouched",
  },
  {
    situation: "a namespace that has been terminating for 2 s",
    before: async (cluster) => {
      await leaving(cluster);
      await cluster.pass(2);
    },
    asked: { namespace: "leaving" },
    answer: isTerminating("p"),
    pod: "untouched",
  },
  {
    situation: "a namespace that has been terminating for 6 s, whose pods are by then",
    before: async (cluster) => {
      await leaving(cluster);
      await cluster.pass(6);
    },
    asked: { namespace: "leaving" },
    answer: isTerminating("p"),
    pod: { grace: 3_600 },
  },
  {
    situation: "a namespace that is being deleted, dry run",
    before: leaving,
    asked: { namespace: "leaving", options: dry },
    answer: isTerminating("p"),
    pod: "untouched",
  },
  {
    situation: "a namespace that is being deleted, a pod that is not there",
    before: leaving,
    asked: { namespace: "leaving", name: "zzz" },
    answer: isTerminating("zzz"),
  },
];

export const admission: readonly Row[] = [...webhooks, ...policies, ...namespaces];
