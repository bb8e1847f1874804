/** Reads the message of a thrown value: an error's own, anything else as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
