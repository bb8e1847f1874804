import { afterEach, expect, test } from "vitest";
import { connect, notified, stored } from "../../connecting.ts";
import { settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { asAdministrator } from "../../outside.ts";
import { openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const HOUR = 60;

test("deleting the Secret of an account ends what was stolen within ten seconds, what it renewed itself too", async () => {
  here = await startJourney();
  const { token } = JSON.parse(stored(here, "join"));
  const asThief = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const bytes = Buffer.from(body ? JSON.stringify(body) : "");
    return (await here.drive(here.simulator.kubernetes.answer({ method, url: path, headers, body: bytes }))).status;
  };
  expect(await asThief("GET", "/api/v1/nodes")).toBe(200);
  await asAdministrator(here, "DELETE", "/api/v1/namespaces/casement/secrets/join");
  // The API server remembers a moment longer that the token was good.
  expect(await asThief("GET", "/api/v1/nodes")).toBe(200);
  await here.pass(10 / 60);
  expect(await asThief("GET", "/api/v1/nodes")).toBe(401);
  await here.pass(2.2 * HOUR);
  expect(notified(here)).toHaveLength(1);
  expect(notified(here)[0]).toMatch(/the credential of the account join cannot be used: .*adding nodes fails/);
  await here.type("operator", "/win nodes");
  await settled(here, 5);
  await connect(here);
  expect(await asThief("GET", "/api/v1/nodes")).toBe(401);
  await here.pass(1.2 * HOUR);
  expect(openly(here).at(-1)).toContain("The credential of the account join can be used again");
});
