import { expect, it } from "vitest";
import {
  judgeProbe,
  judgeStart,
  type ProbeEvent,
  type ProbeObservation,
  type ProbeState,
} from "../../lambdas/health/probe.ts";

const running: ProbeState = { exitCode: null, address: "10.132.0.5", waiting: "", ended: "" };
const creating: ProbeState = { exitCode: null, address: null, waiting: "ContainerCreating", ended: "" };
const ended = (exitCode: number): ProbeState => ({ ...running, exitCode });
const waits = (waiting: string): ProbeState => ({ ...creating, waiting });
const rejected = (why: string): ProbeState => ({ exitCode: null, address: null, waiting: "", ended: why });

const event = (reason: string, minute: number, message = "words of the kubelet"): ProbeEvent => ({
  reason,
  message,
  at: `2026-11-21T03:0${minute}:00Z`,
});
const sandbox = (minute: number, message = 'plugin type="win-overlay" failed (add)') =>
  event("FailedCreatePodSandBox", minute, `Failed to create pod sandbox: rpc error: ${message}`);

const look = (more: Partial<ProbeObservation>): ProbeObservation => ({
  windows: running,
  linux: null,
  from: "lin",
  outside: undefined,
  isLate: false,
  events: [],
  ...more,
});

it.for([
  ["that ended well", { windows: ended(0) }, { state: "works" }],
  ["that resolves nothing", { windows: ended(11) }, { state: "fails", fault: "dns", from: null }],
  ["that does not reach the API", { windows: ended(12) }, { state: "fails", fault: "api", from: null }],
  ["that reaches the metadata service", { windows: ended(13) }, { state: "fails", fault: "metadata", from: null }],
  ["that its own host cannot reach", { windows: ended(16) }, { state: "fails", fault: "host", from: null }],
  [
    "that another node cannot reach while it listens",
    { linux: ended(15) },
    { state: "fails", fault: "unreached", from: "lin" },
  ],
  [
    "that does not leave the cluster, while another node's does",
    { windows: ended(17), linux: ended(0), outside: "registry.example.com:443" },
    { state: "fails", fault: "outside", from: null, words: "registry.example.com:443" },
  ],
  [
    "that does not leave the cluster, while another node's still tries",
    { windows: ended(17), linux: running, outside: "registry.example.com:443" },
    null,
  ],
  ["that still waits, while another node's does not leave the cluster", { linux: ended(17) }, null],
  ["that runs", { linux: running }, null],
  ["that still starts", { windows: creating }, null],
  ["whose other half still starts", { linux: waits("ContainerCreating") }, null],
] as const)("a probe %s is judged so", ([, seen, result]) => {
  expect(judgeProbe(look(seen))).toEqual(result);
});

it("a node whose kubelet cannot create the sandbox of a pod is dead, by the word of the kubelet's event", () => {
  const events = [event("Scheduled", 0), sandbox(1), sandbox(3)];
  expect(judgeProbe(look({ windows: creating, isLate: true, events }))).toEqual({
    state: "fails",
    fault: "start",
    from: null,
    words: expect.stringContaining("win-overlay"),
  });
});

it.for([
  [
    "its image cannot be pulled",
    { windows: waits("ImagePullBackOff: no basic auth") },
    "ImagePullBackOff: no basic auth",
  ],
  ["its image failed to be pulled once", { windows: waits("ErrImagePull") }, "ErrImagePull"],
  [
    "the other half's image cannot be pulled",
    { linux: waits("ImagePullBackOff") },
    "image of the pod on `lin` cannot be pulled (ImagePullBackOff)",
  ],
  [
    "the other half may not run as root",
    { linux: waits("CreateContainerConfigError: runAsNonRoot") },
    "on `lin` cannot start (CreateContainerConfigError: runAsNonRoot)",
  ],
  ["it ends with a code that is none of its own", { windows: ended(1) }, "exit code 1"],
  [
    "the other half ends with a code that is none of its own",
    { linux: ended(127) },
    "on `lin` ended with exit code 127",
  ],
  [
    "no node's pods leave the cluster",
    { windows: ended(17), linux: ended(17), outside: "registry.example.com:443" },
    "`registry.example.com:443` is reached neither from the node nor from `lin`",
  ],
  ["it runs on and on", { linux: running, isLate: true }, "did not end in time"],
  [
    "the kubelet rejects it",
    { windows: rejected("OutOfpods: too many") },
    "the kubelet of the node did not run it (OutOfpods: too many)",
  ],
  [
    "the kubelet of the other half rejects that",
    { linux: rejected("NodeAffinity") },
    "the kubelet of `lin` did not run it (NodeAffinity)",
  ],
  [
    "the time of the cluster for it is over",
    { windows: { ...running, ended: "DeadlineExceeded" } },
    "DeadlineExceeded",
  ],
  ["no half was made that could reach it", { windows: ended(14) }, "no pod on `lin` tried to reach it"],
  [
    "the half that reaches it has not run",
    { windows: ended(14), linux: waits("ContainerCreating") },
    "on `lin` had not started (ContainerCreating)",
  ],
  ["the half that reaches it began late", { windows: ended(14), linux: running }, "on `lin` began too late"],
  ["both halves ended unseen", { windows: ended(14), linux: ended(15) }, "on `lin` began too late"],
  [
    "its image is still being pulled",
    { windows: creating, isLate: true, events: [event("Pulling", 1)] },
    "its image was still being pulled",
  ],
  [
    "a sandbox that failed at first was made later",
    { windows: creating, isLate: true, events: [event("Pulling", 3), sandbox(1)] },
    "its image was still being pulled",
  ],
  [
    "the sandbox lacks an image of its own",
    {
      windows: creating,
      isLate: true,
      events: [sandbox(2, 'failed to get sandbox image "pause": failed to pull image')],
    },
    "failed to get sandbox image",
  ],
  ["the kubelet says nothing about it", { windows: creating, isLate: true }, "its kubelet did not start it in time"],
  [
    "its events cannot be read",
    { windows: creating, isLate: true, events: null },
    "the account act may not read its Events",
  ],
] as const)("a node is not probed, never dead, when %s", ([, seen, why]) => {
  expect(judgeProbe(look(seen))).toEqual({ state: "not-probed", why: expect.stringContaining(why) });
});

it.for([
  ["that has an address has started", running, false, { isStarted: true }],
  ["that is being created may start", creating, false, null],
  ["that is late did not start", creating, true, { isStarted: false, why: "it did not start in time" }],
  ["that others deleted did not start", null, false, { isStarted: false, why: "it was deleted by others" }],
  [
    "that its kubelet rejects did not start",
    rejected("OutOfpods"),
    false,
    { isStarted: false, why: "the kubelet of the node did not run it (OutOfpods)" },
  ],
] as const)("a pod that is to wait for a connection and %s", ([, windows, isLate, start]) => {
  expect(judgeStart(windows, isLate)).toEqual(start);
});
