/** Returns DEBIAN/control. */
export function formatControl({ version, architecture, dependencies, installedKib, publisher }) {
  return `Package: petstore
Version: ${version}
Section: utils
Priority: optional
Architecture: ${architecture}
Maintainer: ${publisher.name} <${publisher.email}>
Installed-Size: ${installedKib}
Depends: ${dependencies.join(', ')}
Suggests: bash-completion
Homepage: ${publisher.homepage}
Description: command-line client for an animal store HTTP API
 petstore lists, browses, adds, watches, imports and exports pets, by hand or
 from scripts, without exceeding the rate limit.
 .
 Its sandbox is a complete server inside the command, which needs no account
 and no network.
`;
}

/** Returns the copyright file (https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/). */
export function formatCopyright(license, { homepage }) {
  const [, copyright, text] = /\n\nCopyright \(c\) ([^\n]+)\n\n(.+)$/s.exec(license);
  const indented = text.trim().replace(/^$/gm, '.').replace(/^/gm, ' ');
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: petstore-cli
Source: ${homepage}
Comment: The program contains Bun and packages from npm. Their licenses are in
 /usr/share/doc/petstore/THIRD-PARTY-LICENSES.txt.gz.

Files: *
Copyright: ${copyright}
License: Expat

License: Expat
${indented}
`;
}

/** Returns the changelog of the package. That of petstore is a file of its own. */
export function formatDebianChangelog(version, { name, email }, time) {
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000');
  return `petstore (${version}) unstable; urgency=medium

  * New release. Its changes are in /usr/share/doc/petstore/changelog.gz.

 -- ${name} <${email}>  ${date}
`;
}

/** What lintian reports and this package cannot change. */
export const lintianOverrides = `# The runtime of Bun is published as one program, linked with its libraries.
petstore: embedded-library libjpeg [usr/bin/petstore]
petstore: hardening-no-pie [usr/bin/petstore]
petstore: hardening-no-relro [usr/bin/petstore]
# A section of the program contains petstore, and strip(1) moves sections.
petstore: unstripped-binary-or-object [usr/bin/petstore]
# The package is not part of Debian, so it closes none of its bugs.
petstore: initial-upload-closes-no-bugs *
`;
