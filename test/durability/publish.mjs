// Opens an index and publishes it under the recorder's rules (see recorder.c); says {"published": true} once it has,
// {"end": true}. Its argument, as JSON: store (the module's URL), folder, options.
import { closeSync, openSync, writeSync } from 'node:fs';

const { store: module, folder, options } = JSON.parse(process.argv[2]);
const { openStore } = await import(module);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

function tellRecorder(name) {
  try {
    closeSync(openSync(`/${name}`, 'r'));
  } catch {
    // There is no such file: the recorder hears the call.
  }
}

const store = await openStore(folder, options);
const writer = await store.writer();
tellRecorder('.disk-arm');
await writer.publish();
tellRecorder('.disk-disarm');
say({ published: true });
await store.close();
say({ end: true });
