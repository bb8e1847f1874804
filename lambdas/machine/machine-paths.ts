/** Folder of what Casement itself puts on a machine; only SYSTEM and Administrators may enter. */
export const casementFolder = "C:\\Casement";

/** The guard of the metadata route, which the Task Scheduler runs. */
export const guardFile = `${casementFolder}\\guard.ps1`;

/** Folder of the Kubernetes programs and their configuration, where WMCO has it too. */
export const kubernetesFolder = "C:\\k";

/** Folder of the logs, where `kubectl get --raw …/logs` and WMCO's must-gather look for them. */
export const logFolder = "C:\\var\\log";
