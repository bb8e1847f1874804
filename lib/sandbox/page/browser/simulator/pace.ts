import { useRef } from "preact/hooks";

/** Milliseconds of the host over which the pace is measured. */
const SPAN_MS = 5_000;

/** A clock that reaches this share of its speed keeps up. */
const KEEPS_UP = 0.8;

interface Sample {
  readonly clock: number;
  readonly host: number;
}

/**
 * Measures how fast the sandbox's clock really runs, by its last seconds.
 * @param now ISO 8601: the sandbox's time
 * @param speed how fast it should run; another one begins a new measure, and so does a clock that was advanced
 * @param host milliseconds of the host's clock
 * @returns null while too little is known, and for a clock that keeps up
 */
export function usePace(now: string, speed: number, host: number): number | null {
  const measured = useRef<{ speed: number; samples: readonly Sample[] }>({ speed, samples: [] });
  const clock = Date.parse(now);
  const last = measured.current.samples.at(-1);
  const isAhead = last !== undefined && clock - last.clock > (host - last.host) * speed * 2 + 1_000;
  const kept = measured.current.speed === speed && !isAhead ? measured.current.samples : [];
  if (last?.clock !== clock || kept.length === 0)
    measured.current = { speed, samples: [...kept.filter((one) => host - one.host < SPAN_MS), { clock, host }] };
  const [first] = measured.current.samples;
  if (!first || host - first.host < SPAN_MS / 2) return null;
  const pace = (clock - first.clock) / (host - first.host);
  return pace < speed * KEEPS_UP ? pace : null;
}
