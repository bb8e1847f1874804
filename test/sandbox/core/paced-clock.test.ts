import { expect, test } from "vitest";
import { sleep } from "../../../lib/sandbox/core/clock.ts";
import { pacedClock } from "../../../lib/sandbox/core/paced-clock.ts";

const START = Date.UTC(2026, 10, 21);
const still = async (): Promise<void> => undefined;

test("time that was shown was promised before: who begins at the promise never goes back", async () => {
  let reached = START;
  const clock = pacedClock(START, 10_000, (time) => {
    reached = time;
  });
  for (let look = 0; look < 200; look += 1) {
    expect(clock.now()).toBeLessThanOrEqual(reached);
    await new Promise((resolve) => setImmediate(resolve));
  }
  clock.after(1_800_000, () => expect(clock.now()).toBeLessThanOrEqual(reached));
  await clock.advance(3_600_000, still);
  expect(clock.now()).toBeGreaterThanOrEqual(START + 3_600_000);
  expect(clock.now()).toBeLessThanOrEqual(reached);
  clock.stop();
});

test("a clock that is stopped leaves its very time behind", () => {
  let reached = 0;
  const clock = pacedClock(START, 10, (time) => {
    reached = time;
  });
  clock.stop();
  expect(reached - clock.now()).toBeLessThanOrEqual(1);
});

test.each([300, 10_000])("at speed %i a run that is killed loses half a minute at most", async (speed) => {
  const promised: number[] = [];
  const clock = pacedClock(START, speed, (time) => {
    promised.push(time - clock.now());
  });
  await clock.advance(3_600_000, still);
  clock.now();
  expect(promised.length).toBeGreaterThan(0);
  for (const lead of promised) expect(lead).toBeLessThanOrEqual(30_000);
  clock.stop();
});

test("a clock that is held stands still, and goes on where it stood", async () => {
  const clock = pacedClock(START, 10_000);
  const goOn = clock.hold();
  const held = clock.now();
  let done = false;
  clock.after(1_000, () => {
    done = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([clock.now(), done]).toEqual([held, false]);
  goOn();
  expect(clock.now() - held).toBeLessThan(30 * 10_000);
  await new Promise<void>((resolve) => clock.after(2_000, resolve));
  expect(done).toBe(true);
  clock.stop();
});

test("a clock that is held can be moved, and runs from then on", async () => {
  const clock = pacedClock(START, 1_000);
  const goOn = clock.hold();
  await clock.advance(60_000, still);
  const moved = clock.now();
  goOn();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(moved).toBeGreaterThanOrEqual(START + 60_000);
  expect(clock.now()).toBeGreaterThan(moved);
  clock.stop();
});

test("what is due happens in its order while time is moved", async () => {
  const clock = pacedClock(START, 1e-9);
  const seen: string[] = [];
  const note = (name: string) => () => void seen.push(`${name} ${(clock.now() - START) / 1_000}`);
  clock.after(2_000, note("second"));
  clock.after(1_000, () => {
    note("first")();
    clock.after(500, note("between"));
  });
  clock.after(9_000, note("too late"));
  await clock.advance(5_000, still);
  expect(seen).toEqual(["first 1", "between 1.5", "second 2"]);
  expect(clock.now()).toBe(START + 5_000);
  clock.stop();
});

test("two moves follow each other, so that time never goes back", async () => {
  const clock = pacedClock(START, 1e-9);
  const times: number[] = [];
  const settle = async (): Promise<void> => {
    times.push(clock.now());
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let second = 1; second <= 20; second += 1) void sleep(clock, second * 1_000);
  await Promise.all([clock.advance(10_000, settle), clock.advance(5_000, settle)]);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(clock.now()).toBe(START + 15_000);
  clock.stop();
});

test("a clock that is stopped while it is moved stays where it is", async () => {
  const clock = pacedClock(START, 1e-9);
  clock.after(1_000, clock.stop);
  clock.after(2_000, () => expect.unreachable());
  await clock.advance(60_000, still);
  expect(clock.now()).toBe(START + 1_000);
});

/** Keeps the process from doing anything else. */
const busyFor = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

test("on a host that comes too late everything happens at its own moment, and follows from what came before", async () => {
  // A pause of the host's own between two moments is short beside the two seconds that are twenty milliseconds here.
  const clock = pacedClock(START, 100);
  const seen: string[] = [];
  const note = (name: string) => void seen.push(name);
  const inSteps = async (): Promise<void> => {
    const begin = clock.now();
    await sleep(clock, 2_000);
    await sleep(clock, 2_000);
    note(`two and two are ${Math.round((clock.now() - begin) / 100) / 10}`);
  };
  const atOnce = sleep(clock, 6_000).then(() => note("six"));
  const steps = inSteps();
  busyFor(80);
  await Promise.all([steps, atOnce]);
  expect(seen).toEqual(["two and two are 4", "six"]);
  clock.stop();
});

test("time that nobody could keep up with is let go, and never goes back", async () => {
  const clock = pacedClock(START, 10_000);
  const times: number[] = [];
  const look = () => void times.push(clock.now());
  clock.after(1_000, look);
  busyFor(300);
  look();
  await new Promise((resolve) => setTimeout(resolve, 20));
  look();
  clock.setSpeed(1);
  look();
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(times[0]).toBe(times[1]);
  expect(clock.now() - START).toBeLessThan(2_000_000);
  clock.stop();
});

test("what is armed again and again for a moment that has passed does not keep time from moving", async () => {
  const clock = pacedClock(START, 1e-9);
  let times = 0;
  const again = (): void => {
    times += 1;
    clock.after(-1_000, again);
  };
  again();
  await clock.advance(100, still);
  expect(clock.now()).toBe(START + 100);
  expect(times).toBeLessThanOrEqual(102);
  clock.stop();
});
