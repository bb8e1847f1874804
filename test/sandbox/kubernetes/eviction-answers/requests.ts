import { badRequest, dry, evicted, forbidden, notFound, otherUid, type Row, refused, wrongUid } from "./row.ts";

const inForm = (apiVersion: string, kind = "Eviction", metadata: object = { name: "p", namespace: "default" }) => ({
  body: { apiVersion, kind, metadata },
});

/** Bodies and parameters. */
const bodies: readonly Row[] = [
  {
    situation: "no body",
    asked: { body: null },
    answer: badRequest(
      "the object provided is unrecognized (must be of type Eviction): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ),
    pod: "untouched",
  },
  {
    situation: "the name of another pod",
    asked: inForm("policy/v1", "Eviction", { name: "other", namespace: "default" }),
    answer: badRequest("name in URL does not match name in Eviction object"),
    pod: "untouched",
  },
  {
    situation: "an empty object",
    asked: { body: {} },
    answer: badRequest("name in URL does not match name in Eviction object"),
    pod: "untouched",
  },
  {
    situation: "another namespace",
    asked: inForm("policy/v1", "Eviction", { name: "p", namespace: "kube-system" }),
    answer: badRequest("the namespace of the provided object does not match the namespace sent on the request"),
    pod: "untouched",
  },
  {
    situation: "another kind",
    asked: inForm("v1", "Pod", { name: "p" }),
    answer: badRequest(
      'Pod in version "v1" cannot be handled as a Eviction: converting (v1.Pod) to (policy.Eviction): unknown conversion',
    ),
    pod: "untouched",
  },
  {
    situation: "a version that there is not",
    asked: inForm("policy/v2"),
    answer: badRequest(
      'Eviction in version "v2" cannot be handled as a Eviction: no kind "Eviction" is registered for version "policy/v2" in scheme "pkg/runtime/scheme.go:110"',
    ),
    pod: "untouched",
  },
  {
    situation: "an unknown field",
    asked: { options: { ...dry, graceSeconds: 3 } },
    answer: { ...evicted, headers: { warning: '299 - "unknown field \\"deleteOptions.graceSeconds\\""' } },
    pod: "untouched",
  },
  {
    situation: "an unknown field with fieldValidation=Strict",
    asked: { query: "?fieldValidation=Strict", options: { ...dry, graceSeconds: 3 } },
    answer: badRequest(
      'Eviction in version "v1" cannot be handled as a Eviction: strict decoding error: unknown field "deleteOptions.graceSeconds"',
    ),
    pod: "untouched",
  },
  {
    situation: "a misspelt dry run",
    asked: { options: { dryRun: ["Some"] } },
    answer: refused(
      422,
      "Invalid",
      'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      {
        group: "meta.k8s.io",
        kind: "DeleteOptions",
        causes: [
          {
            reason: "FieldValueNotSupported",
            message: 'Unsupported value: ["Some"]: supported values: "All"',
            field: "dryRun",
          },
        ],
      },
    ),
    pod: "untouched",
  },
  {
    situation: "a dry run in the query and in the body",
    asked: { query: "?dryRun=All", options: dry },
    answer: evicted,
    pod: "untouched",
  },
  { situation: "a dry run in the query alone", asked: { query: "?dryRun=All" }, answer: evicted, pod: "untouched" },
  { situation: "policy/v1beta1", asked: inForm("policy/v1beta1"), answer: evicted, pod: { grace: 30 } },
  {
    situation: "no namespace in the body",
    asked: inForm("policy/v1", "Eviction", { name: "p" }),
    answer: evicted,
    pod: { grace: 30 },
  },
  { situation: "a pod that is not there", asked: { name: "nope" }, answer: notFound("nope") },
];

/** The pod's state and its grace, without a budget. */
const graces: readonly Row[] = [
  { situation: "a running pod", answer: evicted, pod: { grace: 30 } },
  { situation: "a terminating pod", pods: [{ is: "terminating" }], answer: evicted, pod: { grace: 30 } },
  {
    situation: "a terminating pod, with a longer grace",
    pods: [{ is: "terminating", grace: 5 }],
    asked: { options: { gracePeriodSeconds: 600 } },
    answer: evicted,
    pod: { grace: 5 },
  },
  {
    situation: "a terminating pod, with a shorter grace",
    pods: [{ is: "terminating" }],
    asked: { options: { gracePeriodSeconds: 5 } },
    answer: evicted,
    pod: { grace: 5 },
  },
  { situation: "a terminating pod, dry run", pods: [{ is: "terminating" }], asked: { options: dry }, answer: evicted },
  { situation: "a grace of 0", asked: { options: { gracePeriodSeconds: 0 } }, answer: evicted, pod: "gone" },
  {
    situation: "a grace of -1, which is a second",
    asked: { options: { gracePeriodSeconds: -1 } },
    answer: evicted,
    pod: { grace: 1 },
  },
  { situation: "a grace of 1", asked: { options: { gracePeriodSeconds: 1 } }, answer: evicted, pod: { grace: 1 } },
  {
    situation: "a grace of 600",
    asked: { options: { gracePeriodSeconds: 600 } },
    answer: evicted,
    pod: { grace: 600 },
  },
  { situation: "a pod whose own grace is 0", pods: [{ grace: 0 }], answer: evicted, pod: "gone" },
  {
    situation: "a pod with a finalizer and a grace of 0",
    pods: [{ metadata: { finalizers: ["example.com/held"] } }],
    asked: { options: { gracePeriodSeconds: 0 } },
    answer: evicted,
    pod: { grace: 0 },
  },
  { situation: "a pod that has succeeded", pods: [{ is: "succeeded" }], answer: evicted, pod: "gone" },
  { situation: "a pod that no node has", pods: [{ is: "unscheduled" }], answer: evicted, pod: "gone" },
  {
    situation: "a scheduled pod that has not started",
    pods: [{ is: "pending" }],
    answer: evicted,
    pod: { grace: 30 },
  },
  { situation: "another uid, no budget", asked: { options: wrongUid }, answer: otherUid, pod: "untouched" },
  {
    situation: "another uid, a terminating pod",
    pods: [{ is: "terminating" }],
    asked: { options: wrongUid },
    answer: { ...otherUid, seconds: 10 },
  },
  {
    situation: "another uid, a pod that has succeeded",
    pods: [{ is: "succeeded" }],
    asked: { options: wrongUid },
    answer: { ...otherUid, seconds: 10 },
    pod: "untouched",
  },
  {
    situation: "the right uid and version",
    asked: { options: { preconditions: { uid: "{uid}", resourceVersion: "{version}" } } },
    answer: evicted,
    pod: { grace: 30 },
  },
];

const rights = [{ apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] }];

/** Requests by other users. */
const people: readonly Row[] = [
  {
    situation: "by a user without rights",
    asked: { as: "nobody" },
    answer: forbidden(
      "p",
      'User "drain-nobody" cannot create resource "pods/eviction" in API group "" in the namespace "default"',
    ),
    pod: "untouched",
  },
  {
    situation: "by a user who may only create evictions",
    before: async (cluster) => {
      const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "evictors", namespace: "default" } };
      const apiGroup = "rbac.authorization.k8s.io";
      cluster.api.create({ ...rbac, kind: "Role", rules: rights } as never);
      cluster.api.create({
        ...rbac,
        kind: "RoleBinding",
        roleRef: { apiGroup, kind: "Role", name: "evictors" },
        subjects: [{ apiGroup, kind: "User", name: "drain-evictor" }],
      } as never);
    },
    asked: { as: "evictor" },
    answer: evicted,
    pod: { grace: 30 },
  },
  {
    situation: "with a token that is not valid",
    asked: { as: "badToken" },
    answer: refused(401, "Unauthorized", "Unauthorized"),
    pod: "untouched",
  },
];

export const requests: readonly Row[] = [...bodies, ...graces, ...people];
