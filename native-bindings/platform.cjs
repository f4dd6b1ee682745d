// How the addon of a platform is called, the way napi-rs names prebuilt packages.
'use strict';

/** Such as linux-x64-gnu. */
function triple() {
  const { platform, arch } = process;
  if (platform === 'linux') return `linux-${arch}-${isMusl() ? 'musl' : 'gnu'}`;
  if (platform === 'win32') return `win32-${arch}-msvc`;
  return `${platform}-${arch}`;
}

/** The report names the glibc that Node runs on; under musl it has none. Network interfaces would make it slow. */
function isMusl() {
  const before = process.report.excludeNetwork;
  process.report.excludeNetwork = true;
  try {
    return !process.report.getReport().header.glibcVersionRuntime;
  } finally {
    process.report.excludeNetwork = before;
  }
}

exports.addonFile = () => `sluice.${triple()}.node`;
exports.addonPackage = () => `@sluice/native-${triple()}`;
