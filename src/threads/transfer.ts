import { Piscina } from 'piscina';

/**
 * The distinct buffers of all typed arrays inside a value, for a transfer list. Shared buffers are left out: they
 * need no transfer. Arrays of plain values are not searched, so call it on columns, not on rows.
 */
export function transferList(value: unknown, found = new Set<ArrayBuffer>()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (Array.isArray(value)) {
    if (typeof value[0] === 'object') for (const item of value) transferList(item, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) transferList(item, found);
  }
  return [...found];
}

/** Marks a worker's result so that Piscina hands its buffers over instead of copying them. */
export function moved<T extends object>(value: T): T {
  return Piscina.move({
    get [Piscina.transferableSymbol]() {
      return transferList(value);
    },
    get [Piscina.valueSymbol]() {
      return value;
    },
  } as never) as unknown as T;
}
