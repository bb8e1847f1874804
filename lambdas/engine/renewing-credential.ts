import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Renewal } from "../cluster/credential-watch.ts";
import type { Workflow } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { step } from "./durable.ts";

/** Asks a function to renew the credential of its own account, instead of doing its work. */
export interface RenewCredential {
  readonly renew: "credential";
}

const asksToRenew = (payload: object): payload is RenewCredential => "renew" in payload;

/** Renews the credential of the account that this function has. */
export const renewOwn = (steps: Steps, ctx: DurableContext): Promise<Renewal> =>
  step(ctx, "renew the credential", () => steps.credential.renew());

/** A workflow that also renews the credential of its account: no other function can read that. */
export const renewingCredential =
  <Payload extends object>(workflow: Workflow<Payload>): Workflow<Payload | RenewCredential> =>
  (steps) => {
    const work = workflow(steps);
    return (payload, ctx) => (asksToRenew(payload) ? renewOwn(steps, ctx) : work(payload, ctx));
  };
