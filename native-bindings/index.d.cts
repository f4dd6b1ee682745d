import type { NativeAddon } from '../dist/native/contract.js' with { 'resolution-mode': 'import' };

declare const addon: NativeAddon;
export = addon;
