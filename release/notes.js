// Prints the section of CHANGELOG.md for a release. Fails if the version of the tag must not be published from here.
// node release/notes.js v<version>, in the folder of the package
import { readFileSync } from 'node:fs';

const [tag] = process.argv.slice(2);
const { version, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
if (tag !== `v${version}`) throw new Error(`the tag ${tag} does not match the version ${version} of package.json`);
if (repository === undefined) throw new Error('set repository in package.json: npm needs it for provenance');
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m).slice(1);
const section = sections.find((text) => new RegExp(`^\\[?${version.replaceAll('.', '\\.')}\\b`).test(text));
if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`);
console.log(section.replace(/^.*\n/, '').trim());
