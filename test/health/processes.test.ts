import { expect, test } from "vitest";
import { notRestarted, processesOf, restarted } from "../../lambdas/health/processes.ts";
import { answers } from "./health-facts.ts";

const processes = processesOf(answers);

test("the processes of a look are those of its services", () => {
  expect(processes).toEqual({ containerd: 4711, kubelet: 4711, proxy: 4711, hns: 4711 });
  expect(processesOf({})).toEqual({});
});

test("a service with another process was started again; one that was not asked before was not", () => {
  expect(restarted(processes, processes)).toBeNull();
  expect(restarted(processes, { ...processes, kubelet: 4712 })).toBe("kubelet");
  expect(restarted({}, processes)).toBeNull();
});

test("a service that runs in the process from before a restart was not restarted; one that ended was", () => {
  expect(notRestarted(processes, processes)).toBe("containerd");
  expect(notRestarted(processes, { containerd: 1, kubelet: 2, other: 4711 })).toBeNull();
  expect(notRestarted(processes, { containerd: 1, kubelet: 0 })).toBeNull();
  expect(notRestarted({ kubelet: 0 }, { kubelet: 0 })).toBeNull();
});
