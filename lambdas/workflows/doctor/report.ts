import { doctorMessage, type Examination } from "../../messages/doctor/doctor.ts";
import type { Message } from "../../records.ts";
import type { Steps } from "../../steps/steps.ts";
import type { OperationSettings } from "../operation/op.ts";

/** Writes the answer to `/win doctor`. */
export async function report(steps: Steps, examined: Examination, begun: OperationSettings): Promise<Message> {
  const { configuration } = await steps.runtime.read(begun.runtimeVersion);
  return doctorMessage(examined, configuration.cluster.name);
}
