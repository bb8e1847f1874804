import { z } from "zod";
import { json, textOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import { type Shown, UiError } from "../slack/ui/exchange.ts";
import type { Press, SlackUi } from "../slack/ui/slack-ui.ts";

const input = z.union([z.string(), z.array(z.string())]);

const click = { actionId: z.string(), blockId: z.string().optional(), value: input.optional() };

const bodies = {
  type: z.strictObject({
    userId: z.string(),
    channelId: z.string(),
    text: z.string(),
    threadTs: z.string().optional(),
  }),
  press: z.strictObject({
    userId: z.string(),
    press: z.union([
      z.strictObject({ ...click, channel: z.string(), messageTs: z.string() }),
      z.strictObject({ ...click, viewId: z.string() }),
    ]),
  }),
  submit: z.strictObject({ userId: z.string(), viewId: z.string(), values: z.record(z.string(), input) }),
  close: z.strictObject({ userId: z.string(), viewId: z.string() }),
};

type Act = (request: WireRequest) => Promise<WireResponse>;

function bodyOf<T>(schema: z.ZodType<T>, request: WireRequest): { body: T } | { fault: string } {
  try {
    const checked = schema.safeParse(JSON.parse(textOf(request)));
    return checked.success ? { body: checked.data } : { fault: z.prettifyError(checked.error) };
  } catch {
    return { fault: "The body is not JSON." };
  }
}

/** An endpoint that acts for a person: 400 for a wrong body, 409 for what Slack's own window would not offer. */
const acting =
  <T>(schema: z.ZodType<T>, act: (body: T) => Promise<Shown>): Act =>
  async (request) => {
    const read = bodyOf(schema, request);
    if ("fault" in read) return json({ error: read.fault }, 400);
    try {
      return json(await act(read.body));
    } catch (error) {
      if (error instanceof UiError) return json({ error: error.message }, 409);
      throw error;
    }
  };

/** Without the fields that are there but undefined, as exact optional fields want it. */
const present = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;

/**
 * Acts of people on the page, by path: the same that Slack's window offers.
 * @returns endpoints whose answers are what the person sees right after the act
 */
export const acts = (ui: SlackUi): Readonly<Record<string, Act>> => ({
  "/page/type": acting(bodies.type, ({ userId, channelId, text, threadTs }) =>
    ui.type(userId, channelId, text, threadTs),
  ),
  "/page/press": acting(bodies.press, ({ userId, press }) => ui.press(userId, present(press) as Press)),
  "/page/submit": acting(bodies.submit, ({ userId, viewId, values }) => ui.submit(userId, viewId, values)),
  "/page/close": acting(bodies.close, ({ userId, viewId }) => ui.close(userId, viewId)),
});
