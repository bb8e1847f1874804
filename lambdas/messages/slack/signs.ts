/**
 * Signs of messages: each has one meaning, and each meaning one sign. Whoever writes a message takes its sign from here;
 * docs/runbook.md has the legend.
 */
export const sign = {
  /** Done, or in order. */
  done: "✅",
  /** Failed, or does not work. */
  failed: "❌",
  /** Under way, or waits for something that comes by itself. */
  running: "⏳",
  /** Waits for its turn. */
  queued: "▫️",
  /** Waits for its time. */
  scheduled: "🗓️",
  /** Waits for a person's decision. */
  decide: "❓",
  /** Ended by a person before its end. */
  cancelled: "⏹️",
  /** Not begun: a rule forbids it, or it could not be planned. */
  refused: "🚫",
  /** Something keeps this from going on until someone removes it. */
  blocked: "⛔",
  /** Not part of the plan. */
  leftOut: "➖",
  /** Could not be read or checked. */
  unknown: "⚪",
  /** Deserves a look before it becomes a failure. */
  warning: "⚠️",
  /** Worth knowing; nothing to do. */
  note: "ℹ️",
  /** A button has started another operation. */
  started: "▶️",
  /** Frozen or held by a person. */
  frozen: "🧊",
  /** Runs without an approval. */
  unapproved: "🔓",
  /** Rules of the configuration that decide who may do what. */
  rules: "🔐",
  /** A machine rebooted without an order of Casement. */
  rebooted: "🔄",
  /** Reminds of a wait for a person. */
  reminder: "⏰",
  /** Calls people to trouble of many nodes. */
  alarm: "🚨",
} as const;
