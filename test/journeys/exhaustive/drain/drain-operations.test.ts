import { afterEach, expect, test } from "vitest";
import type { HistoryEvent } from "../../../../lib/sandbox/durable/history.ts";
import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { calls, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { podOn, podsOn, shortName, web } from "../../others.ts";
import { withSeedNodes } from "../../removal.ts";
import { remover } from "../../restarts.ts";

let here: Journey;
afterEach(() => here.close());

const SETS = 30;
const REPLICAS = 10;
const STOPS_IN = 120;

const created = (object: object): KubeObject => here.simulator.kubernetes.create(object as KubeObject);

/** The case of `drain-real.md` §5 with pods that take two minutes to end; their replacements run on Linux nodes. */
function crowd(): void {
  for (let set = 0; set < SETS; set += 1) {
    const name = `shop-${set}`;
    const [labels, selector] = [{ app: name }, { matchLabels: { app: name } }];
    const container = { name: "main", image: "registry.example.com/shop/web:1" };
    const nodeSelector = { "kubernetes.io/os": "linux" };
    const { metadata } = created({
      ...{ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name, namespace: "default" } },
      spec: {
        ...{ replicas: REPLICAS, selector },
        template: { metadata: { labels }, spec: { nodeSelector, containers: [container] } },
      },
    });
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: metadata.uid, controller: true };
    const containers = [{ ...container, lifecycle: { preStop: { sleep: { seconds: STOPS_IN } } } }];
    const spec = { containers, terminationGracePeriodSeconds: 2 * STOPS_IN };
    for (let at = 0; at < REPLICAS; at += 1)
      created(podOn(web, `${name}-${at}`, { metadata: { labels, ownerReferences: [owner] }, spec }));
    created({
      ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name, namespace: "default" } },
      spec: { maxUnavailable: 1, selector },
    });
  }
}

interface Invocation {
  readonly InvocationCompletedDetails: { readonly StartTimestamp: number; readonly EndTimestamp: number };
}

/** The drain's execution, by its own history. */
function executionOfDrain() {
  const { lambda, simulation } = here.simulator;
  const [execution] = lambda.executions().filter(({ functionName }) => functionName === lambdaName("drain-node"));
  const events = simulation.store.collection<HistoryEvent>(`durable-history/${execution?.id}`).values();
  const polls = events.filter(({ Name, EventType }) => Name === "the pods have left" && EventType === "StepStarted");
  const longest = events
    .filter(({ EventType }) => EventType === "InvocationCompleted")
    .map((event) => (event as unknown as Invocation).InvocationCompletedDetails)
    .map(({ StartTimestamp, EndTimestamp }) => (EndTimestamp - StartTimestamp) / 1_000)
    .sort((one, other) => other - one)[0];
  return { operations: execution?.operationCount ?? 0, polls: polls.length, longest: longest ?? 0 };
}

test("DR-17 three hundred slow pods under thirty budgets cost few durable operations, each poll one, none longer than an invocation may take", {
  timeout: 240_000,
}, async () => {
  const configuration = { approvals: { drain: { needs: 0 } }, deadlines: { drain: { evict: 60 } } };
  here = await withSeedNodes({ configuration });
  crowd();
  await here.pass(2);
  expect(podsOn(here, web).length).toBeGreaterThanOrEqual(SETS * REPLICAS);
  const since = Date.now();
  await here.type("operator", `/win drain ${shortName(web)} --force ${web.name}`);
  await settled(here, 90);
  expect((await newest(here)).operation.status).toBe("succeeded");
  const seconds = (Date.now() - since) / 1_000;
  const { operations, polls, longest } = executionOfDrain();
  expect(seconds).toBeGreaterThan(STOPS_IN);
  expect(polls).toBeLessThan(seconds / 15);
  expect(operations).toBeLessThan(polls + 50);
  expect(longest).toBeLessThan(300);
  const evictions = calls(here, "kubernetes", "create pods/eviction").filter(({ principal }) => principal === remover);
  const granted = evictions.filter(({ error }) => error === null).length;
  expect(granted).toBeGreaterThanOrEqual(SETS * REPLICAS);
  expect(evictions.length).toBeLessThan(granted * 1.05);
});
