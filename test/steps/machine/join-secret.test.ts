import { DeleteSecretCommand, GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clients } from "../../../lambdas/clients/clients.ts";
import { JOIN_USER } from "../../../lambdas/desired/cluster-access.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import { town } from "../../../lib/sandbox/town.ts";
import { type Stand, stand } from "../ground.ts";

let ground: Stand;
beforeAll(async () => {
  ground = await stand();
});
afterAll(() => ground.close());

const joinSecret = () => ground.as("provision-node").joinSecret;
const create = (instanceId: string) => joinSecret().create(ground.configuration, instanceId);

const readBy = (instanceId: string, name: string): Promise<string> => ground.nodeRole.readSecret(instanceId, name);
const tokenIn = (secret: string): string => JSON.parse(JSON.parse(secret).kubeconfig).users[0].user.token;
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));

const [mine, other] = ["i-0aaaaaaaaaaaaaaaa", "i-0bbbbbbbbbbbbbbbb"];

describe("The secret that a machine joins with", () => {
  it("holds a token of the bootstrap account for ten minutes, of which only its id and its end are returned", async () => {
    const token = await create(mine);
    const secret = await readBy(mine, `casement/${town.cluster.name}/join/${mine}`);
    const { sub, exp, iat, jti } = claimsOf(tokenIn(secret));
    expect({ sub, seconds: exp - iat }).toEqual({ sub: JOIN_USER, seconds: 600 });
    expect(token).toEqual({ id: jti, expiresAt: new Date(exp * 1000).toISOString() });
  });

  it("is read by its own machine only: not by another one, nor by a function", async () => {
    const name = joinSecret().nameOf(mine);
    await expect(readBy(other, name)).rejects.toMatchObject({ code: "AccessDeniedException" });
    const { secrets } = clients(ground.settings("provision-node"), ground.transport);
    const read = secrets.send(new GetSecretValueCommand({ SecretId: name }));
    await expect(read).rejects.toMatchObject({ name: "AccessDeniedException" });
  });

  it("is made afresh when the step runs again: an old token would run out too soon", async () => {
    const first = await create(other);
    const name = joinSecret().nameOf(other);
    const before = tokenIn(await readBy(other, name));
    await ground.pass(60);
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
    const { secrets } = clients(ground.settings("provision-node"), ground.transport);
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
    const made = ground.as("look").joinSecret.create(ground.configuration, "i-0cccccccccccccccc");
    await expect(made).rejects.toThrow();
    await expect(readBy("i-0cccccccccccccccc", joinSecret().nameOf("i-0cccccccccccccccc"))).rejects.toThrow();
  });
});
