import type { Simulation } from "../core/simulation.ts";
import { json, type WireRequest, type WireResponse } from "../core/wire.ts";
import { fromOutside } from "./from-outside.ts";
import { type SeenMessage, seen } from "./message-log.ts";
import { type SlackUi, slackUi } from "./ui/slack-ui.ts";
import { webApi } from "./web-api.ts";
import { type SlackOptions, workspace } from "./workspace.ts";

/** The simulated Slack: one workspace with one installed app. */
export interface Slack {
  /** The Web API below /api/ and the response addresses. */
  answer(request: WireRequest): Promise<WireResponse>;
  /** Passes a request from outside on to the app: who signs it with the app's secret speaks for Slack. */
  fromOutside(request: WireRequest): Promise<WireResponse>;
  readonly ui: SlackUi;
  /** Messages that any user sees, oldest first: the control API's GET /messages. */
  messages(): SeenMessage[];
}

/**
 * Builds the simulated Slack. All its state is in the store, so a restarted process finds its messages,
 * dialogs and response addresses.
 * @param simulation the simulator's clock, store, randomness, faults and record of calls
 * @param options the workspace's data, the app's secrets and its request URL
 */
export function slack(simulation: Simulation, options: SlackOptions): Slack {
  const office = workspace(simulation, options);
  const api = webApi(office);
  return {
    answer: async (request) => {
      const answer = api.answer(request) ?? office.responseUrls.answer(request);
      return answer ?? json({ ok: false, error: "not_found" }, 404);
    },
    fromOutside: (request) => fromOutside(office, request),
    ui: slackUi(office),
    messages: () => office.messages.all().map(seen),
  };
}
