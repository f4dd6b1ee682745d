/** The folder of a model that comes with the package. */
import path from 'node:path';

export function modelFolder(name) {
  return path.join(import.meta.dirname, '../../models', name);
}
