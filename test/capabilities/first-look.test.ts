import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkLosses, type PlannedEmptying } from "../../lambdas/change/emptying/plan-emptying.ts";
import { isAgentSilent } from "../../lambdas/change/node/agent.ts";
import { guardFault, guardFileFault } from "../../lambdas/change/node/guard.ts";
import { scriptFault } from "../../lambdas/change/node/observe.ts";
import type { Assistance } from "../../lambdas/machine/assistance.ts";
import { guardFile } from "../../lambdas/machine/machine-paths.ts";
import type { ChangeRefusal } from "../../lambdas/messages/node/change-refusal.ts";
import { codeOfHoldUps, type DrainRefusal, type HoldUp } from "../../lambdas/messages/node/drain.ts";
import type { RemovalRefusal } from "../../lambdas/messages/remove/refusal.ts";
import { type FailureCode, failureCodes, type StageFault } from "../../lambdas/records/failures.ts";
import { type ChangeFacts, changeRefusalOf } from "../../lambdas/steps/cluster/change-rules.ts";
import type { MachineClaim } from "../../lambdas/steps/cluster/claims.ts";
import { identityFaultOf } from "../../lambdas/steps/cluster/identity.ts";
import { type RemovalFacts, removalRefusalOf } from "../../lambdas/steps/cluster/removal-rules.ts";
import type { Steps } from "../../lambdas/steps/steps.ts";
import { TAG } from "../../lambdas/tags.ts";
import { scriptText } from "../../lib/constructs/script-text.ts";
import { CLUSTER, launched, NAME, ownersWith, pod, windowsNode } from "../steps/cluster/cluster-objects.ts";

/** Place in which a failure can first be seen. */
type FirstSeen =
  /** Judged before the first eviction: `look` finds it in what is known then. */
  | { readonly look: () => unknown; readonly finds: unknown }
  /** It can only appear after the first eviction, or where nothing is evicted; the reason why. */
  | { readonly later: string }
  /** Other work fails with it: an add, the inputs. */
  | "elsewhere";

const guard = { present: true, sha256: "this", taskEnabled: true, lastResult: 0, paths: 1, error: "" };
const payload = { files: [{ path: guardFile, sha256: "this" }] } as unknown as Parameters<typeof guardFileFault>[1];

const codeOf = (fault: StageFault | null): string | undefined => fault?.code;
const ofGuard = (change: Partial<typeof guard>, metadataAnswers = true) =>
  codeOf(guardFault({ guard: { ...guard, ...change }, metadataAnswers }));
const ofScript = (clock: number, freeBytes: number) =>
  codeOf(scriptFault({ clock, freeBytes }, { from: 1_000_000, until: 1_060_000 }));
const ofHoldUp = (holdUp: object): string => codeOfHoldUps([{ pod: "shop/web-0", ...holdUp } as HoldUp]);

const thrownBy = (work: () => void): string => {
  try {
    work();
    return "nothing";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

const sameAgent = { later: "a look by the same agent and the same script host has ended well before the eviction" };
const launches = "elsewhere";
const ofCalls = {
  later: "any call of a service may end so; its right was tried, and its place was read, before the plan",
};

/** Every failure, with the place where a reboot, a drain, a removal or a restart first sees it. */
const firstSeen: Readonly<Record<FailureCode, FirstSeen>> = {
  "aws-throttled": ofCalls,
  "aws-denied": ofCalls,
  "api-denied": ofCalls,
  "api-unauthorized": ofCalls,
  "vcpu-quota": launches,
  "subnet-full": launches,
  "no-capacity": launches,
  "volume-quota": launches,
  "account-refused": launches,
  "launch-later": launches,
  "launch-refused": launches,
  "private-name-missing": launches,
  "address-claimed": launches,
  "join-slots-taken": launches,
  "certificate-requests-pending": launches,
  "pool-changed": launches,
  "aws-refuses-machine": launches,
  "aws-unreachable": launches,
  "agent-proxied": launches,
  "content-differs": launches,
  "foreign-file": launches,
  "foreign-variable": launches,
  "join-secret-unreadable": launches,
  "secret-unusable": launches,
  "feature-not-installed": launches,
  "windows-unfinished": launches,
  "container-networks-exist": launches,
  "image-not-pulled": launches,
  "registry-unauthorized": launches,
  "authority-unreadable": launches,
  "kubernetes-too-old": launches,
  "overlay-port": launches,
  "certificate-request-denied": launches,
  "name-taken": launches,
  "subnet-missing": launches,
  "gateway-missing": launches,
  "windows-build": launches,
  "provider-id-missing": launches,
  "agent-silent": {
    look: () =>
      isAgentSilent(
        {
          health: { agent: async () => ({ registered: true, online: true, lastPingAt: new Date(0).toISOString() }) },
          now: () => 12 * 60_000,
        } as unknown as Steps,
        "i-1",
      ),
    finds: true,
  },
  "agent-broken": sameAgent,
  "command-undelivered": sameAgent,
  "command-cancelled": sameAgent,
  "command-waits": sameAgent,
  "command-failed": sameAgent,
  "result-missing": sameAgent,
  "script-slow": sameAgent,
  "script-failed": sameAgent,
  "wmi-broken": { look: () => /Get-CimInstance/.test(scriptText("observe")), finds: true },
  "powershell-restricted": {
    look: () => ["observe", "reboot", "apply"].every((name) => /-ne 'FullLanguage'/.test(scriptText(name))),
    finds: true,
  },
  "clock-wrong": { look: () => [ofScript(2_000, 1e9), ofScript(100, 1e9)], finds: ["clock-wrong", "clock-wrong"] },
  "disk-full": { look: () => ofScript(1_030, 1e6), finds: "disk-full" },
  "file-not-placed": {
    later: "the marker is the one file that the order writes, and only the write shows that another program holds it",
  },
  "metadata-silent": { look: () => ofGuard({}, false), finds: "metadata-silent" },
  "guard-of-another-release": {
    look: () => codeOf(guardFileFault({ guard: { ...guard, sha256: "other" } }, payload)),
    finds: "guard-of-another-release",
  },
  "guard-task-missing": { look: () => ofGuard({ taskEnabled: false }), finds: "guard-task-missing" },
  "guard-failed": { look: () => ofGuard({ lastResult: 1 }), finds: "guard-failed" },
  "network-paths": { look: () => ofGuard({ paths: 2 }), finds: "network-paths" },
  "guard-not-in-order": {
    later: "the guard was in order before the eviction and is asked again right before the order",
  },
  "service-hangs": { later: "a restart evicts no pod, and only the restart shows whether a service stops" },
  "service-not-started": { later: "a restart evicts no pod, and only the restart shows whether a service starts" },
  "volume-key-unusable": { later: "EC2 reads the key of a volume when the instance starts" },
  "machine-ended": { later: "the instance ran when the node was judged" },
  "other-node": {
    look: () => identityFaultOf(launched(), ownersWith({ nodes: [windowsNode(NAME), windowsNode("web-2")] }))?.kind,
    finds: "several-nodes",
  },
  "pod-network-missing": "elsewhere",
  "pod-resolves-nothing": "elsewhere",
  "pod-reaches-no-service": "elsewhere",
  "pod-reaches-metadata": "elsewhere",
  "pod-unreached": "elsewhere",
  "pod-unreached-by-host": "elsewhere",
  "pod-reaches-nothing-outside": "elsewhere",
  "node-deleted": { later: "the Node existed when it was judged" },
  "registered-anew": { later: "the Node was deleted after the order" },
  "uncordoned-meanwhile": { later: "the node was uncordoned, or a pod came, after the cordon" },
  "eviction-forbidden": {
    look: () => ofHoldUp({ kind: "refused", by: "rbac", why: "forbidden" }),
    finds: "eviction-forbidden",
  },
  "eviction-denied": {
    look: () => ofHoldUp({ kind: "refused", by: "webhook", why: "denied" }),
    finds: "eviction-denied",
  },
  "eviction-unanswered": { later: "the API server answered when the plan tried the evictions by a dry run" },
  "pod-must-not-be-interrupted": {
    look: () => ofHoldUp({ kind: "held", annotation: "casement.dev/do-not-disrupt", runningMs: 1 }),
    finds: "pod-must-not-be-interrupted",
  },
  "budget-allows-none": {
    look: () => ofHoldUp({ kind: "budget", budget: "shop/web", needs: 1, has: 1, isForever: true, terminating: [] }),
    finds: "budget-allows-none",
  },
  "pod-stuck": { later: "only a pod that was told to end shows that it does not" },
  "losses-not-allowed": {
    look: () => refusedFor("unmanaged"),
    finds: expect.stringContaining("nothing recreates shop/one"),
  },
  "reboot-stood-against": { later: "owner, instance and controllers were judged twice before the eviction" },
  "reboot-not-happened": { later: "only the order shows it" },
  "restart-not-happened": { later: "only the order shows it" },
  "route-lost": { later: "only the boot shows it" },
  "endpoints-lost": {
    later: "a restart of services is what a plan of a restart is for; only the proof shows what it left",
  },
  "check-fails": { later: "only the proof shows it" },
  "not-soaked": { later: "only the time after the proof shows it" },
  "slot-taken": { later: "the slot is the first stage: nothing is evicted before" },
  "worse-than-approved": { later: "the node changed while it waited for its slot, or for its turn in a rollout" },
  "frozen-or-held": { later: "the freeze was set after the node was judged" },
  "deadline-passed": { later: "only the time shows it" },
  "called-off": { later: "a person cancelled" },
  interrupted: { later: "the execution was ended from outside" },
  "execution-ended": { later: "the execution was ended from outside" },
  "execution-never-started": { later: "it ends a node before its first stage" },
  unexpected: { later: "a bug" },
};

const ofOwner = { kind: "karpenter", owner: "np" } as const;
const approved: Assistance = {
  ...{ instanceId: launched().instanceId, launchedAt: launched().launchedAt, owner: ofOwner, state: "assisted" },
  ...{ operation: "assist-1", askedBy: "U1", approvedBy: ["U2"], at: "2026-11-24T04:00:00.000Z" },
};
const assisted = {
  machine: launched({ tags: { "karpenter.sh/nodepool": "np", [TAG.managed]: CLUSTER } }),
  assisted: [approved],
};

const linux = windowsNode(NAME, { metadata: { name: NAME, labels: { "kubernetes.io/os": "linux" } } });
const twoNodes = { nodes: [windowsNode(NAME), windowsNode("web-2")] };
const claimedBy = (kind: MachineClaim["kind"]) => ({ claimed: [{ machine: "i-0aaa", kind, owner: "theirs" }] });

/** Facts of a node that may be changed, except for these. */
const changed = (facts: Partial<ChangeFacts>, change: "reboot" | "restart" = "reboot") =>
  changeRefusalOf(
    {
      ...{ ...ownersWith(), node: windowsNode(NAME), machine: launched(), assisted: [], others: [], heldBy: null },
      ...facts,
    },
    change,
  )?.kind;

/** Every reason in the node, its machine or the ledger against a drain, a reboot or a restart: `judgeNode` asks for it, before the plan is made. */
const changeRefusals: Readonly<Record<ChangeRefusal["kind"], () => unknown>> = {
  linux: () => changed({ node: linux }),
  "no-instance": () => changed({ machine: undefined }),
  "not-launched-by-us": () => changed({ machine: launched({ tags: {} }) }),
  assisted: () => changed(assisted, "restart"),
  owner: () => changed({ ...assisted, assisted: [] }),
  identity: () => changed(twoNodes),
  busy: () => changed({ heldBy: "drain-1" }),
  "not-running": () => changed({ machine: launched({ state: "stopped" }) }),
  conflict: () => changed({ others: [{ kind: "kured", acting: true }] }),
};

const removed = (facts: Partial<RemovalFacts>) =>
  removalRefusalOf({
    ...{ ...ownersWith(), node: windowsNode(NAME), machine: launched(), pods: [], isProtected: false, heldBy: null },
    ...facts,
  })?.kind;

const tagged = (key: string) => removed({ machine: launched({}, { [key]: "theirs" }) });

/** Every reason in the node, its machine or the ledger against a removal: it is judged before the dialog is shown. */
const removalRefusals: Readonly<Record<RemovalRefusal["kind"], () => unknown>> = {
  linux: () => removed({ node: linux }),
  "no-instance": () => removed({ machine: undefined }),
  "already-terminated": () => removed({ node: null, machine: launched({ state: "terminated" }) }),
  "not-launched-by-us": () => removed({ machine: launched({ tags: {} }) }),
  "termination-protected": () => removed({ isProtected: true }),
  "auto-scaling-group": () => tagged("aws:autoscaling:groupName"),
  "node-group": () => tagged("eks:nodegroup-name"),
  karpenter: () => tagged("karpenter.sh/nodepool"),
  "machine-set": () => removed(claimedBy("machine-set")),
  machine: () => removed(claimedBy("machine")),
  "windows-instances": () => removed(claimedBy("windows-instances")),
  identity: () => removed(twoNodes),
  busy: () => removed({ heldBy: "drain-1" }),
  "last-of-build": () => removed({ pods: [pod("web-a", NAME)] }),
};

/** Every reason in a pod not to evict it, with words of the refusal that the plan gives before it asks anybody. */
const podRefusals: Readonly<Record<DrainRefusal["reason"], string>> = {
  "daemonset-managed": "a DaemonSet manages shop/one",
  "daemonset-orphaned": "the DaemonSet of shop/one no longer exists",
  "daemonset-unreadable": "the DaemonSet of shop/one could not be read",
  "empty-dir": "local data of shop/one would be lost",
  "job-unreadable": "the Job of shop/one could not be read",
  "kept-by-finalizer": "only a finalizer keeps shop/one",
  "uncertain-owner": "the owner of shop/one may not create another pod",
  unmanaged: "nothing recreates shop/one",
};

const refusedFor = (reason: string): string =>
  thrownBy(() =>
    checkLosses({
      plan: { refusals: [{ pod: "shop/one", reason, detail: "" }] },
      typed: "`/win drain one --force one`",
    } as unknown as PlannedEmptying),
  );

const looked = Object.entries(firstSeen).flatMap(([code, seen]) =>
  typeof seen === "object" && "look" in seen ? [[code, seen] as const] : [],
);

const lambdas = new URL("../../lambdas/", import.meta.url);

/** Sources of a reboot, a drain, a removal and a restart, and of the script that reboots. */
const sources = (): string[] => [
  ...["capabilities/reboot/", "capabilities/drain/", "capabilities/remove/", "change/emptying/"].flatMap((folder) =>
    readdirSync(new URL(folder, lambdas))
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(new URL(`${folder}${name}`, lambdas), "utf8")),
  ),
  ...["guard", "reboot", "observe"].map((name) => readFileSync(new URL(`change/node/${name}.ts`, lambdas), "utf8")),
  scriptText("reboot"),
];

describe("What can refuse a reboot, a drain, a removal or a restart", () => {
  test.each(looked)("is found before the first eviction: %s", async (_code, { look, finds }) => {
    expect(await look()).toEqual(finds);
  });

  test.each(Object.entries(changeRefusals))(
    "in its node or machine, as %s, is found when it is judged",
    (kind, look) => {
      expect(look()).toBe(kind);
    },
  );

  test.each(Object.entries(removalRefusals))("as %s, is found before the dialog of a removal", (kind, look) => {
    expect(look()).toBe(kind);
  });

  test.each(Object.entries(podRefusals))("in a pod, as %s, is found by the plan", (reason, words) => {
    expect(refusedFor(reason)).toContain(words);
  });

  test("is never listed as a failure of other work while its source names it", () => {
    const text = sources().join("\n");
    const named = failureCodes.filter((code) => text.includes(`"${code}"`) || text.includes(`'${code}'`));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((code) => firstSeen[code] === "elsewhere")).toEqual([]);
  });
});
