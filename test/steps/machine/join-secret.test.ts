import { DeleteSecretCommand, GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clients } from "../../../lambdas/clients/clients.ts";
import { userNameOf } from "../../../lambdas/cluster/accounts.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import { join } from "../../../lambdas/profiles/okd/join.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const joinSecret = () => simulator.as("provision-node").joinSecret;
const create = (instanceId: string) => joinSecret().create(join, simulator.configuration, instanceId);

const readBy = (instanceId: string, name: string): Promise<string> => simulator.nodeRole.readSecret(instanceId, name);
const tokenIn = (secret: string): string => JSON.parse(JSON.parse(secret).kubeconfig).users[0].user.token;
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));

const [mine, other] = ["i-0aaaaaaaaaaaaaaaa", "i-0bbbbbbbbbbbbbbbb"];

describe("The secret that a machine joins with", () => {
  it("holds a token of the bootstrap account for ten minutes, of which only its id and its end are returned", async () => {
    const token = await create(mine);
    const secret = await readBy(mine, `casement/${demo.cluster.name}/join/${mine}`);
    const { sub, exp, iat, jti } = claimsOf(tokenIn(secret));
    expect({ sub, seconds: exp - iat }).toEqual({ sub: userNameOf(join.account), seconds: 600 });
    expect(token).toEqual({ id: jti, expiresAt: new Date(exp * 1000).toISOString() });
  });

  it("is read by its own machine only: not by another one, nor by a function", async () => {
    const name = joinSecret().nameOf(mine);
    await expect(readBy(other, name)).rejects.toMatchObject({ code: "AccessDeniedException" });
    const { secrets } = clients(simulator.settings("provision-node"), simulator.transport);
    const read = secrets.send(new GetSecretValueCommand({ SecretId: name }));
    await expect(read).rejects.toMatchObject({ name: "AccessDeniedException" });
  });

  it("is made afresh when the step runs again: an old token would run out too soon", async () => {
    const first = await create(other);
    const name = joinSecret().nameOf(other);
    const before = tokenIn(await readBy(other, name));
    await simulator.pass(60);
    await expect(create(other)).rejects.toThrow(Retryable);
    const second = await create(other);
    expect(second.id).not.toBe(first.id);
    const after = tokenIn(await readBy(other, name));
    expect(claimsOf(after).jti).toBe(second.id);
    expect(claimsOf(after).exp - claimsOf(before).exp).toBeGreaterThanOrEqual(60);
  });

  it("is made although one of its name waits for the day of its deletion", async () => {
    const instanceId = "i-0cccccccccccccccc";
    await create(instanceId);
    const name = joinSecret().nameOf(instanceId);
    const { secrets } = clients(simulator.settings("provision-node"), simulator.transport);
    await secrets.send(new DeleteSecretCommand({ SecretId: name, RecoveryWindowInDays: 7 }));
    await expect(create(instanceId)).rejects.toThrow(Retryable);
    const { id } = await create(instanceId);
    expect(claimsOf(tokenIn(await readBy(instanceId, name))).jti).toBe(id);
    await joinSecret().remove(instanceId);
  });

  it("is gone at once when it is removed, and removing it twice is the same", async () => {
    const name = joinSecret().nameOf(mine);
    await readBy(mine, name);
    await joinSecret().remove(mine);
    await joinSecret().remove(mine);
    await expect(readBy(mine, name)).rejects.toThrow();
  });

  it("is not made when the cluster gives no token", async () => {
    const made = simulator.as("look").joinSecret.create(join, simulator.configuration, "i-0cccccccccccccccc");
    await expect(made).rejects.toThrow();
    await expect(readBy("i-0cccccccccccccccc", joinSecret().nameOf("i-0cccccccccccccccc"))).rejects.toThrow();
  });
});
