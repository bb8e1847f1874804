import { expect, test } from "vitest";
import { DOUBT_MS, KEEP_MS, secrets } from "../../lambdas/clients/secrets.ts";

/** A secret that is replaced, a service that may be away, and a clock. */
function secretStore() {
  const state = { text: "old", away: false, readings: 0, now: 1_000_000 };
  const call = async () => {
    state.readings += 1;
    if (state.away) throw new Error("away");
    return { SecretString: state.text };
  };
  return { state, kept: secrets(call, () => state.now) };
}

test("a secret is read once for all who ask within ten minutes, and then again", async () => {
  const { state, kept } = secretStore();
  await Promise.all([kept.read("slack", KEEP_MS), kept.read("slack", KEEP_MS)]);
  state.text = "new";
  state.now += KEEP_MS - 1;
  expect(await kept.read("slack", KEEP_MS)).toBe("old");
  expect(state.readings).toBe(1);
  state.now += 1;
  expect(await kept.read("slack", KEEP_MS)).toBe("new");
});

test("a doubted secret is read at once, but not again within half a minute", async () => {
  const { state, kept } = secretStore();
  await kept.read("slack", KEEP_MS);
  state.now += DOUBT_MS;
  state.text = "new";
  for (let times = 0; times < 5; times += 1) expect(await kept.read("slack", DOUBT_MS)).toBe("new");
  expect(state.readings).toBe(2);
});

test("what was known stays while it cannot be read again, unless it must be read now", async () => {
  const { state, kept } = secretStore();
  await kept.read("slack", KEEP_MS);
  state.now += KEEP_MS;
  state.away = true;
  expect(await kept.read("slack", KEEP_MS)).toBe("old");
  await expect(kept.read("slack", 0)).rejects.toThrow("away");
  state.away = false;
  state.text = "new";
  expect(await kept.read("slack", KEEP_MS)).toBe("new");
});

test("a reading that failed is not remembered", async () => {
  const { state, kept } = secretStore();
  state.away = true;
  await expect(kept.read("slack", KEEP_MS)).rejects.toThrow("away");
  state.away = false;
  expect(await kept.read("slack", KEEP_MS)).toBe("old");
});
