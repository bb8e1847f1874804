import { restrictions } from "../fault-kinds.ts";
import type { Machine, ScriptEnd } from "../machine.ts";

/**
 * Ends of a script by policy. App Control (WDAC) and AppLocker hold unsigned scripts to ConstrainedLanguage (Microsoft,
 * "about_Language_Modes"), in which session.ps1 ends itself. A group policy's AllSigned outranks the option
 * -ExecutionPolicy, and PowerShell does not load an unsigned script (Microsoft, "about_Execution_Policies").
 */
const ends: Readonly<Record<(typeof restrictions)[number], ScriptEnd>> = {
  ConstrainedLanguage: {
    exitCode: 90,
    stdout: "",
    stderr:
      "PowerShell runs in ConstrainedLanguage mode on this machine, by AppLocker or App Control: Casement's scripts need FullLanguage",
  },
  AllSigned: {
    exitCode: 1,
    stdout: "",
    stderr:
      "File _script.ps1 cannot be loaded. The file _script.ps1 is not digitally signed. You cannot run this script on the current system.\n    + CategoryInfo          : SecurityError: (:) [], PSSecurityException\n    + FullyQualifiedErrorId : UnauthorizedAccess",
  },
};

/** End of a script that a policy of the machine stops before its first command; undefined without such a policy. */
export function stoppedByPolicy(machine: Machine): ScriptEnd | undefined {
  const how = restrictions.find((one) => machine.faultApplies("powershell-restricted", { how: one }));
  return how && ends[how];
}
