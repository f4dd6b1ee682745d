// Finds the addon: the one that was built here, else the prebuilt package of this platform.
'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { addonFile, addonPackage } = require('./platform.cjs');

function load() {
  const local = join(__dirname, addonFile());
  if (existsSync(local)) return require(local);
  try {
    return require(addonPackage());
  } catch (cause) {
    throw new Error(`neither ${local} nor the package ${addonPackage()} is there`, { cause });
  }
}

module.exports = load();
