import type { OperationSettings } from "../../change/operation/op.ts";
import { doctorMessage, type Examination } from "../../messages/doctor/doctor.ts";
import type { Message } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";

/** Writes the answer to `/win doctor`. */
export async function report(steps: Steps, examined: Examination, begun: OperationSettings): Promise<Message> {
  const { configuration } = await steps.runtime.read(begun.runtimeVersion);
  return doctorMessage(examined, configuration.cluster.name);
}
