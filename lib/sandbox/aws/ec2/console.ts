import {
  GetConsoleOutput$,
  type GetConsoleOutputRequest,
  type GetConsoleOutputResult,
  GetConsoleScreenshot$,
  type GetConsoleScreenshotRequest,
  type GetConsoleScreenshotResult,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import type { Screens } from "../../core/ports.ts";
import type { Ec2Action } from "./action.ts";
import { instanceById } from "./find.ts";
import { instanceAction } from "./instance-action.ts";
import type { Ec2Records } from "./records.ts";

/** EC2 posts the console's text some minutes after the start (User Guide, "Instance console output"); four are assumed. */
const CONSOLE_AFTER = 4 * 60_000;

function output(records: Ec2Records, input: GetConsoleOutputRequest): GetConsoleOutputResult {
  const instance = instanceById(records, input.InstanceId);
  const now = records.simulation.clock.now();
  const posted = instance.runningSince !== null && now - instance.runningSince >= CONSOLE_AFTER;
  const text = `${instance.platform === "windows" ? `Windows ${instance.build}` : "Linux"} on ${instance.instanceType}\r\n`;
  return {
    InstanceId: instance.instanceId,
    Timestamp: new Date(now),
    ...(posted ? { Output: Buffer.from(text).toString("base64") } : {}),
  };
}

/** "Retrieve a JPG-format screenshot of a running instance" (API Reference, GetConsoleScreenshot); the errors' words are assumed. */
function screenshot(
  records: Ec2Records,
  screen: Screens["of"],
  input: GetConsoleScreenshotRequest,
): GetConsoleScreenshotResult {
  const { instanceId, platform, state } = instanceById(records, input.InstanceId);
  if (state !== "running")
    throw new AwsError("IncorrectInstanceState", `The instance '${instanceId}' is not in the 'running' state.`);
  if (input.WakeUp) throw new AwsError("UnsupportedOperation", "The sandbox simulates no keystroke.");
  const picture = platform === "windows" ? screen(instanceId) : undefined;
  if (!picture) throw new AwsError("UnsupportedOperation", "The sandbox simulates only screens of Windows machines.");
  return { InstanceId: instanceId, ImageData: Buffer.from(picture).toString("base64") };
}

/** The console of one instance: its text and its screen. */
export const consoleActions = (records: Ec2Records, screen: Screens["of"]): Ec2Action[] => [
  instanceAction<GetConsoleOutputRequest, GetConsoleOutputResult>(
    records,
    GetConsoleOutput$,
    "GetConsoleOutput",
    (input) => output(records, input),
  ),
  instanceAction<GetConsoleScreenshotRequest, GetConsoleScreenshotResult>(
    records,
    GetConsoleScreenshot$,
    "GetConsoleScreenshot",
    (input) => screenshot(records, screen, input),
  ),
];
