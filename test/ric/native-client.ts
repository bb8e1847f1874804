/**
 * Stands in for the one native file of aws-lambda-ric, which talks to the Runtime API with a C++ client: the same three
 * calls over Node's own HTTP (Lambda developer guide, "Lambda runtime API").
 */
const invocations = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;

let posted: Promise<unknown> = Promise.resolve();

const post = (id: string, what: string, body: string): void => {
  posted = fetch(`${invocations}/${id}/${what}`, { method: "POST", body });
};

/** Waits for the next event. */
export async function next(): Promise<{ bodyJson: string; headers: Record<string, string> }> {
  await posted;
  const answer = await fetch(`${invocations}/next`);
  return { bodyJson: await answer.text(), headers: Object.fromEntries(answer.headers) };
}

/** Hands in a handler's answer. */
export const done = (id: string, body: string): void => post(id, "response", body);

/** Hands in what a handler threw. */
export const error = (id: string, body: string): void => post(id, "error", body);
