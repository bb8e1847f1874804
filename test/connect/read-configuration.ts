import { readDeployment } from "../../lib/deployment.ts";

// The first thing that `cdk synth` does with the configuration; the templates have tests of their own.
readDeployment(process.env.CASEMENT_CONFIGURATION ?? "", Date.now());
