import { afterEach, expect, test } from "vitest";
import { permissionsFor } from "../../../../lib/role-permissions.ts";
import { type CustomerKey, keyPolicy, placeOf } from "../../../../lib/sandbox/aws/kms.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { place } from "../../../../lib/sandbox/demo-account.ts";
import { denied, newest, settled } from "../../evidence.ts";
import { type Journey, type JourneyOptions, startJourney } from "../../journey.ts";
import { answerTo, openly } from "../../reading.ts";

const key: CustomerKey = {
  arn: `arn:aws:kms:${demo.region}:${demo.accountId}:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9`,
};
const withKey = { ...place, ...placeOf(key) };

let here: Journey;
afterEach(() => here.close());

/** A journey in an account whose stack was deployed with the customer's key. */
const begun = (options: JourneyOptions = {}, facts: Partial<CustomerKey> = {}) =>
  startJourney({
    ...options,
    configuration: { key: key.arn },
    overrides: { key: { ...key, ...facts }, ...options.overrides },
  });

/** The key of the secret with which a machine joins, while it exists. */
const keyOfJoinSecret = (): string | undefined =>
  here.simulator.simulation.store
    .collection<{ readonly name: string; readonly keyId?: string }>("secrets")
    .values()
    .find(({ name }) => name.includes("/join/"))?.keyId;

test("with the customer's key a node is added, its join secret has the key too, and no role lacks a right", async () => {
  here = await begun();
  await here.type("operator", "/win add web");
  await here.until(() => keyOfJoinSecret() === key.arn, 60, "a join secret with the customer's key");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(denied(here)).toEqual([]);
  expect(await answerTo(here, "/win doctor")).not.toContain("aws.key");
});

test("machines whose role may not use the key of the bucket stop at the payload", async () => {
  const node = permissionsFor(withKey).node.filter(({ sid }) => !sid.startsWith("UseKeyOf"));
  here = await begun({ overrides: { permissions: { node } } });
  await here.type("operator", "/win add web");
  await here.until(() => openly(here).join().includes("kms:Decrypt"), 60);
  await settled(here);
});

test("a key that will be deleted is serious, and the doctor says what ends with it", async () => {
  here = await begun({ seedNodes: true }, { state: "PendingDeletion" });
  const said = await answerTo(here, "/win doctor");
  expect(said).toContain("is `PendingDeletion`");
  expect(said).toContain("cancel its deletion");
});

test("a key whose policy was written for roles alone is named with the services that it keeps out", async () => {
  here = await begun({ seedNodes: true }, { policy: keyPolicy("key:topic", place) });
  const said = await answerTo(here, "/win doctor");
  expect(said).toContain("does not let `events.amazonaws.com`, `logs.us-west-2.amazonaws.com` use the key");
  expect(said).not.toContain("cloudwatch.amazonaws.com");
});
