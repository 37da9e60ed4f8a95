import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryDirectory } from './support/petstore.js';
import { isInstalled } from './support/programs.js';
import { blankNames, validNames } from './support/text-samples.js';

const { pattern } = parse(readFileSync('openapi.yaml', 'utf8')).components.schemas.NewPet.properties.name;
const names = [...blankNames, ...validNames];

/**
 * Programs that read the pattern and then names, one per line in hexadecimal. For each name they print whether the
 * pattern matches a part of it (JSON Schema) and all of it (Java's validators): `11`, `10` or `00`.
 */
const programs: readonly (readonly [language: string, command: string, file: string, code: string])[] = [
  [
    'Python',
    'python3',
    'match.py',
    `import re, sys
pattern, *names = [bytes.fromhex(line.strip()).decode() for line in sys.stdin]
for name in names:
    print(f"{int(bool(re.search(pattern, name)))}{int(bool(re.fullmatch(pattern, name)))}")
`,
  ],
  [
    'Perl',
    'perl',
    'match.pl',
    String.raw`use Encode;
my ($pattern, @names) = map { chomp; decode('UTF-8', pack('H*', $_)) } <STDIN>;
for (@names) { print(/$pattern/ ? 1 : 0, /\A(?:$pattern)\z/ ? 1 : 0, "\n") }
`,
  ],
  [
    'Ruby',
    'ruby',
    'match.rb',
    String.raw`pattern, *names = STDIN.each_line.map { |line| [line.strip].pack('H*').force_encoding('UTF-8') }
names.each { |name| puts "#{name.match?(/#{pattern}/) ? 1 : 0}#{name.match?(/\A(?:#{pattern})\z/) ? 1 : 0}" }
`,
  ],
  [
    'Java',
    'java',
    'Match.java',
    `import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;

class Match {
    static String decode(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
    }

    public static void main(String[] args) {
        var lines = new java.util.Scanner(System.in, StandardCharsets.UTF_8);
        var pattern = Pattern.compile(decode(lines.nextLine()));
        while (lines.hasNextLine()) {
            var matcher = pattern.matcher(decode(lines.nextLine()));
            System.out.println((matcher.find() ? 1 : 0) + "" + (matcher.matches() ? 1 : 0));
        }
    }
}
`,
  ],
  [
    'Go',
    'go',
    'match.go',
    `package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	decode := func() string {
		text, _ := hex.DecodeString(lines.Text())
		return string(text)
	}
	lines.Scan()
	part := regexp.MustCompile(decode())
	all := regexp.MustCompile("\\\\A(?:" + part.String() + ")\\\\z")
	digits := map[bool]int{true: 1}
	for lines.Scan() {
		fmt.Printf("%d%d\\n", digits[part.MatchString(decode())], digits[all.MatchString(decode())])
	}
}
`,
  ],
];

describe('the pattern of pet names matches exactly the names that are not blank', () => {
  for (const [language, command, file, code] of programs) {
    test.skipIf(!isInstalled(command))(`in ${language} (needs ${command})`, async () => {
      const folder = temporaryDirectory();
      writeFileSync(join(folder, file), code);
      const args = command === 'go' ? ['run', file] : [file];
      const input = `${[pattern, ...names].map((text) => Buffer.from(text).toString('hex')).join('\n')}\n`;
      const env = { HOME: folder, GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod', GO111MODULE: 'off' };
      const { stdout } = await execa(command, args, { cwd: folder, input, env });
      const found = stdout.split('\n');
      expect(found).toHaveLength(names.length);
      expect(names.filter((_, index) => found[index] === '11')).toEqual(validNames);
      expect(names.filter((_, index) => found[index] === '00')).toEqual(blankNames);
    });
  }

  test.skipIf(!isInstalled('grep'))('in PCRE (needs grep -P)', async ({ skip }) => {
    const folder = temporaryDirectory();
    const file = join(folder, 'pattern');
    writeFileSync(file, pattern);
    const env = { LC_ALL: 'C.UTF-8' };
    const { exitCode } = await execa('grep', ['-P', 'a'], { input: 'a', env, reject: false });
    skip(exitCode !== 0, 'this grep has no PCRE');
    // Each name is a record that ends in NUL.
    const input = names.map((name) => `${name}\0`).join('');
    const { stdout } = await execa('grep', ['-Pz', '-f', file], { input, env, stripFinalNewline: false });
    expect(stdout.split('\0').slice(0, -1)).toEqual(validNames);
  });
});
