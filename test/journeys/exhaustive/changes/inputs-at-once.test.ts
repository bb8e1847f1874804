import { afterEach, describe, expect, test } from "vitest";
import { issue } from "../../../inputs/trust/issuing.ts";
import { expectSound, heldBack, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { nodes, paged, said } from "../../mirroring.ts";
import { shortName, web } from "../../others.ts";
import { PROXY, setProxy, writtenOn } from "../../proxying.ts";
import { openly } from "../../reading.ts";
import { trustedEverywhere, trustOnly, trustThese } from "../../trusting.ts";

let here: Journey;
afterEach(() => here.close());

const root = await issue({ subject: "CN=Test Root" });
const other = await issue({ subject: "CN=Test Other" });
/** The one schedule that reads all inputs. */
const RULE = "arn:aws:events:us-west-2:111122223333:rule/casement-prod-west-inputs";

const proxyOf = (port: number) => ({ httpsProxy: `http://${PROXY.replace(/\d+$/, String(port))}` });

/** Inputs of the cluster: their first content, an edit, and what each node has then. */
const cases = [
  {
    name: "proxy",
    command: "reconcile",
    title: "Proxy",
    begin: () => setProxy(here, proxyOf(3128)),
    edit: () => setProxy(here, proxyOf(3129)),
    has: () => nodes.map((node) => writtenOn(here, node).filter((one) => one.startsWith("HTTPS_PROXY="))),
    first: [`HTTPS_PROXY=${proxyOf(3128).httpsProxy}`],
    second: [`HTTPS_PROXY=${proxyOf(3129).httpsProxy}`],
  },
  {
    name: "trust",
    command: "trust",
    title: "Trusted authorities",
    begin: () => trustThese(here, root),
    edit: () => trustOnly(here, other),
    has: () => trustedEverywhere(here),
    first: ["Root Root"],
    second: ["Root Other"],
  },
] as const;

describe.for(cases)("the input $name", ({ command, title, begin, edit, has, first, second }) => {
  const tick = (id: string) =>
    here.simulator.lambda.send("casement-prod-west-cloud-events", {
      "detail-type": "Scheduled Event",
      id,
      resources: [RULE],
    });
  const start = async (): Promise<void> => {
    const configuration = { approvals: { authorities: { needs: 0 }, reboot: { needs: 0 } } };
    here = await startJourney({ seedNodes: true, configuration });
  };
  const operations = async () =>
    (await here.operations()).filter(({ request }) => request.command === command || request.command === "reconcile");
  const everywhere = (all: readonly string[]) => nodes.map(() => all);
  const expectQuiet = async (all: readonly string[]): Promise<void> => {
    await settled(here, 20);
    expect(has()).toEqual(everywhere(all));
    expect(paged(here)).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  };

  test("reaches each node once by two ticks at once", async () => {
    await start();
    await begin();
    for (const id of ["tick-1", "tick-2"]) tick(id);
    await here.until(() => said(here, "3 nodes updated") > 0, 12, "the change");
    await expectQuiet(first);
    expect((await operations()).filter(({ status }) => status === "succeeded")).toHaveLength(1);
  });

  test("is refused to a person while the schedule gives it to nodes", async () => {
    await start();
    await begin();
    tick("tick-1");
    await here.until(async () => (await operations()).length === 1, 3, "the schedule's operation");
    const [running] = await operations();
    await here.type("operator", "/win reconcile");
    await here.until(() => said(here, "3 nodes updated") > 0, 12, "the change");
    expect(openly(here).join("\n")).toContain(`${title}: \`${running?.id}\` is already changing nodes.`);
    await expectQuiet(first);
  });

  test("is the last of two quick edits on every node", async () => {
    await start();
    await begin();
    tick("tick-1");
    await here.until(async () => (await operations()).length === 1, 3, "the schedule's operation");
    await edit();
    await here.until(() => has().every((all) => all.join() === second.join()), 30, "the edit");
    await expectQuiet(second);
  });

  test("reaches a node after the person's operation on it, and the others before", async () => {
    await start();
    await here.type("operator", `/win reboot ${shortName(web)} --force ${web.name}`);
    await here.until(async () => (await here.operations())[0]?.status === "running", 5, "the reboot");
    await begin();
    await here.until(() => has().every((all) => all.join() === first.join()), 120, "the change");
    await settled(here, 60);
    expect((await here.operations()).find(({ request }) => request.command === "reboot")?.status).toBe("succeeded");
    expect(paged(here)).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
  });
});
