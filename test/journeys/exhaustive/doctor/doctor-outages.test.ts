import { afterEach, expect, test } from "vitest";
import { inHostTime } from "../../../host-time.ts";
import { settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault } from "../../outside.ts";
import { privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

test.each(["aws-throttle", "aws-5xx", "aws-slow"])(
  "under %s of EC2 the doctor blames no pool and groups what was not answered",
  inHostTime,
  async (kind) => {
    here = await startJourney({ seedNodes: true });
    const begin = Date.now();
    injectFault(here, kind, { service: "ec2" });
    await here.type("operator", "/win doctor");
    await here.until(() => /prod-west/.test(privately(here, "operator").at(-1) ?? ""), 2, "the report");
    expect(Date.now() - begin).toBeLessThan(20_000);
    const said = privately(here, "operator").at(-1) ?? "";
    expect(said).not.toContain("would refuse to launch");
    expect(said).not.toContain("❌");
    if (kind === "aws-throttle") expect(said).toMatch(/EC2 throttled \d+ checks: .*the subnets/);
    const areas = said.split(/^\*(?:AWS|Cluster|Nodes|Slack)\*$/m).slice(1);
    expect(areas.length).toBeGreaterThan(0);
    for (const area of areas) expect(area.split("*Remedy:*")).toHaveLength(2);
    expect(said).toContain("try again in a minute: `/win doctor`");
    await settled(here, 5);
  },
);
