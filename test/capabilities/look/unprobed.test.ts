import { expect, it } from "vitest";
import { unprobedWords } from "../../../lambdas/capabilities/look/unprobed.ts";

const NOW = "2026-11-23T12:00:00.000Z";
const probed = {
  hasLinuxImage: true,
  windows: "2022",
  hasImage: true,
  poolOff: null,
  isActedFor: true,
  isReady: true,
  isCordoned: false,
};
const none = { state: "none" } as const;

it.each([
  [{}, none, "its turn has not come yet"],
  [{ hasLinuxImage: false }, none, "`probe.images` names no image for Linux"],
  [{ hasImage: false }, none, "`probe.images` names no image for 2022"],
  [{ windows: undefined }, none, "the release of its Windows is not known"],
  [{ poolOff: "batch" }, none, "its pool `batch` has `probe: false`"],
  [{ isActedFor: false }, none, "Casement neither launched nor assists its machine"],
  [{ isReady: false }, none, "it is not Ready"],
  [{ isCordoned: true }, { state: "old", at: "2026-11-20T12:00:00.000Z" }, "it is cordoned; the last probe was 3d ago"],
  [{}, { state: "other-boot", at: "2026-11-23T09:00:00.000Z" }, "the last probe was 3h ago, before its last boot"],
] as const)("of a node with %j it is said why it was not probed", (more, last, words) => {
  expect(unprobedWords(last, { ...probed, ...more }, NOW)).toBe(words);
});
