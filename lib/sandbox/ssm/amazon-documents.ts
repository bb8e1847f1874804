/** Longest time that AWS's document lets a command run: 1 to 172,800 seconds. */
const SECONDS = "([1-9][0-9]{0,4})|(1[0-6][0-9]{4})|(17[0-1][0-9]{3})|(172[0-7][0-9]{2})|(172800)";

/**
 * AWS-RunPowerShellScript, by which people run commands of their own (SSM user guide, "AWS-RunPowerShellScript"). AWS's document is
 * of schema 1.2, in which the plugin's name stands for the step's.
 */
const runPowerShellScript = {
  schemaVersion: "2.2",
  parameters: {
    commands: { type: "StringList", minItems: 1 },
    workingDirectory: { type: "String", default: "", maxChars: 4096 },
    executionTimeout: { type: "String", default: "3600", allowedPattern: SECONDS },
  },
  mainSteps: [
    {
      name: "aws:runPowerShellScript",
      action: "aws:runPowerShellScript",
      inputs: { runCommand: ["{{ commands }}"], timeoutSeconds: "{{ executionTimeout }}" },
    },
  ],
};

/** Documents that AWS owns and every account has. */
export const amazonDocuments = [{ name: "AWS-RunPowerShellScript", content: JSON.stringify(runPowerShellScript) }];
