/** Folder of Casement's own files on a machine, only for SYSTEM and Administrators. */
export const casementFolder = "C:\\Casement";

/** Script of the guard of the metadata route, which the Task Scheduler runs. */
export const guardFile = `${casementFolder}\\guard.ps1`;

/** Script that renews the passwords of ECR in the files of registries, which the Task Scheduler runs. */
export const registriesScript = `${casementFolder}\\registries.ps1`;

/** The task that runs it, and the record of its last run. */
export const registriesTask = { name: "Casement registries", record: `${casementFolder}\\registries.json` } as const;

/** Folder of the Kubernetes programs and their configuration, the same as WMCO's. */
export const kubernetesFolder = "C:\\k";

/** Folder of the logs, from which `kubectl get --raw …/logs` and WMCO's must-gather read. */
export const logFolder = "C:\\var\\log";
