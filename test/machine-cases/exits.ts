import { expect } from "vitest";
import type { Questions } from "../../lambdas/machine/questions.ts";
import type { MachineCase } from "./case.ts";
import { service } from "./windows.ts";

const asks = { script: "observe", exitCode: 0 } as const;

/** Questions whose answers are wanted whole. */
const whole = (questions: Questions) => () => ({ questions, whole: true });

const LOADED = Date.now();

/** A moment before these cases were loaded; the script counts from when it runs, up to half an hour later. */
const minutesAgo = (minutes: number): string => `${new Date(LOADED - minutes * 60_000).toISOString().slice(0, 19)}Z`;

/** Event of the Service Control Manager that a service ended unexpectedly. */
const crash = (name: string, id: 7031 | 7034, minutes: number) => ({
  ...{ at: minutesAgo(minutes), source: "Service Control Manager", id },
  text: `The ${name} service terminated unexpectedly. It has done this 1 time(s).`,
});

/** Event of the Service Control Manager that a service stopped with a code of its own. */
const stoppedWithError = (name: string, minutes: number) => ({
  ...{ at: minutesAgo(minutes), source: "Service Control Manager", id: 7024 },
  text: `The ${name} service terminated with the following service-specific error: Incorrect function.`,
});

/** Cases of observe.ps1 that is asked for unexpected exits of services. */
export const exits: readonly MachineCase[] = [
  {
    ...asks,
    name: "counts the unexpected exits of services within the last hour, each once, with the newest and the log's end",
    before: {
      services: { kubelet: service(), "kube-proxy": service(), containerd: service(), "csi-proxy": service() },
      log: [
        crash("kube-proxy", 7031, 90),
        stoppedWithError("kubelet", 28),
        ...[25, 20, 15].flatMap((minutes) => [
          stoppedWithError("kube-proxy", minutes),
          crash("kube-proxy", 7031, minutes),
        ]),
        { ...crash("containerd", 7034, 12), source: "Another provider" },
        crash("Another service", 7031, 10),
        crash("kube-proxy", 7034, 5),
      ],
    },
    files: { "C:\\var\\log\\kube-proxy.log": "panic: Authorization: Bearer canary-1234567890\n" },
    request: whole({
      exits: [
        { name: "containerd" },
        { name: "kubelet" },
        { name: "kube-proxy", log: "C:\\var\\log\\kube-proxy.log" },
        { name: "gone" },
      ],
    }),
    answers: {
      exits: [
        { name: "kubelet", times: 1, last: minutesAgo(28), log: "" },
        {
          name: "kube-proxy",
          times: 4,
          last: minutesAgo(5),
          log: expect.stringMatching(/^panic: Authorization: .*\[hidden\]$/),
        },
      ],
    },
  },
  {
    ...asks,
    name: "tells no exits where the log has none",
    before: { services: { kubelet: service() } },
    request: whole({ exits: [{ name: "kubelet" }] }),
    answers: { exits: [] },
  },
];
