import { expect, test } from "vitest";
import { ofAuthorities } from "../../../lambdas/messages/doctor/authority-findings.ts";
import { ofSubscribers } from "../../../lambdas/messages/doctor/subscriber-findings.ts";

const MISSING =
  "wait 15 minutes: the schedule `authority` gives it to nodes that run; if this stays, see docs/runbook.md#kubelet-client-authority";
const missing = (nodes: readonly string[], logs: boolean) =>
  ofAuthorities["authority-missing"]({ kind: "authority-missing", nodes, authority: "kube-signer", logs });

test("Nodes without the authority behind kubectl logs are broken, without another one a warning", () => {
  expect(missing(["win-1"], true)).toEqual({
    area: "Nodes",
    level: "broken",
    says: "`win-1` does not trust `kube-signer`, which the cluster uses or will use soon: `kubectl logs` and `exec` fail with 401 there",
    remedy: MISSING,
  });
  expect(missing(["win-1", "win-2"], false)).toEqual({
    area: "Nodes",
    level: "warning",
    says: "`win-1`, `win-2` do not trust `kube-signer`, which the cluster uses or will use soon: metrics and other kubelet clients may be refused there",
    remedy: MISSING,
  });
});

test("The other findings about authorities have their level and remedy", () => {
  expect(ofAuthorities["server-too-old"]({ kind: "server-too-old", server: "1.28.4" })).toEqual({
    ...{ area: "Cluster", level: "broken", remedy: "upgrade the cluster to Kubernetes 1.30 or newer" },
    says: "the cluster runs `1.28.4`, whose join tokens have no id: no node can be added",
  });
  expect(ofAuthorities["authority-unknown"]({ kind: "authority-unknown", nodes: ["win-1"] })).toEqual({
    ...{ area: "Nodes", level: "note", remedy: "check that `kubectl logs` works for a pod there" },
    says: "the authorities that the kubelets of `win-1` trust are not recorded: these nodes joined before Casement kept a record",
  });
  const at = "2026-11-26T03:10:00.000Z";
  expect(ofAuthorities["authority-ends"]({ kind: "authority-ends", authority: "kube-signer", at })).toMatchObject({
    ...{ area: "Cluster", level: "warning" },
    says: expect.stringMatching(
      /^the authority behind `kubectl logs`, `kube-signer`, expires \S.*2026.* and the cluster has not replaced it$/,
    ),
    remedy: "check `oc get clusteroperator kube-apiserver`: it normally replaces this authority long before it expires",
  });
  expect(ofAuthorities["authority-unpublished"]({ kind: "authority-unpublished", why: "no ConfigMap" })).toEqual({
    ...{ area: "Cluster", level: "warning", says: "no ConfigMap" },
    remedy: "fix it, or compare the configuration with the cluster by hand once a year",
  });
});

const LINK =
  "follow the link in the confirmation mail from AWS; it expires after two days, and the SNS console sends a new one (“Request confirmation”)";

test("Alarms without a subscriber are broken, with some that are not confirmed a warning", () => {
  expect(ofSubscribers["no-subscriber"]({ pending: [] })).toEqual({
    ...{ area: "AWS", level: "broken", says: "alarms are not delivered: the topic has no subscriber" },
    remedy:
      "add addresses under `aws.notify` in the configuration and deploy, or subscribe your pager to the stack's output `HumanTopic`",
  });
  expect(ofSubscribers["no-subscriber"]({ pending: ["a@x.org"] })).toEqual({
    ...{ area: "AWS", level: "broken", remedy: LINK },
    says: "alarms are not delivered: `a@x.org` has not confirmed the subscription",
  });
  expect(ofSubscribers.unconfirmed({ pending: ["a@x.org", "b@x.org"], confirmed: ["c@x.org"] })).toEqual({
    ...{ area: "AWS", level: "warning", remedy: LINK },
    says: "`a@x.org`, `b@x.org` have not confirmed the alarm subscription, so alarms reach `c@x.org` only",
  });
});
