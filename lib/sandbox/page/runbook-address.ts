/** Address of the runbook in the demo's configuration, which must begin with https; the page serves the runbook itself. */
export const RUNBOOK_ADDRESS = "https://runbook.example.com/casement";

/** Path of the runbook on the page's own port. */
export const RUNBOOK_PATH = "/runbook";
