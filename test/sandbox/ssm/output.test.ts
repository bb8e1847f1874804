import { GetCommandInvocationCommand, ListCommandInvocationsCommand, SendCommandCommand } from "@aws-sdk/client-ssm";
import { describe, expect, it } from "vitest";
import { listOutputOf } from "../../../lib/sandbox/ssm/output.ts";
import { minutes } from "../machine/fixture.ts";
import { encoded, nameOf, ssmFixture } from "./fixture.ts";

describe("output", () => {
  it("keeps its beginning and the agent's mark: 24,000 and 8,000 characters of one invocation, 2,500 in a list", async () => {
    const fixture = ssmFixture();
    const id = await fixture.online(1);
    const input = { DocumentName: nameOf("observe"), InstanceIds: [id], Parameters: encoded({}) };
    const { Command } = await fixture.client.send(new SendCommandCommand(input));
    const commandId = Command?.CommandId as string;
    await fixture.clock.advance(minutes(3));
    const collection = fixture.simulation.store.collection<{ steps: { stdout: string; stderr: string }[] }>(
      "ssm-invocations",
    );
    const record = collection.get(`${commandId}/${id}`);
    const [step] = record?.steps ?? [];
    if (!record || !step) throw new Error("the command has not run");
    collection.set(`${commandId}/${id}`, {
      ...record,
      steps: [{ ...step, stdout: `${"o".repeat(24_000)}last line`, stderr: "e".repeat(9_000) }],
    });
    const seen = await fixture.client.send(new GetCommandInvocationCommand({ CommandId: commandId, InstanceId: id }));
    expect(seen.StandardOutputContent).toBe(`${"o".repeat(23_980)}--output truncated--`);
    expect(seen.StandardErrorContent).toHaveLength(8_000);
    const list = await fixture.client.send(new ListCommandInvocationsCommand({ CommandId: commandId, Details: true }));
    const shown = list.CommandInvocations?.[0]?.CommandPlugins?.[0]?.Output ?? "";
    expect(shown.length).toBeLessThanOrEqual(2_500);
    expect(shown).toMatch(/o\n---Output truncated---\n-{10}ERROR-{7}\ne+\n---Error truncated----$/);
  });

  it.each([
    ["short output and no errors whole", 100, 0, /^o{100}$/],
    ["short output and long errors", 100, 5_000, /^o{100}\n-{10}ERROR-{7}\ne+\n---Error truncated----$/],
    ["long output and short errors", 5_000, 100, /^o+\n---Output truncated---\n-{10}ERROR-{7}\ne{100}$/],
  ])("shows %s in a list, within 2,500 characters", (_, output, errors, shown) => {
    const step = { stdout: "o".repeat(output), stderr: "e".repeat(errors) };
    const text = listOutputOf(step as Parameters<typeof listOutputOf>[0]);
    expect(text).toMatch(shown);
    expect(text.length).toBeLessThanOrEqual(2_500);
  });
});
