import { expect, test } from "vitest";
import { notRestarted, processesOf, restarted } from "../../../lambdas/capabilities/reboot/processes.ts";
import { answers } from "../../health/health-facts.ts";

const processes = processesOf(answers);

/** A kubelet's answer. */
const service = (process: number, startedAt: string | null) => ({
  name: "kubelet",
  state: "Running",
  startType: "Automatic",
  exitCode: 0,
  process,
  startedAt,
  log: "",
});

test("the processes of a look are those of its services", () => {
  expect(processesOf({ services: [service(4711, "2026-11-20T10:00:00Z")] })).toEqual({
    kubelet: "4711 2026-11-20T10:00:00Z",
  });
  expect(processesOf({ services: [service(4711, null)] })).toEqual({ kubelet: "4711" });
  expect(processesOf({ services: [service(0, null)] })).toEqual({ kubelet: null });
  expect(processesOf({})).toEqual({});
});

test("a service with another process was started again; one that was not asked before was not", () => {
  expect(restarted(processes, processes)).toBeNull();
  expect(restarted(processes, { ...processes, kubelet: "4712" })).toBe("kubelet");
  expect(restarted({}, processes)).toBeNull();
});

test("a service that runs in the process from before a restart was not restarted; one that ended was", () => {
  expect(notRestarted(processes, processes)).toBe("containerd");
  expect(notRestarted(processes, { containerd: "1", kubelet: "2", other: "4711" })).toBeNull();
  expect(notRestarted(processes, { containerd: "1", kubelet: null })).toBeNull();
  expect(notRestarted({ kubelet: null }, { kubelet: null })).toBeNull();
});

test("a process that got the id of the one before it is another process", () => {
  const before = processesOf({ services: [service(4711, "2026-11-20T10:00:00Z")] });
  const after = processesOf({ services: [service(4711, "2026-11-20T10:05:00Z")] });
  expect(notRestarted(before, after)).toBeNull();
  expect(restarted(before, after)).toBe("kubelet");
});
