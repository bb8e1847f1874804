import type { ProbeState } from "../../../lambdas/health/probe.ts";

/** Images of probes for Windows Server 2022 and Linux. */
export const images = { "2022": "example.com/windows:1", linux: "example.com/linux:1" };

/** State of a probe's pod that no kubelet has started yet. */
export const pending: ProbeState = { exitCode: null, address: null, waiting: "", ended: "" };

/** State of a probe's pod that runs. */
export const listening: ProbeState = { ...pending, address: "10.128.3.4" };

/** State of a probe's pod that ended with this exit code. */
export const ended = (exitCode: number): ProbeState => ({ ...listening, exitCode });
