import { afterEach, expect, test } from "vitest";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { nodes, reconciles, said } from "../../mirroring.ts";
import { web } from "../../others.ts";
import { PROXY, setProxy, startProxying, writtenOn } from "../../proxying.ts";

let here: Journey;
afterEach(() => here.close());

const first = "casement:canary-of-spring";
const second = "casement:canary-of-autumn";
const withPassword = (credential: string) => setProxy(here, { httpsProxy: `http://${credential}@${PROXY}` });
const updated = (times: number) => here.until(() => said(here, "3 nodes updated") === times, 40, "the change");

test("the password of a proxy is on the machines and in their secret alone, and a rotated one reaches them", async () => {
  here = await startProxying();
  await withPassword(first);
  await updated(1);
  for (const node of nodes) expect(writtenOn(here, node).at(-1)).toBe(`HTTPS_PROXY=http://${first}@${PROXY}`);
  const { said: shown } = await look(here, "/win proxy");
  expect(shown).toContain(`http://${PROXY}`);
  await here.pass(11);
  expect(await reconciles(here)).toHaveLength(1);
  await withPassword(second);
  await updated(2);
  expect(writtenOn(here, web, "kubelet").at(-1)).toBe(`HTTPS_PROXY=http://${second}@${PROXY}`);
  // An earlier password is a change as well.
  await withPassword(first);
  await updated(3);
  expect(writtenOn(here, web).at(-1)).toBe(`HTTPS_PROXY=http://${first}@${PROXY}`);
  await setProxy(here, {});
  await updated(4);
  expect(nodes.flatMap((node) => writtenOn(here, node))).toEqual([]);
  await expectSound(here);
});
