import { ApiException } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  causeOf,
  DeadlineExceeded,
  failureReason,
  kindOf,
  MachineEnded,
  StageFailed,
  step,
} from "../../lambdas/engine/durable.ts";
import { Refused, Retryable, Stopped, UserError } from "../../lambdas/errors.ts";
import { bareName } from "../../lambdas/records/failures.ts";
import { codeOfCommand } from "../../lambdas/steps/machine/command-status.ts";
import { type Backend, sandboxEngine, testingPackage, type Workflow } from "../sandbox/durable/backends.ts";

/** An error of AWS's SDK by its name. */
const awsError = (name: string) =>
  Object.assign(new Error("UnknownError"), { name, $metadata: { httpStatusCode: 403 } });

const denied = new ApiException(403, "denied", JSON.stringify({ message: "pods is forbidden" }), {});
const lacking = 'pods is forbidden: User "act" cannot list resource "pods" in API group "" at the cluster scope';
const unauthorized = new ApiException(403, "m", JSON.stringify({ message: lacking }), {});

/** Reason that a workflow finds behind a step that threw this. */
const beyondAStep = async (backend: Backend, thrown: Error) => {
  const workflow: Workflow = (_, ctx) =>
    step(ctx, "work", () => Promise.reject(thrown), 1).catch((error: unknown) => ({
      ...failureReason(error),
      name: bareName(causeOf(error)),
    }));
  return (await backend.run(workflow)).result;
};

describe.each([testingPackage, sandboxEngine])("The code of a failure in $name", (backend) => {
  beforeAll(() => backend.setUp());
  afterAll(() => backend.tearDown());

  it.each([
    ["of a stage", new StageFailed("disk-full", "no space"), "disk-full", "StageFailed"],
    ["of a deadline", new DeadlineExceeded("a slot", null, "slot-taken"), "slot-taken", "DeadlineExceeded"],
    ["of a machine that ended", new MachineEnded("i-1 is stopped"), "machine-ended", "MachineEnded"],
    ["of a refusal", new Refused("no", { code: "overlay-port" }), "overlay-port", "Refused"],
    ["of a freeze", new Stopped("it is frozen"), "frozen-or-held", "Refused"],
    ["of a busy service", new Retryable("later", { code: "aws-throttled" }), "aws-throttled", "Retryable"],
    ["of AWS's denial", awsError("UnauthorizedOperation"), "aws-denied", "UnauthorizedOperation"],
    ["of the API server's denial", denied, "api-denied", "Error"],
    ["of a missing right", unauthorized, "api-unauthorized", "Error"],
    ["of a rejected credential", new ApiException(401, "m", "", {}), "api-unauthorized", "Error"],
  ])("%s outlasts a durable step, as the error's name does", async (_, thrown, code, name) => {
    expect(await beyondAStep(backend, thrown)).toMatchObject({ code, name });
  });

  it("is missing where nobody has named the failure", async () => {
    expect(await beyondAStep(backend, new TypeError("x is undefined"))).toEqual({
      why: "x is undefined",
      name: "TypeError",
    });
  });
});

it.each([
  [{ status: "Delivery Timed Out", exitCode: -1, errors: "" }, "command-undelivered"],
  [{ status: "Undeliverable", exitCode: undefined, errors: "" }, "command-undelivered"],
  [{ status: "Failed", exitCode: 90, errors: "" }, "powershell-restricted"],
  [
    { status: "Failed", exitCode: 1, errors: "+ CategoryInfo : SecurityError: (:) [], PSSecurityException" },
    "powershell-restricted",
  ],
  [{ status: "Failed", exitCode: 1, errors: "document process failed unexpectedly: check the log" }, "agent-broken"],
  [{ status: "Success", exitCode: 0, errors: "" }, "result-missing"],
  [{ status: "Failed", exitCode: 1, errors: "Zugriff verweigert" }, "command-failed"],
])("a command that ended as %o is named without a word of Windows'", (end, code) => {
  expect(codeOfCommand(end)).toBe(code);
});

it("an error keeps its kind beside its code, so that a freeze ends an operation as refused", () => {
  expect(kindOf(new Stopped("pool `web` is frozen"))).toBe("Refused");
  expect(kindOf(new Retryable("EC2 throttles", { code: "aws-throttled" }))).toBe("Retryable");
  expect(kindOf(new UserError("no such node"))).toBe("UserError");
});
