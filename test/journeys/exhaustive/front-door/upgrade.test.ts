import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { calls, expectSound, heldBack, launchedBy, newest, settled, spoken } from "../../evidence.ts";
import { asked, expectPutAway, impatient, launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault } from "../../outside.ts";
import { dialogOf, privately } from "../../reading.ts";
import { publishNextRelease, publishText, release } from "../../releases.ts";

let here: Journey;
beforeEach(() => {
  // A click that cannot be judged is in the function's log too.
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await here.close();
});

/** A document that this code cannot make sense of, not even of who may do what. */
const unreadable = '{"configuration":{"people":"moved elsewhere"},"payload":{}}';

const thread = (): string => JSON.stringify(spoken(here).thread);

describe("while a failed machine waits for a decision", () => {
  beforeEach(async () => {
    here = await startJourney({ configuration: impatient });
    injectFault(here, "feature-install-fails");
    await here.type("operator", "/win add web");
    await asked(here);
  });

  test("a release that adds keys everywhere is deployed, and Keep counts", async () => {
    publishNextRelease(here);
    await here.press("operator", "keep-instance");
    await settled(here);
    expect((await newest(here)).nodes[0]?.outcome).toBe("kept for inspection by <@U0OPERATOR>");
    await expectPutAway(here, true);
  });

  test.for(["keep-instance", "terminate-instance"])(
    "%s that nobody can judge is said, and the clock terminates nothing",
    async (button) => {
      publishText(here, unreadable);
      await here.press("operator", button);
      await here.until(() => thread().includes("could not verify the person's permissions"), 3, "a note");
      expect(thread()).toContain("Press it again in a minute; without another decision the instance is kept.");
      expect(privately(here, "operator").at(-1)).toContain("The deployed configuration cannot be read");
      expect(JSON.stringify(spoken(here).channel)).toContain("without another decision the instance is kept at");
      await settled(here);
      expect(calls(here, "ec2", "TerminateInstances")).toEqual([]);
      const { operation, nodes } = await newest(here);
      expect(nodes[0]?.outcome).toContain("Casement could not check in time whether <@U0OPERATOR> may");
      expect(launchedBy(here, operation.id).map(({ State }) => State?.Name)).toEqual(["running"]);
      expect(await heldBack(here)).toEqual([]);
    },
  );

  test("who presses again when the release can be read is heard", async () => {
    publishText(here, unreadable);
    await here.press("operator", "keep-instance");
    await here.until(() => thread().includes("could not verify"), 3, "a note");
    release(here, {});
    await here.press("operator", "terminate-instance");
    await settled(here);
    expect(privately(here, "operator").at(-1)).toContain(`Terminating \`${launchedId(here)}\``);
    await expectPutAway(here, false);
  });
});

describe("while a removal waits for its answer", () => {
  beforeEach(async () => {
    here = await startJourney({ seedNodes: true });
    await here.type("operator", "/win remove ip-10-0-3-7");
    await here.until(() => dialogOf(here, "operator").includes("[Remove]"), 2, "the facts in the dialog");
  });

  test("a release that adds keys everywhere is deployed, and the node goes", async () => {
    publishNextRelease(here);
    await here.submit("operator");
    await settled(here);
    expect((await newest(here)).operation.status).toBe("succeeded");
    await expectSound(here);
  });

  test("nothing is removed while nobody can judge who answered, and the channel says why", async () => {
    publishText(here, unreadable);
    await here.submit("operator");
    await settled(here);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(calls(here, "ec2", "TerminateInstances")).toEqual([]);
    const said = JSON.stringify(spoken(here).channel);
    expect(said).toContain("The deployed configuration cannot be read");
    expect(said).toContain("try again when it has ended");
    expect(said).toContain("nothing was changed");
    await expectSound(here);
  });
});
