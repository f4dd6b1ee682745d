import { Command } from 'commander';
import type { Diagnosis } from '../../doctor.js';
import { SluiceError } from '../../errors.js';
import { EXIT } from '../exit-codes.js';
import { bytes, counted, fail, print, printJson } from '../output.js';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('what this machine gives: CPU, cores, execution providers, models, and whether they work')
    .option('--json', 'print JSON on stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  sluice doctor\n  sluice doctor --json | jq .cores\n\nExit status 1 if something is broken.',
    )
    .action(run);
}

async function run(options: { json?: boolean }): Promise<void> {
  try {
    // Loaded here: a broken native part is a finding, and must not keep the command from starting.
    const { diagnose } = await import('../../doctor.js');
    const diagnosis = await diagnose();
    if (options.json) printJson(diagnosis);
    else printDiagnosis(diagnosis);
    if (diagnosis.problems.length > 0) process.exitCode = EXIT.failed;
  } catch (error) {
    fail(
      SluiceError.is(error) ? error : new SluiceError('SLUICE_INTERNAL', String(error), { cause: error }),
      options,
    );
  }
}

function printDiagnosis(diagnosis: Diagnosis): void {
  const { cpu, cores, memory } = diagnosis;
  print(`sluice ${diagnosis.version}, Node.js ${diagnosis.node}, ${diagnosis.platform}`);
  print(`CPU        ${cpu.model}, ${cpu.arch}`);
  print(`           distances by ${cpu.kernel}; ${cpu.features.join(' ')}`);
  print(
    `cores      ${cores.usable} usable of ${cores.logical}${cores.quota === null ? '' : ` (cgroup quota ${cores.quota})`}`,
  );
  print(`threads    embedding ${cores.usable} workers × 1; queries up to ${cores.usable}`);
  print(`memory     ${bytes(memory.free)} free of ${bytes(memory.total)}`);
  for (const { name, installed, automatic } of diagnosis.providers) {
    print(
      `provider   ${name}: ${installed ? 'installed' : 'not installed'}${automatic ? '' : ', on request only'}`,
    );
  }
  for (const model of diagnosis.models) {
    const detail = model.error ?? `${model.precision}, window ${model.windowTokens} tokens; ${model.check}`;
    print(`model      ${model.name} (${model.kind}): ${detail}`);
  }
  for (const problem of diagnosis.problems) print(`PROBLEM    ${problem}`);
  print(
    diagnosis.problems.length === 0
      ? 'All is well.'
      : `${counted(diagnosis.problems.length, 'problem')} found.`,
  );
}
