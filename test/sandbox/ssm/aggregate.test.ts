import { describe, expect, it } from "vitest";
import { commandStatus } from "../../../lib/sandbox/ssm/aggregate.ts";
import type { Command, Invocation, InvocationStatus, StatusDetails } from "../../../lib/sandbox/ssm/model.ts";

const command = (more: Partial<Command> = {}): Command =>
  ({ maxErrors: 0, cancelled: false, verdict: null, ...more }) as Command;
const statusOf: Readonly<Partial<Record<StatusDetails, InvocationStatus>>> = {
  DeliveryTimedOut: "TimedOut",
  ExecutionTimedOut: "TimedOut",
  Undeliverable: "Failed",
  Terminated: "Failed",
  AccessDenied: "Failed",
  InvalidPlatform: "Failed",
};
const one = (details: StatusDetails): Invocation =>
  ({ details, status: statusOf[details] ?? details, instanceId: "i" }) as Invocation;

describe("a command's status", () => {
  it.each<[readonly StatusDetails[], Partial<Command>, string, string]>([
    [["Pending", "Delayed"], {}, "Pending", "Pending"],
    [["Pending", "InProgress"], {}, "InProgress", "InProgress"],
    [["Success", "InProgress"], { cancelled: true }, "Cancelling", "Cancelling"],
    [["Success", "Success"], {}, "Success", "Success"],
    [["Success", "Undeliverable", "Undeliverable", "Undeliverable", "Undeliverable"], {}, "Success", "Success"],
    [["Undeliverable", "Undeliverable"], {}, "Failed", "Failed"],
    [["Success", "Failed"], {}, "Failed", "Failed"],
    [["Success", "Failed"], { maxErrors: 2 }, "Failed", "Incomplete"],
    [["Success", "ExecutionTimedOut"], {}, "TimedOut", "ExecutionTimedOut"],
    [["Success", "DeliveryTimedOut"], {}, "TimedOut", "DeliveryTimedOut"],
    [["Success", "DeliveryTimedOut"], { maxErrors: 5 }, "Failed", "Incomplete"],
    [["Success", "AccessDenied"], {}, "Failed", "Incomplete"],
    [["Success", "InvalidPlatform"], {}, "Failed", "Incomplete"],
    [[], { verdict: "NoInstancesInTag" }, "Success", "NoInstancesInTag"],
    [[], { verdict: "RateExceeded" }, "Failed", "RateExceeded"],
    [["Success", "Cancelled"], {}, "Cancelled", "Cancelled"],
  ])("of %j with %j is %s / %s", (details, more, status, statusDetails) => {
    expect(commandStatus(command(more), details.map(one))).toEqual({ status, details: statusDetails });
  });
});
