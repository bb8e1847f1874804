import type { Snapshot } from "../snapshot.ts";
import type { Setting } from "../vocabulary.ts";

/** A block or an element: what it holds depends on its type, as Block Kit's reference says. */
export type Kit = { readonly type: string; readonly [field: string]: unknown };

/** A message in the shape of the control API. */
export interface Message {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs?: string;
  readonly onlyTo?: string;
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly Kit[];
  /** A reply that the channel shows too. */
  readonly broadcast?: boolean;
  readonly edited: boolean;
}

/** An open dialog. */
export interface View {
  readonly id: string;
  readonly blocks: readonly Kit[];
  readonly title: { readonly text: string };
  readonly submit: { readonly text: string } | null;
  readonly close: { readonly text: string } | null;
}

/** View that one person has of Slack. */
export interface SlackView {
  readonly messages: readonly Message[];
  readonly views: readonly View[];
}

/** An element of a message or of a dialog, and what is chosen in it when it offers a choice. */
export type Press = { readonly actionId: string; readonly blockId: string; readonly value?: Input } & (
  | { readonly channel: string; readonly messageTs: string }
  | { readonly viewId: string }
);

/** Input of a person: text, an option's value, or several. */
export type Input = string | readonly string[];

/** Inputs in a dialog, by block id. */
export type Values = Readonly<Record<string, Input>>;

/** Messages, complaints and dialogs that a person sees right after an act. */
export interface Shown {
  /** Slack's own sentence when the app did not answer as it must. */
  readonly notice: string | null;
  /** Complaints under the fields of a dialog, by block id. */
  readonly complaints: Readonly<Record<string, string>>;
}

/** Kinds of faults and faults in force, in the shape of GET /faults. */
export interface FaultList {
  readonly kinds: readonly {
    readonly kind: string;
    readonly sentence: string;
    readonly fields: Readonly<Record<string, string>>;
  }[];
  readonly inForce: readonly {
    readonly id: string;
    readonly kind: string;
    readonly match: Readonly<Record<string, string>>;
    readonly count?: number;
  }[];
}

async function answered<T>(response: Response): Promise<T> {
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? `The sandbox answered ${response.status}.`);
  return body;
}

const get = async <T>(path: string): Promise<T> => answered(await fetch(path));

const send = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
  answered(
    await fetch(path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );

/** The server of this page; each call throws an Error with a sentence to show. */
export const api = {
  setting: () => get<Setting>("/page/setting"),
  slack: (userId: string) => get<SlackView>(`/page/desk?as=${encodeURIComponent(userId)}`),
  snapshot: () => get<Snapshot>("/page/world"),
  faults: () => get<FaultList>("/page/control/faults"),
  type: (userId: string, channelId: string, text: string, threadTs?: string) =>
    send<Shown>("POST", "/page/type", { userId, channelId, text, threadTs }),
  press: (userId: string, press: Press) => send<Shown>("POST", "/page/press", { userId, press }),
  submit: (userId: string, viewId: string, values: Values) =>
    send<Shown>("POST", "/page/submit", { userId, viewId, values }),
  close: (userId: string, viewId: string) => send<Shown>("POST", "/page/close", { userId, viewId }),
  clock: (order: { speed: number } | { advance: number }) => send("POST", "/page/control/clock", order),
  inject: (kind: string, match: Record<string, string>, count: number | undefined) =>
    send("POST", "/page/control/faults", { kind, match, ...(count === undefined ? {} : { count }) }),
  end: (id: string) => send("DELETE", `/page/control/faults/${encodeURIComponent(id)}`),
};
