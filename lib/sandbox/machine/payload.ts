/** The programs that the simulated machine can run. */
export const programNames = [
  "amazon-ssm-agent",
  "ec2-launch",
  "containerd",
  "kubelet",
  "kube-proxy",
  "kube-log-runner",
  "hybrid-overlay-node",
  "csi-proxy",
  "windows_exporter",
] as const;

/** Programs among the payload's binaries; others are tools that no service starts (CNI plugins). */
export type ProgramName = (typeof programNames)[number];

/** A binary that the simulated machine recognises. */
export interface Binary {
  readonly program: string;
  readonly version: string;
}

const HEADER = /^casement-sandbox program=([\w.-]+) version=([\w.+-]+)\n/;

/**
 * Builds the content of a payload file in the sandbox's bucket: a small text in place of a Windows program.
 * @param program one of `programNames`, or the name of a tool that no service starts ("win-overlay")
 * @param version "1.34.2"
 */
export const payloadContent = (program: string, version: string): string =>
  `casement-sandbox program=${program} version=${version}\nThe simulated machine reads this as a Windows program.\n`;

/** Reads the program and its version from a file's content; undefined for "not a valid Win32 application". */
export function binaryOf(content: string | undefined): Binary | undefined {
  const found = content === undefined ? null : HEADER.exec(content);
  return found?.[1] && found[2] ? { program: found[1], version: found[2] } : undefined;
}
