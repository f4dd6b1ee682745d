// Builds the Rust addon into native-bindings/sluice.<platform>.node. Does nothing if that file is newer than every
// source, so it may run before each build. Plain cargo: the napi CLI would add nothing here but flags of its own.
//
//     node scripts/build-native.mjs [--force]

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const crate = join(root, 'native-bindings');
const require = createRequire(import.meta.url);

/** What cargo calls the library, by platform. */
const LIBRARIES = {
  linux: 'libsluice_native.so',
  darwin: 'libsluice_native.dylib',
  win32: 'sluice_native.dll',
};

const { values: options } = parseArgs({ options: { force: { type: 'boolean', default: false } } });
const addon = join(crate, require('../native-bindings/platform.cjs').addonFile());

if (!options.force && existsSync(addon) && isFresh(addon)) {
  console.log(`${relative(root, addon)} is up to date`);
} else {
  requireTool('cargo', ['--version'], 'install Rust (rustup) 1.91 or newer');
  build();
}

function isFresh(addon) {
  const inputs = ['Cargo.toml', 'Cargo.lock', 'build.rs'].map((name) => join(crate, name));
  for (const entry of readdirSync(join(crate, 'src'), { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) inputs.push(join(entry.parentPath, entry.name));
  }
  const since = statSync(addon).mtimeMs;
  return inputs.every((input) => statSync(input).mtimeMs <= since);
}

function requireTool(command, args, remedy) {
  const { error, status } = spawnSync(command, args, { stdio: 'ignore' });
  if (error || status !== 0) fail(`${command} is needed to build the native addon: ${remedy}`);
}

function build() {
  const target = process.env.CARGO_TARGET_DIR ?? join(crate, 'target');
  const { status, error } = spawnSync('cargo', ['build', '--release', '--locked', '--target-dir', target], {
    cwd: crate,
    stdio: 'inherit',
  });
  if (error || status !== 0) fail(`the build of the native addon failed${error ? `: ${error.message}` : ''}`);
  // A new file, renamed into place: a running process keeps the old one mapped.
  const library = LIBRARIES[process.platform];
  if (library === undefined) fail(`the native addon is not built on ${process.platform}`);
  copyFileSync(join(target, 'release', library), `${addon}.tmp`);
  renameSync(`${addon}.tmp`, addon);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
