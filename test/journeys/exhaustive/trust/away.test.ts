import { afterEach, expect, test } from "vitest";
import { issue } from "../../../inputs/trust/issuing.ts";
import { expectSound, heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { commandedBy } from "../../killing.ts";
import { nodes, paged } from "../../mirroring.ts";
import { kubectl, otherWeb, type SeedNode, shortName } from "../../others.ts";
import { privately } from "../../reading.ts";
import {
  asked,
  given,
  startTrusting,
  trustedEverywhere,
  trustedOn,
  trustOnly,
  trustOperations,
  trustThese,
} from "../../trusting.ts";

let here: Journey;
afterEach(() => here.close());

const root = await issue({ subject: "CN=Test Root" });
const other = await issue({ subject: "CN=Test Other" });

const everywhere = (...names: readonly string[]) => nodes.map(() => names);

/** Is a machine given no command of the schedule, nor of a person's reconcile? */
const isLeftAlone = ({ instanceId }: SeedNode): boolean =>
  !["trust-", "reconcile-"].some((operation) => commandedBy(here, operation).includes(instanceId));

const annotate = (hold: string | null): Promise<void> =>
  kubectl(here, "PATCH", `/api/v1/nodes/${otherWeb.name}`, {
    metadata: { annotations: { "casement.dev/hold": hold } },
  });

/** Holds of a node, each with its end and with what a person's reconcile answers. */
const holds = [
  [
    "an operator",
    () => here.type("operator", `/win hold ${shortName(otherWeb)} --reason "disk"`),
    () => here.type("operator", `/win unhold ${shortName(otherWeb)}`),
    /nothing to change\.\n• `\S+` is held by .*: disk\./,
  ],
  [
    "an annotation",
    () => annotate("kernel dump"),
    () => annotate(null),
    /nothing to change\.\n• `\S+` is held by the annotation .*: kernel dump\./,
  ],
] as const;

test.for(holds)("a node that %s holds gets no authority before the hold ends", async ([, hold, end, why]) => {
  here = await startTrusting();
  await hold();
  await here.pass(1);
  await trustThese(here, root);
  await given(here, 1, "2 nodes updated");
  await here.pass(11);
  expect(await trustOperations(here)).toHaveLength(1);
  await here.type("operator", `/win reconcile ${shortName(otherWeb)}`);
  await here.pass(2);
  expect(privately(here, "operator").at(-1)).toMatch(why);
  expect(trustedOn(here, otherWeb)).toEqual([]);
  expect(isLeftAlone(otherWeb)).toBe(true);
  await end();
  await given(here, 1, "1 node updated");
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
  expect(paged(here)).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

test("a frozen pool gets no authority and loses none before the thaw, and the other pool follows the bundle", async () => {
  here = await startTrusting();
  await trustThese(here, root);
  await given(here, 1);
  await here.type("operator", '/win freeze web --reason "release night" --for 4h');
  await here.pass(1);
  await trustOnly(here, other);
  await given(here, 1, "1 node updated");
  await here.type("operator", "/win reconcile web");
  await here.pass(11);
  expect(trustedEverywhere(here)).toEqual([["Root Root"], ["Root Root"], ["Root Other"]]);
  expect(privately(here, "operator").at(-1)).toMatch(
    /nothing to change\. The requested nodes are up to date; .* frozen or held were left out/,
  );
  await here.type("operator", "/win thaw web");
  await given(here, 1, "2 nodes updated");
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Other"));
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});

test("a root that is approved during a freeze reaches the nodes after the thaw, and nobody is asked again", async () => {
  here = await startTrusting({});
  await here.type("operator", '/win freeze --reason "release night" --for 4h');
  await here.pass(1);
  await trustThese(here, root);
  const id = await asked(here);
  await here.type("approver", `/win approve ${id}`);
  await here.pass(16);
  expect((await trustOperations(here)).map((one) => [one.id, one.status])).toEqual([[id, "succeeded"]]);
  expect(trustedEverywhere(here)).toEqual(everywhere());
  expect(nodes.every(isLeftAlone)).toBe(true);
  await here.type("operator", "/win thaw");
  await given(here, 1);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
  await here.pass(11);
  expect((await trustOperations(here)).filter(({ approval }) => approval !== undefined)).toHaveLength(1);
  expect(paged(here)).toHaveLength(1);
  await expectSound(here);
});
