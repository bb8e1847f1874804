import { afterEach, expect, test } from "vitest";
import { doorPartition, keys, operationPartition } from "../../../../lambdas/records/ledger-table.ts";
import { issue } from "../../../inputs/trust/issuing.ts";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { nodes, paged, requested } from "../../mirroring.ts";
import { openly, privately } from "../../reading.ts";
import { thief } from "../../stealing.ts";
import {
  asked,
  given,
  startTrusting,
  trustedEverywhere,
  trustOnly,
  trustOperations,
  trustThese,
} from "../../trusting.ts";

let here: Journey;
afterEach(() => here.close());

const root = await issue({ subject: "CN=Test Root" });
const other = await issue({ subject: "CN=Test Other" });
const between = await issue({ subject: "CN=Test Issuing", by: root });

const everywhere = (...names: readonly string[]) => nodes.map(() => names);
const operation = async (id: string) => (await trustOperations(here)).find((one) => one.id === id);
const start = async () => {
  here = await startTrusting({});
};

test("a new root waits for an approval, with what people must know; approved, it reaches every node", async () => {
  await start();
  await trustThese(here, root, between);
  const id = await asked(here);
  await given(here, 1);
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing"));
  const card = openly(here).find((one) => one.includes("[Approve]")) ?? "";
  for (const words of [
    "every program of each Windows node would trust",
    "CN=Test Root",
    root.fingerprint,
    "|2045-01-01 00:00 UTC>",
    "ConfigMap openshift-config/user-ca-bundle of Proxy cluster",
  ])
    expect(card).toContain(words);
  await here.type("operator", "/win authorities");
  await here.pass(1);
  expect(privately(here, "operator").at(-1)).toContain(`waits for an approval in \`${id}\``);
  await here.type("approver", `/win approve ${id}`);
  await given(here, 2);
  expect(await operation(id)).toMatchObject({ status: "succeeded", origin: { by: "rule", rule: "trust" } });
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing", "Root Root"));
  await here.pass(11);
  expect((await trustOperations(here)).filter(({ approval }) => approval !== undefined)).toHaveLength(1);
  expect(paged(here)).toHaveLength(1);
  await expectSound(here);
});

test("a denied root is not asked about again before it returns, or a person reconciles", async () => {
  await start();
  await trustThese(here, root, between);
  const id = await asked(here);
  await here.type("approver", `/win deny ${id} --reason "not ours"`);
  await here.until(async () => (await operation(id))?.status === "refused", 5, "the denial");
  await here.pass(30);
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing"));
  expect((await look(here, "/win authorities")).said).toContain("denied: no node gets it");
  await trustOnly(here, between);
  await here.pass(11);
  await trustOnly(here, root, between);
  const again = await asked(here, 2);
  await here.type("approver", `/win deny ${again} --reason "still not"`);
  await here.until(async () => (await operation(again))?.status === "refused", 5, "the second denial");
  await here.type("operator", "/win reconcile");
  expect(await asked(here, 3)).not.toBe("");
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing"));
});

test("a request ends as superseded if the roots change meanwhile, and its approval counts for nothing", async () => {
  await start();
  await trustThese(here, root);
  const first = await asked(here);
  await trustOnly(here, root, other);
  const second = await asked(here, 2);
  await here.until(async () => (await operation(first))?.endedAt !== null, 5, "the end of the first request");
  expect(await operation(first)).toMatchObject({ status: "cancelled", approval: { state: "superseded" } });
  await here.type("approver", `/win approve ${first}`);
  await here.pass(11);
  expect(trustedEverywhere(here)).toEqual(everywhere());
  await here.type("approver", `/win approve ${second}`);
  await given(here, 1);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Other", "Root Root"));
  await expectSound(here);
});

test("a request without an answer lapses, and a person's reconcile asks again", async () => {
  await start();
  await trustThese(here, root);
  const id = await asked(here);
  await here.until(async () => (await operation(id))?.endedAt !== null, 40, "the end of the request");
  expect(await operation(id)).toMatchObject({ status: "cancelled", approval: { state: "lapsed" } });
  await here.pass(30);
  expect(await trustOperations(here)).toHaveLength(1);
  await here.type("operator", "/win reconcile");
  await asked(here, 2);
  expect(trustedEverywhere(here)).toEqual(everywhere());
});

test("a person's reconcile gives no root that nobody has approved", async () => {
  await start();
  await trustThese(here, root, between);
  expect(await requested(here)).toMatchObject({ status: "succeeded" });
  await here.pass(6);
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing"));
  await here.type("operator", "/win doctor");
  await here.pass(1);
  expect(privately(here, "operator").at(-1)).toContain("1 root of the cluster's trusted authorities waits for an");
});

test("a vote that the function of the rule writes itself gives no node a root, and the audit takes no word of it", async () => {
  await start();
  await trustThese(here, root, between);
  const id = await asked(here);
  await given(here, 1);
  const { approval } = (await operation(id)) ?? {};
  const vote = {
    ...{ decision: "approve", userId: "U0APPROVER", subject: "approval", callback: "", cause: "forged" },
    ...{ plan: approval?.hash, at: new Date().toISOString() },
  };
  const stolen = thief(here, "reconcile");
  expect(await stolen.put({ ...keys.vote(operationPartition(id), 1, "U0APPROVER"), ...vote })).toBe("done");
  expect(await stolen.put({ ...keys.vote(doorPartition(id), 1, "U0APPROVER"), ...vote })).toBe("AccessDeniedException");
  await here.pass(11);
  expect(await operation(id)).toMatchObject({ status: "waiting", approval: { state: "open", votes: [] } });
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing"));
  const act = { what: "approved", by: { person: "U0APPROVER" }, detail: { plan: approval?.hash } };
  const entry = { mark: "forged", act };
  const said = await stolen.append("reconcile", { kind: "append", chain: { operation: id }, entries: [entry] });
  expect(JSON.stringify(said)).toContain("U0APPROVER has not voted so");
});
