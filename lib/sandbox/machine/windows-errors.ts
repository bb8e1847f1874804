const sentences: Readonly<Record<number, string>> = {
  2: "The system cannot find the file specified.",
  32: "The process cannot access the file because it is being used by another process.",
  193: "is not a valid Win32 application.",
  1053: "The service did not respond to the start or control request in a timely fashion.",
  1056: "An instance of the service is already running.",
  1058: "The service cannot be started, either because it is disabled or because it has no enabled devices associated with it.",
  1060: "The specified service does not exist as an installed service.",
  1062: "The service has not been started.",
  1067: "The process terminated unexpectedly.",
  1068: "The dependency service or group failed to start.",
  1075: "The dependency service does not exist or has been marked for deletion.",
};

/** An error of Windows, by its system error code (winerror.h). */
export class WindowsError extends Error {
  override readonly name = "WindowsError";
  readonly code: number;
  constructor(code: number, subject: string, because?: string) {
    const sentence = sentences[code] ?? "Unknown error.";
    const said = code === 193 ? `${subject} ${sentence}` : `${sentence} (${subject})`;
    super(`${said} System error ${code}.${because ? ` ${because}` : ""}`);
    this.code = code;
  }
}
