import { expect, test } from "vitest";
import { membershipOf } from "../../lambdas/commands/membership.ts";

test.each([
  ["a full member", {}, {}, "member"],
  ["a guest of several channels", { is_restricted: true }, {}, "guest"],
  ["a guest of one channel", { is_ultra_restricted: true }, {}, "guest"],
  ["somebody of a connected workspace", { is_stranger: true }, {}, "guest"],
  ["somebody who has left", { deleted: true }, {}, "guest"],
  ["a bot", { is_bot: true }, {}, "bot"],
  ["a member in a channel shared with others", {}, { is_ext_shared: true }, "shared-channel"],
  ["a person of whom nothing is known", undefined, {}, "guest"],
])("takes %s for what they are", (_who, user, channel, membership) => {
  expect(membershipOf(user, channel)).toBe(membership);
});
