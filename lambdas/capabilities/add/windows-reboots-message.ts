/** Signs of a pending reboot, as `observe.ps1` names them, in words. */
function signWords(signs: readonly string[]): string {
  const words: Readonly<Record<string, string>> = {
    servicing: "component servicing",
    "windows-update": "Windows Update",
  };
  return signs.map((sign) => words[sign] ?? `the ${sign}`).join(", ") || "no sign was named";
}

/** Note that the machine is rebooted once more. */
export const anotherReboot = (signs: readonly string[]): string =>
  `Windows requires another reboot (${signWords(signs)}). No container network exists yet, so the machine is rebooted once more.`;

/** Failure of a machine whose Windows asks for a reboot after all of them. */
export const rebootStillPending = (signs: readonly string[], more: number): string =>
  `Windows requires another reboot (${signWords(signs)}), after ${more} more than its features need`;
