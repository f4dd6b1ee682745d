// Copies an index of an older format, so that the recorder knows each of its files, and brings the copy up to date under
// the recorder's rules (see recorder.c). Prints {"copied": true} once the copy is durable, {"trouble": {code, message}}
// where the first attempt was refused, {"migrated": from} once the index is of the present format, {"end": true}.
// Its argument, as JSON: store (the module's URL), golden (the folder to copy), folder.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const { store: module, golden, folder } = JSON.parse(process.argv[2]);
const { migrateStore } = await import(module);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

function tellRecorder(name) {
  try {
    closeSync(openSync(`/${name}`, 'r'));
  } catch {
    // There is no such file: the recorder hears the call.
  }
}

function durably(path, flags, use = () => {}) {
  const descriptor = openSync(path, flags);
  use(descriptor);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** By plain writes: what the system copies itself cannot be played back. */
function copy(from, to) {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (statSync(source).isDirectory()) copy(source, target);
    else durably(target, 'w', (descriptor) => writeSync(descriptor, readFileSync(source)));
  }
  durably(to, 'r');
}

copy(golden, folder);
durably(dirname(folder), 'r');
say({ copied: true });
tellRecorder('.disk-arm');
let done;
try {
  done = await migrateStore(folder);
} catch ({ code, message }) {
  say({ trouble: { code, message } });
}
tellRecorder('.disk-disarm');
// With room again.
done ??= await migrateStore(folder);
say({ migrated: done.from });
say({ end: true });
