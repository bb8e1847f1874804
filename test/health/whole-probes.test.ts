import { expect, test } from "vitest";
import { linuxProbe, NOBODY, pullProbe, windowsProbe, witnessProbe } from "../../lambdas/health/probe-pods.ts";
import { judgePull } from "../../lambdas/health/pull.ts";
import { written } from "../messages/said/written.ts";

const pod = { id: "web-1", node: "win-1", image: "mcr.microsoft.com/windows/servercore:ltsc2022" };

/** A pod with its commands line by line. */
const shown = (probe: ReturnType<typeof windowsProbe>): string => {
  const { containers = [], ...spec } = probe.spec as { containers?: readonly { command?: readonly string[] }[] };
  const [{ command = [], ...container } = {}] = containers;
  return [JSON.stringify({ ...probe, spec }), JSON.stringify(container), ...command].join("\n");
};

test("The pods of a probe are, command by command, as whole-probes.txt has them", async () => {
  const outside = "registry.example.com:443";
  const words = written({
    windows: shown(windowsProbe(pod)),
    "windows, for long": shown(windowsProbe(pod, true)),
    "windows, to the outside": shown(windowsProbe({ ...pod, outside })),
    "a witness": shown(witnessProbe(pod)),
    "a witness, to the outside": shown(witnessProbe({ ...pod, outside })),
    pull: shown(pullProbe("web-1", "win-1", pod.image)),
    linux: shown(linuxProbe({ ...pod, outside }, "10.132.0.5", NOBODY)),
    "linux, of the cluster's user": shown(linuxProbe(pod, "10.132.0.5", null)),
  });
  await expect(words).toMatchFileSnapshot("whole-probes.txt");
});

const running = { phase: "Pending" } as never;
const failed = (why: string, at = "2026-11-21T14:00:00Z") => ({
  ...{ reason: "Failed", at, message: `Failed to pull image "a": ${why}` },
});
const pulling = { reason: "Pulling", message: 'Pulling image "a"', at: "2026-11-21T14:00:00Z" };

test.each<readonly [string, Parameters<typeof judgePull>[0], object | null]>([
  ["still runs", { pod: running, events: [pulling], isLate: false }, null],
  [
    "was pulled",
    {
      pod: running,
      events: [{ ...pulling, reason: "Pulled", message: 'Successfully pulled image "a"' }],
      isLate: true,
    },
    { state: "pulled" },
  ],
  [
    "was on the node",
    {
      pod: running,
      events: [{ ...pulling, reason: "Pulled", message: "Container image already present" }],
      isLate: false,
    },
    null,
  ],
  [
    "lost its pod",
    { pod: null, events: [], isLate: false },
    { state: "unknown", why: "its pod was deleted by others" },
  ],
  [
    "was not begun in time",
    { pod: running, events: [], isLate: true },
    { state: "unknown", why: "the kubelet did not begin the pull in time" },
  ],
  [
    "shows no Events",
    { pod: running, events: null, isLate: true },
    { state: "unknown", why: "its Events cannot be read" },
  ],
  [
    "hangs",
    { pod: running, events: [pulling], isLate: true },
    {
      state: "failed",
      why: "the pull did not end in time: the mirror hangs, or `deadlines.mirrors.proof` is too short for the image",
    },
  ],
  ["fails early", { pod: running, events: [failed("no such host")], isLate: false }, null],
  [
    "fails late by its last error",
    {
      ...{ pod: running, isLate: true },
      events: [failed("timeout.", "2026-11-21T14:02:00Z"), failed("no such host", "2026-11-21T14:01:00Z")],
    },
    { state: "failed", why: "timeout" },
  ],
  [
    "wants a credential",
    { pod: running, events: [failed("rpc error: code = Unknown desc = 401 Unauthorized")], isLate: false },
    { state: "unknown", why: "the registry wants a credential (401 Unauthorized)" },
  ],
  [
    "is denied its credential",
    { pod: running, events: [failed("pull access denied")], isLate: false, signsIn: true },
    { state: "unauthorized", why: "pull access denied" },
  ],
  [
    "was evicted",
    { pod: { ended: "Evicted" } as never, events: [], isLate: false },
    { state: "unknown", why: "the kubelet did not run its pod (Evicted)" },
  ],
])("A pull that %s is judged by its Events", (_which, look, result) => {
  expect(judgePull(look)).toEqual(result);
});
