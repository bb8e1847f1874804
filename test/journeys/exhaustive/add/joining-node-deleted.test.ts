import { afterEach, expect, test } from "vitest";
import type { StageName } from "../../../../lambdas/stages.ts";
import { expectSound, heldBack, joinSecrets, settled } from "../../evidence.ts";
import { asked, impatient, launchedName } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { kubectl } from "../../others.ts";

let here: Journey;
afterEach(() => here.close());

const probe = {
  images: { "2022": "mcr.microsoft.com/windows/servercore:ltsc2022", linux: "docker.io/library/busybox:1.37" },
};

/** Deletes the Node at once when the Event on it says that a stage has begun. @returns the time of that, once it came */
function deleteIn(stage: StageName): { at: number } {
  const { simulation, kubernetes } = here.simulator;
  const { record } = simulation.calls;
  const deleted = { at: 0 };
  simulation.calls.record = (call) => {
    record(call);
    if (deleted.at > 0 || call.service !== "kubernetes" || call.action !== "create events") return;
    const messages = kubernetes.objects("events").map((event) => String((event as { message?: string }).message));
    if (!messages.some((message) => message.startsWith(`stage ${stage} of`))) return;
    deleted.at = Date.now();
    void kubectl(here, "DELETE", `/api/v1/nodes/${launchedName(here)}`);
  };
  return deleted;
}

test.for<StageName>(["serving-csr", "network", "ready", "verify", "probe", "admit"])(
  "a Node that is deleted during %s ends the setup with that cause within a minute",
  async (stage) => {
    here = await startJourney({ configuration: { ...impatient, probe } });
    const deleted = deleteIn(stage);
    await here.type("operator", "/win add web");
    const { failure } = await asked(here);
    expect(failure).toMatchObject({ stage, code: "node-deleted" });
    expect(Date.now() - deleted.at).toBeLessThan(60_000);
    await here.press("operator", "terminate-instance");
    await settled(here);
    expect(joinSecrets(here)).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  },
);
