/** Holds src/native/contract.ts against what the addon exports, name by name. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { native } from './support.js';

interface Member {
  name: string;
  kind: 'method' | 'property';
  type: string;
}

const source = readFileSync(join(import.meta.dirname, '../../src/native/contract.ts'), 'utf8');
const interfaces = new Map<string, Member[]>();
for (const [, name, base, body] of source.matchAll(
  /^export interface (\w+)(?: extends (\w+))? \{\n([\s\S]*?)^\}/gm,
)) {
  const members = [...body!.matchAll(/^ {2}(?:readonly )?(\w+)(\(|:)([\s\S]*?);$/gm)];
  interfaces.set(
    name!,
    members
      .map(
        ([, member, mark, type]): Member => ({
          name: member!,
          kind: mark === '(' ? 'method' : 'property',
          type: type!,
        }),
      )
      .concat(base ? interfaces.get(base)! : []),
  );
}

const exported = native as unknown as Record<string, unknown>;
const addonMembers = interfaces.get('NativeAddon')!;

/** Exported classes and the interface of their instances. */
const CLASSES = {
  ModelTokenizer: 'NativeTokenizer',
  BpeEncoding: 'NativeBpe',
  KeywordWriter: 'NativeKeywordWriter',
  KeywordReader: 'NativeKeywordReader',
  VectorGraph: 'NativeGraph',
  GraphSnapshot: 'NativeGraphSnapshot',
  FlatVectors: 'NativeFlatVectors',
  FilterWriter: 'NativeFilterWriter',
  FilterIndex: 'NativeFilterIndex',
  FileLock: 'NativeFileLock',
} as const;

it('reads the contract', () => {
  expect(interfaces.size).toBeGreaterThanOrEqual(10);
  expect(addonMembers.map((member) => member.name)).toContain('VectorGraph');
});

it('exports every member of the contract and nothing else', () => {
  const expected = new Set([...addonMembers.map((member) => member.name), 'FileLock']);
  expect(new Set(Object.keys(exported))).toEqual(expected);
  for (const { name, kind, type } of addonMembers) {
    expect(typeof exported[name], name).toBe('function');
    if (kind === 'method') continue;
    for (const [, factory] of type.matchAll(/(\w+)\(/g)) {
      expect(typeof (exported[name] as Record<string, unknown>)[factory!], `${name}.${factory}`).toBe(
        'function',
      );
    }
  }
});

it.each(Object.entries(CLASSES))('%s has the members of %s and nothing else', (className, interfaceName) => {
  const prototype = (exported[className] as { prototype: object }).prototype;
  const members = interfaces.get(interfaceName)!;
  expect(members.length).toBeGreaterThan(0);
  const found = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  expect(new Set(found)).toEqual(new Set(members.map((member) => member.name)));
  for (const { name, kind } of members) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)!;
    if (kind === 'method') expect(typeof descriptor.value, name).toBe('function');
    else expect(typeof descriptor.get, name).toBe('function');
  }
});

it('refuses a method on an object of another class', () => {
  const flat = native.FlatVectors.create(2, 'ip', 'float32');
  const bpe = native.BpeEncoding.load('cl100k');
  expect(() => flat.append.call(bpe, new Uint32Array(0), new Float32Array(0))).toThrow();
  expect(() => bpe.spans.call({}, 'x')).toThrow();
});

it('says what the CPU dispatch found', () => {
  const { arch, features, kernel } = native.cpu();
  expect(arch).toMatch(/^(x86_64|aarch64)$/);
  expect(features.every((feature) => typeof feature === 'string')).toBe(true);
  expect(native.kernelNames()).toContain(kernel);
  expect(native.kernelNames().at(-1)).toBe('scalar');
});

it('names its analyzer', () => {
  expect(native.analyzerName()).toBe('sluice-analyzer-1');
});
