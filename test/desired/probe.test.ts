import { expect, it } from "vitest";
import { judgeProbe, type ProbeState } from "../../lambdas/desired/probe.ts";

const running: ProbeState = { exitCode: null, address: "10.132.0.5", waiting: "" };
const starting: ProbeState = { exitCode: null, address: null, waiting: "ContainerCreating" };
const ended = (exitCode: number): ProbeState => ({ ...running, exitCode });
const unpulled: ProbeState = { ...starting, waiting: "ImagePullBackOff" };

it.for([
  ["that ended well", ended(0), null, false, { state: "works" }],
  ["that resolves nothing", ended(11), null, false, { state: "fails", fault: "dns", from: null }],
  ["that does not reach the API", ended(12), null, false, { state: "fails", fault: "api", from: null }],
  ["that reaches the metadata service", ended(13), null, false, { state: "fails", fault: "metadata", from: null }],
  ["that was not reached", ended(14), running, false, { state: "fails", fault: "unreached", from: "lin" }],
  ["that another node cannot reach", running, ended(15), false, { state: "fails", fault: "unreached", from: "lin" }],
  ["that runs", running, running, false, null],
  ["that does not start", starting, null, true, { state: "fails", fault: "start", from: null }],
  ["that still starts", starting, null, false, null],
] as const)("a probe %s is judged so", ([, windows, linux, isLate, result]) => {
  expect(judgeProbe(windows, linux, "lin", isLate)).toEqual(result);
});

it.for([
  ["its image cannot be pulled", unpulled, null, true],
  ["the image of the other half cannot be pulled", running, unpulled, false],
  ["it ends with a code that is none of its own", ended(1), null, false],
  ["it runs on and on", running, running, true],
] as const)("a node is not probed, never dead, when %s", ([, windows, linux, isLate]) => {
  expect(judgeProbe(windows, linux, "lin", isLate)).toMatchObject({ state: "not-probed" });
});
