import { chunksOf, numbered } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import type { FleetOutcome } from "../../engine/fleet-outcome.ts";
import { observeFleet, sendToFleet } from "../../engine/run-fleet.ts";
import { calledOffBefore } from "../../messages/node/guard.ts";
import { cancelledBy } from "../operation/requester.ts";
import type { FleetMachine, FleetOperation, Member, Outcome, RoundNames, SendPlan } from "./row.ts";

const outcomeOf = (outcome: FleetOutcome<true> | undefined): Outcome => {
  if (outcome?.state === "done") return { state: "changed" };
  const { why, code } = outcome ?? { why: "SSM did not answer for it" };
  const state = why === calledOffBefore ? "cancelled" : "failed";
  return { state, why, ...(code === undefined ? {} : { code }) };
};

/** Plans each group of machines, 50 in one step. */
async function planned<M extends FleetMachine>(
  { ctx }: FleetOperation,
  { plan, groupOf = () => "" }: SendPlan<M>,
  names: Pick<RoundNames, "plan" | "send">,
  members: readonly Member<M>[],
) {
  const groups = [...Map.groupBy(members, groupOf).values()].flatMap(chunksOf);
  const machines = [];
  for (const [at, group] of groups.entries()) {
    const request = await step(ctx, numbered(names.plan, at), () => plan(group, numbered(names.send, at)));
    machines.push(...group.map(({ lease }) => ({ lease, request })));
  }
  return machines;
}

/** Observes the machines that were changed, even if the operation was cancelled since. */
const verified = <M extends FleetMachine>(
  { ctx, steps, operation }: FleetOperation,
  { minutes }: SendPlan<M>,
  members: readonly Member<M>[],
  read: NonNullable<SendPlan<M>["verify"]>,
): Promise<ReadonlyMap<string, FleetOutcome<true>>> =>
  observeFleet<true>(
    ctx,
    steps,
    members.map(({ instanceId }) => ({ instanceId, request: {} })),
    { owner: operation, name: "verify", minutes, cancelledBy: async () => null, read },
  );

/**
 * Changes machines, 50 in one command, and verifies each machine that was changed.
 * @returns a function that tells the outcome of each of them
 */
export async function sendRound<M extends FleetMachine>(
  op: FleetOperation,
  sending: SendPlan<M>,
  names: Pick<RoundNames, "plan" | "send">,
  members: readonly Member<M>[],
): Promise<(member: Pick<Member, "instanceId">) => Outcome> {
  const { ctx, steps, operation } = op;
  const { script, minutes, read, verify } = sending;
  const machines = await planned(op, sending, names, members);
  const sent = await sendToFleet<true>(
    ctx,
    steps,
    { script, machines },
    {
      owner: operation,
      name: names.send,
      minutes,
      cancelledBy: () => cancelledBy(steps, operation),
      read,
    },
  );
  const sentTo = ({ instanceId }: Pick<Member, "instanceId">): Outcome => outcomeOf(sent.get(instanceId));
  const changed = members.filter((member) => sentTo(member).state === "changed");
  if (!verify || changed.length === 0) return sentTo;
  const seen = await verified(op, sending, changed, verify);
  return (member) => {
    const outcome = sentTo(member);
    return outcome.state === "changed" ? outcomeOf(seen.get(member.instanceId)) : outcome;
  };
}
