import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Refused, Retryable } from "../../../lambdas/errors.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const leases = () => simulator.as("provision-node").leases;

describe("The lease of a machine", () => {
  it("is taken once and is the same for its owner when the step runs again", async () => {
    const lease = await leases().take("i-01", "add-1:0");
    expect(lease).toEqual({ instanceId: "i-01", owner: "add-1:0", epoch: 1 });
    expect(await leases().take("i-01", "add-1:0")).toEqual(lease);
    await leases().check(lease);
  });

  it("is refused to everybody else, by the name of the operation that holds it", async () => {
    await leases().take("i-02", "add-1:3");
    const second = leases().take("i-02", "remove-2:0");
    await expect(second).rejects.toThrow(Refused);
    await expect(second).rejects.toThrow("i-02 belongs to the running operation add-1");
    expect(await leases().holder("i-02")).toBe("add-1");
  });

  it("goes to one of two who ask at the same moment; the other may ask again", async () => {
    const asked = await Promise.allSettled([leases().take("i-03", "add-1:0"), leases().take("i-03", "add-2:0")]);
    expect(asked.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(asked.find((one) => one.status === "rejected")?.reason).toBeInstanceOf(Retryable);
    const late = asked[0]?.status === "rejected" ? "add-1:0" : "add-2:0";
    await expect(leases().take("i-03", late)).rejects.toThrow(Refused);
  });

  it("is free after its release, and the next owner's epoch tells the two apart", async () => {
    const first = await leases().take("i-04", "add-1:0");
    await leases().release(first);
    expect(await leases().holder("i-04")).toBeUndefined();
    expect(await leases().take("i-04", "remove-2:0")).toMatchObject({ epoch: 2 });
    await expect(leases().check(first)).rejects.toThrow(Refused);
  });

  it("is not given back by somebody who lost it", async () => {
    const first = await leases().take("i-05", "add-1:0");
    await leases().release(first);
    const second = await leases().take("i-05", "add-1:0");
    await leases().release(first);
    await leases().check(second);
    await expect(leases().check(first)).rejects.toThrow("is no longer held by add-1:0");
  });

  it("does not hold what nobody took, and its release changes nothing", async () => {
    const never = { instanceId: "i-06", owner: "add-1:0", epoch: 1 };
    await leases().release(never);
    await expect(leases().check(never)).rejects.toThrow(Refused);
    expect(await leases().holder("i-06")).toBeUndefined();
  });
});
