import type { ComponentChildren } from "preact";

/** One part of the live half, with its count and what it says while it is empty. */
export function Panel(props: { title: string; count: number; empty: string; children: ComponentChildren }) {
  const { title, count, empty, children } = props;
  return (
    <section class="panel" aria-label={title}>
      <h2>
        {title} <small>{count}</small>
      </h2>
      {count === 0 && <p class="empty">{empty}</p>}
      {children}
    </section>
  );
}

/** Content that is rarely needed: one line until a click opens it. */
export const Fold = ({ count, what, children }: { count: number; what: string; children: ComponentChildren }) =>
  count === 0 ? null : (
    <details class="rest">
      <summary>
        {count} {what}
      </summary>
      {children}
    </details>
  );

/** Appearance of a state: good, on its way, bad, or over. */
type Tone = "good" | "busy" | "bad" | "over";

const tones: Readonly<Record<string, Tone>> = {
  running: "good",
  Online: "good",
  Ready: "good",
  succeeded: "good",
  pending: "busy",
  waiting: "busy",
  "shutting-down": "busy",
  stopping: "busy",
  "Ready,SchedulingDisabled": "busy",
  NotReady: "bad",
  "NotReady,SchedulingDisabled": "bad",
  ConnectionLost: "bad",
  "Connection Lost": "bad",
  failed: "bad",
};

/** A state as a word with a coloured dot; the word alone says it all. */
export const State = ({ state, tone = tones[state] ?? "over" }: { state: string; tone?: Tone }) => (
  <span class={`state ${tone}`}>{state}</span>
);
