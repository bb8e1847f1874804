import { afterEach, expect, test } from "vitest";
import { newest } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { look } from "../../looking.ts";
import { paged, said } from "../../mirroring.ts";
import { otherWeb, shortName, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { PROXY, setProxy, startProxying, writtenOn } from "../../proxying.ts";
import { openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

test("a machine that reaches AWS only through its agent's proxy becomes no node, and the reason is named", async () => {
  here = await startJourney();
  injectFault(here, "aws-by-proxy", { how: "machine" });
  await here.type("operator", "/win add web");
  await here.until(() => openly(here).some((text) => text.includes("reaches AWS only through a proxy")), 60, "the end");
  const { nodes } = await newest(here);
  expect(nodes).toMatchObject([
    {
      nodeName: null,
      stage: "guard",
      failure: { code: "agent-proxied", why: expect.stringContaining("variables of the machine") },
    },
  ]);
  expect(openly(here).join("\n")).toContain("give its subnet endpoints for S3 and Secrets Manager");
});

test("a node that reaches AWS only through its agent's proxy is left out of changes, and the doctor and why name it", async () => {
  here = await startProxying();
  const fault = injectFault(here, "aws-by-proxy", { node: web.name, how: "service" });
  await here.pass(40);
  await setProxy(here, { httpsProxy: `http://${PROXY}` });
  await here.until(() => said(here, "2 nodes updated") === 1, 30, "the change");
  expect(writtenOn(here, web)).toEqual([]);
  expect(writtenOn(here, otherWeb)).toHaveLength(2);
  expect(paged(here)).toEqual([]);
  const why = (await look(here, `/win why ${shortName(web)}`)).said;
  expect(why).toContain("Casement cannot write to this machine");
  expect(why).toContain("variables of the service AmazonSSMAgent");
  expect((await look(here, "/win doctor")).said).toContain(`\`${web.name}\` reaches AWS only through a proxy`);
  await here.type("operator", `/win reconcile ${shortName(web)}`);
  const answered = () =>
    privately(here, "operator").at(-1)?.includes("AWS only through a proxy (variables of the service");
  await here.until(() => answered() === true, 5, "the answer");

  endFault(here, fault);
  await here.until(() => writtenOn(here, web).length === 2, 60, "the change of the third node");
});
