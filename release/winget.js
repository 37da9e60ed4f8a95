import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { hashFile, packageJson, version } from './artifacts.js';

const schemaVersion = '1.12.0';

const locale = 'en-US';

/** Writes the three manifests for winget, with the archives of this release for Windows. */
export function writeWingetManifests({ artifacts, output, publisher, time }) {
  const archives = artifacts.filter(({ winget }) => winget !== undefined);
  if (archives.length === 0) return;
  const identifier = `${publisher.name.replace(/[^\p{L}\p{N}]/gu, '').slice(0, 32)}.petstore`;
  const write = (type, suffix, fields) => {
    const manifest = {
      PackageIdentifier: identifier,
      PackageVersion: version,
      ...fields,
      ManifestType: type,
      ManifestVersion: schemaVersion,
    };
    const schema = `https://aka.ms/winget-manifest.${type.toLowerCase()}.${schemaVersion}.schema.json`;
    const text = `# yaml-language-server: $schema=${schema}\n\n${stringify(manifest, { lineWidth: 0 })}`;
    writeFileSync(join(output, `${identifier}${suffix}.yaml`), text);
  };
  write('version', '', { DefaultLocale: locale });
  write('installer', '.installer', describeInstallers(archives, output, publisher.downloadUrl, time));
  write('defaultLocale', `.locale.${locale}`, describeProduct(publisher));
}

function describeInstallers(archives, output, downloadUrl, time) {
  return {
    InstallerType: 'zip',
    NestedInstallerType: 'portable',
    ReleaseDate: new Date(time * 1000).toISOString().slice(0, 10),
    Installers: archives.map(({ winget, archive, folder, executable }) => ({
      Architecture: winget,
      NestedInstallerFiles: [{ RelativeFilePath: `${folder}\\${executable}`, PortableCommandAlias: 'petstore' }],
      InstallerUrl: `${downloadUrl}/${archive}`,
      InstallerSha256: hashFile(join(output, archive)).toUpperCase(),
    })),
  };
}

function describeProduct({ name, homepage }) {
  return {
    PackageLocale: locale,
    Publisher: name,
    PackageName: 'petstore',
    PackageUrl: homepage,
    License: packageJson.license,
    ShortDescription: packageJson.description,
    Moniker: 'petstore',
    Tags: packageJson.keywords,
  };
}
