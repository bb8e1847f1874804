import { expect, test } from "vitest";
import { drainByKubectl } from "../../bench/drain-peer.ts";

// Measured on a real API server 1.34 with the controller manager's defaults: 64 s, 300 × 201, 12 × 429, 328 GET of pods.
test("kubectl drain takes about the time and the requests on the simulated server that it takes on a real one", {
  timeout: 400_000,
}, async () => {
  const { seconds, requests, byAnswer } = await drainByKubectl();
  expect(byAnswer["create pods/eviction 201"]).toBe(300);
  expect(byAnswer["get pods 404"]).toBe(300);
  expect(byAnswer["list pods 200"]).toBe(1);
  expect(byAnswer["create pods/eviction 429"] ?? 0).toBeLessThan(100);
  expect(requests).toBeGreaterThan(600);
  // A busy host answers later, and kubectl asks for a pod that still leaves once a second.
  expect(requests).toBeLessThan(1_200);
  expect(seconds).toBeGreaterThan(50);
  expect(seconds).toBeLessThan(120);
});
