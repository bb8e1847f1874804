/** Reason why a command does not start, in one line that names the remedy. */
export class StartError extends Error {
  override readonly name = "StartError";
}
