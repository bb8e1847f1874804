import type { Simulator } from "../../lib/sandbox/simulator.ts";

/** A write to the ledger: DynamoDB's action and its input as JSON. */
export interface Write {
  readonly action: string;
  readonly body: string;
}

const WRITES = new Set(["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"]);

const owner = { principal: "owner", require: () => undefined };

/** Records every write that the ledger takes from now on: its tables are kept outside the simulator's store. */
export function recordWrites({ dynamodb }: Simulator): readonly Write[] {
  const writes: Write[] = [];
  const service = dynamodb.service as { answer: typeof dynamodb.service.answer };
  const answer = service.answer;
  service.answer = async (action, request, caller) => {
    const response = await answer(action, request, caller);
    if (WRITES.has(action) && response.status < 400)
      writes.push({ action, body: Buffer.from(request.body).toString("utf8") });
    return response;
  };
  return writes;
}

/** Repeats the writes of an earlier journey. */
export async function repeatWrites({ dynamodb }: Simulator, writes: readonly Write[] = []): Promise<void> {
  for (const { action, body } of writes)
    await dynamodb.service.answer(action, { method: "POST", url: "/", headers: {}, body: Buffer.from(body) }, owner);
}
