import { dirname, relative, sep } from 'node:path';
import type { WalkRoot } from '../documents/index.js';
import type { Root, StoreWriter } from '../model/store.js';

/** What a run walks. Paths that lie in each other are walked once: the inner one by itself, the outer one without it. */
export class WalkPlan {
  readonly #kinds = new Map<string, { root: Root; kind: 'file' | 'folder'; elsewhere: Set<string> }>();

  /** A path that was added already is left out. */
  add(root: Root, kind: 'file' | 'folder'): void {
    if (!this.#kinds.has(root.path)) this.#kinds.set(root.path, { root, kind, elsewhere: new Set() });
  }

  async resolve(
    writer: StoreWriter,
  ): Promise<{ roots: WalkRoot[]; folders: Root[]; files: Root[]; nested: Map<string, Root> }> {
    const planned = this.#planned();
    const nested = new Map<string, Root>();
    const roots: WalkRoot[] = [];
    for (const { root, kind, elsewhere } of planned) {
      const inside = kind === 'folder' ? await writer.rootsInside(root.path) : [];
      for (const inner of inside) nested.set(inner.name, inner);
      roots.push({
        ...root,
        ...(elsewhere.size > 0 && { elsewhere }),
        ...(inside.length > 0 && {
          nested: new Map(inside.map(({ name, path }) => [below(root.path, path), name])),
        }),
      });
    }
    const ofKind = (wanted: string) => planned.filter(({ kind }) => kind === wanted).map(({ root }) => root);
    return { roots, folders: ofKind('folder'), files: ofKind('file'), nested };
  }

  /** What is walked where no earlier run has named anything. */
  roots(): WalkRoot[] {
    return this.#planned().map(({ root, elsewhere }) => ({
      ...root,
      ...(elsewhere.size > 0 && { elsewhere }),
    }));
  }

  #planned() {
    this.#leaveOutInner();
    return [...this.#kinds.values()];
  }

  #leaveOutInner(): void {
    for (const path of this.#kinds.keys()) {
      for (let at = path; dirname(at) !== at; ) {
        at = dirname(at);
        this.#kinds.get(at)?.elsewhere.add(below(at, path));
      }
    }
  }
}

/** The way from a folder down to a path in it, with `/`. */
function below(folder: string, path: string): string {
  const way = relative(folder, path);
  return sep === '/' ? way : way.replaceAll(sep, '/');
}
