import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile, packageJson, version } from './artifacts.js';

/** Writes the formula for Homebrew, with the archives of this release. */
export function writeFormula(release) {
  const archives = release.artifacts.filter(({ homebrew }) => homebrew !== undefined);
  if (archives.length > 0) writeFileSync(join(release.output, 'petstore.rb'), formatFormula(release, archives));
}

/** Names the version, because Homebrew would read it from the end of the name of an archive: 64. */
function formatFormula(release, archives) {
  const [summary] = packageJson.description.split(',');
  return `class Petstore < Formula
  desc "${summary}"
  homepage "${release.publisher.homepage}"
  version "${version}"
  license "${packageJson.license}"

${formatSystem('macos', release, archives)}${formatSystem('linux', release, archives)}  def install
    bin.install "petstore"
    man1.install Dir["man/man1/*"]
    man7.install Dir["man/man7/*"]
    bash_completion.install "completions/petstore.bash" => "petstore"
    zsh_completion.install "completions/_petstore"
    fish_completion.install "completions/petstore.fish"
    prefix.install "THIRD-PARTY-LICENSES.txt"
  end

  test do
    assert_match "Ada", shell_output("#{bin}/petstore pets list --status available")
  end
end
`;
}

function formatSystem(system, release, archives) {
  const blocks = archives
    .filter(({ homebrew }) => homebrew[0] === system)
    .sort((a, b) => a.homebrew[1].localeCompare(b.homebrew[1]))
    .map((artifact) => formatArchive(artifact, release));
  return blocks.length === 0 ? '' : `  on_${system} do\n${blocks.join('\n')}  end\n\n`;
}

function formatArchive({ homebrew, archive }, { output, publisher }) {
  return `    on_${homebrew[1]} do
      url "${publisher.downloadUrl}/${archive}"
      sha256 "${hashFile(join(output, archive))}"
    end
`;
}
