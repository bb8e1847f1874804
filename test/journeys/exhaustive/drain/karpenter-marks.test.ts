import { afterEach, expect, test } from "vitest";
import { settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { run, SHORT } from "../../on-web.ts";
import { kubectl, web } from "../../others.ts";
import { openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

test.each(["karpenter.sh/disrupted", "karpenter.sh/disruption"])(
  "a cordon is refused for the mark %s, until it has been there for more than an hour",
  async (key) => {
    here = await withSeedNodes();
    const taints = [{ key, effect: "NoSchedule" }];
    await kubectl(here, "PATCH", `/api/v1/nodes/${web.name}`, { spec: { taints } });
    await here.pass(50);
    await here.type("operator", `/win cordon ${SHORT}`);
    await settled(here, 5);
    expect(openly(here).at(-1)).toMatch(/Karpenter is deleting it; its taint is at least \d+m old/);
    await here.pass(60);
    await here.type("operator", `/win drain ${SHORT} --dry-run`);
    await settled(here, 5);
    const untaint = `kubectl taint node ${web.name} ${key}-`;
    expect(privately(here, "operator").at(-1)).toMatch(/Karpenter marked it for deletion at least \d+m ago/);
    expect(privately(here, "operator").at(-1)).toContain(untaint);
    const { said } = await look(here, `/win why ${SHORT}`);
    expect(said).toMatch(/is at least \d+m old\. Its controller left it behind/);
    expect(said).toContain(untaint);
    expect(await run(here, `cordon ${SHORT}`, 30)).toContain("is cordoned");
    expect(await run(here, `uncordon ${SHORT}`, 30)).toContain("an autoscaler still keeps new pods away");
  },
);
