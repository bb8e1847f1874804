import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { usePace } from "./pace.ts";

const SPEEDS = [1, 10, 60, 300];

const JUMPS = [
  { seconds: 60, label: "+1 min" },
  { seconds: 600, label: "+10 min" },
  { seconds: 3_600, label: "+1 h" },
];

const time = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

/** The sandbox's clock, its speed, and ways to get ahead of it. */
export function ClockBar({ now, speed, again }: { now: string; speed: number; again: () => void }) {
  const [busy, setBusy] = useState(false);
  const pace = usePace(now, speed, performance.now());
  const order = async (what: Parameters<typeof api.clock>[0]): Promise<void> => {
    setBusy(true);
    await api.clock(what).catch(() => undefined);
    setBusy(false);
    again();
  };
  return (
    <div class="clock">
      <time dateTime={now} title="The sandbox's time">
        {time.format(new Date(now))} <small>UTC</small>
      </time>
      <fieldset>
        <legend class="unseen">Speed</legend>
        {[...new Set([...SPEEDS, speed])].map((one) => (
          <button
            type="button"
            key={one}
            aria-pressed={one === speed}
            disabled={busy}
            onClick={() => order({ speed: one })}
          >
            {one}×{one === speed && pace !== null && ` (now ${pace < 10 ? pace.toFixed(1) : Math.round(pace)}×)`}
          </button>
        ))}
      </fieldset>
      <fieldset>
        <legend class="unseen">Advance</legend>
        {JUMPS.map(({ seconds, label }) => (
          <button type="button" key={label} disabled={busy} onClick={() => order({ advance: seconds })}>
            {label}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
