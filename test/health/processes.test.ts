import { expect, test } from "vitest";
import { processesOf, restarted } from "../../lambdas/health/processes.ts";
import { answers } from "./health-facts.ts";

const processes = processesOf(answers);

test("the processes of a look are those of its services", () => {
  expect(processes).toEqual({ containerd: 4711, kubelet: 4711 });
  expect(processesOf({})).toEqual({});
});

test("a service with another process was started again; one that was not asked before was not", () => {
  expect(restarted(processes, processes)).toBeNull();
  expect(restarted(processes, { ...processes, kubelet: 4712 })).toBe("kubelet");
  expect(restarted({}, processes)).toBeNull();
});
