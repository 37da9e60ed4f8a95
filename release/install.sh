#!/bin/sh
# Installs petstore on Linux or macOS, or upgrades it. Run with --help.
set -eu

# The build of a release writes its address here.
release_url=''

main() {
  parse_arguments "$@"
  umask 022
  if [ "$action" = uninstall ]; then
    uninstall
  else
    install
  fi
}

usage() {
  cat <<'END'
Install petstore: the program, its manual pages and its shell completions.

Usage: install.sh [--url <url>] [--prefix <folder>]
       install.sh --uninstall [--prefix <folder>]

  --url <url>        folder with the archives and SHA256SUMS (default: PETSTORE_DOWNLOAD_URL, then the release
                     that this script comes from)
  --prefix <folder>  folder to install into (default: /usr/local for root, ~/.local for other users)
  --uninstall        remove what this script installed
  --help             show this text
END
}

parse_arguments() {
  action=install
  url=${PETSTORE_DOWNLOAD_URL:-$release_url}
  prefix=
  while [ $# -gt 0 ]; do
    case $1 in
      --url | --prefix)
        [ -n "${2:-}" ] || fail_usage "$1 needs a value"
        if [ "$1" = --url ]; then url=$2; else prefix=$2; fi
        shift
        ;;
      --uninstall) action=uninstall ;;
      --help)
        usage
        exit 0
        ;;
      *) fail_usage "unknown argument: $1" ;;
    esac
    shift
  done
  if [ -z "$prefix" ]; then
    if [ "$(id -u)" -eq 0 ]; then
      prefix=/usr/local
    else
      [ -n "${HOME:-}" ] || fail 'HOME is not set' 'pass --prefix <folder>'
      prefix=$HOME/.local
    fi
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  # A slash at the end would hide the folder on the PATH.
  prefix=${prefix%/}
  docs=share/doc/petstore
  # Names the installed files, one per line. All paths are relative to the prefix. Not in share/petstore, where petstore
  # saves data below ~/.local.
  list=$docs/installed-files
}

install() {
  platform=$(detect_platform)
  check_url
  need tar gzip mktemp grep sed
  protect_other_installation
  # Below the prefix, since only a file on the same file system is replaced atomically.
  mkdir -p "$prefix" 2>/dev/null || fail_to_write "$prefix"
  stage=$(mktemp -d "$prefix/.petstore-install.XXXXXX" 2>/dev/null) || fail_to_write "$prefix"
  trap 'rm -rf "$stage"' EXIT
  trap 'exit 130' HUP INT TERM
  download SHA256SUMS
  archive=$(find_archive)
  say "Downloading $archive"
  download "$archive"
  verify "$archive"
  tar -xzf "$stage/$archive" -C "$stage" || fail "cannot extract $archive" "check the free space in $prefix"
  content=$stage/${archive%.tar.gz}
  installed_version=$("$content/petstore" --version 2>&1) || fail_to_run
  arrange
  # A signal must not leave only some of the files.
  trap '' HUP INT TERM
  place
  say "Installed petstore $installed_version to $prefix/bin/petstore"
  advise
}

detect_platform() {
  system=$(uname -s)
  machine=$(uname -m)
  case $system in
    Linux) os=linux ;;
    Darwin) os=macos ;;
    *) fail "this script does not support $system" "on Windows, unpack the archive for windows-x64; elsewhere, use Node.js" ;;
  esac
  # Rosetta reports the wrong processor.
  if [ "$os" = macos ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then machine=arm64; fi
  case $machine in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "no executable of petstore supports the processor $machine" "install petstore with npm instead" ;;
  esac
  if [ "$os" = linux ] && uses_musl; then cpu=$cpu-musl; fi
  printf '%s\n' "$os-$cpu"
}

uses_musl() {
  case $(ldd --version 2>&1) in
    *musl*) return 0 ;;
    *GNU* | *GLIBC* | *"Free Software"*) return 1 ;;
  esac
  # Without ldd. A system with both has programs for glibc.
  for loader in /lib/ld-linux-* /lib64/ld-linux-*; do [ ! -e "$loader" ] || return 1; done
  for loader in /lib/ld-musl-*; do [ ! -e "$loader" ] || return 0; done
  return 1
}

check_url() {
  url=${url%/}
  case $url in
    https://*) ;;
    http://localhost[:/]* | http://127.0.0.1[:/]*) ;;
    '') fail 'no address to download from' 'pass --url <url>, or set PETSTORE_DOWNLOAD_URL' ;;
    *) fail 'the address does not start with https://' 'pass an address that starts with https://' ;;
  esac
}

need() {
  for tool in "$@"; do
    has "$tool" || fail "$tool is not installed" "install $tool, then run this script again"
  done
  has curl || has wget || fail 'neither curl nor wget is installed' 'install curl, then run this script again'
  has sha256sum || has shasum ||
    fail 'neither sha256sum nor shasum is installed' 'install sha256sum, then run this script again'
}

has() { command -v "$1" >/dev/null 2>&1; }

protect_other_installation() {
  program=$prefix/bin/petstore
  if [ -f "$prefix/$list" ] || { [ ! -e "$program" ] && [ ! -L "$program" ]; }; then return; fi
  fail "$program exists, and this script did not install it" 'remove it, or pass --prefix <folder>'
}

# Saves a file of the release in the stage.
download() {
  if has curl; then
    # Redirects must not leave TLS.
    case $url in https://*) protocols='=https' ;; *) protocols='=http,https' ;; esac
    errors=$(curl --fail --silent --show-error --location --proto "$protocols" --retry 2 --connect-timeout 30 \
      --output "$stage/$1" "$url/$1" 2>&1) || fail_to_download "$1"
  else
    errors=$(wget -q -t 3 -O "$stage/$1" "$url/$1" 2>&1) || fail_to_download "$1"
  fi
}

fail_to_download() {
  [ -z "$errors" ] || redact "$errors" | sed 's/^/  /' >&2
  fail "cannot download $url/$1" "check the address, your network and the free space in $prefix"
}

# Prints the name of the archive for this platform.
find_archive() {
  names=$(sed -n "s/^[0-9a-f]\{64\}  \(petstore-[0-9][0-9A-Za-z.+-]*-$platform\.tar\.gz\)\$/\1/p" "$stage/SHA256SUMS")
  case $names in
    '') fail "SHA256SUMS lists no archive for $platform" "check the address: $url" ;;
    *'
'*) fail "SHA256SUMS lists several archives for $platform" "check the address: $url" ;;
  esac
  printf '%s\n' "$names"
}

verify() {
  expected=$(grep -F "  $1" "$stage/SHA256SUMS" | sed 's/ .*//')
  if has sha256sum; then
    actual=$(sha256sum "$stage/$1")
  else
    actual=$(shasum -a 256 "$stage/$1")
  fi
  if [ "${actual%% *}" != "$expected" ]; then
    fail "the checksum of $1 is wrong: nothing was installed" 'run this script again; if it fails again, tell the publisher'
  fi
}

fail_to_run() {
  [ -z "$installed_version" ] || printf '%s\n' "$installed_version" | sed 's/^/  /' >&2
  case $platform in
    *musl) fail 'petstore does not run on this machine' 'install libstdc++, then run this script again' ;;
    *) fail 'petstore does not run on this machine' 'install petstore with npm instead' ;;
  esac
}

# Moves the content of the archive to where it belongs below the prefix, but still in the stage.
arrange() {
  new=$stage/new
  bash_completions=share/bash-completion/completions
  zsh_completions=share/zsh/site-functions
  fish_completions=share/fish/vendor_completions.d
  for folder in share/man $docs $bash_completions $zsh_completions $fish_completions bin; do
    mkdir -p "$new/$folder"
  done
  mv "$content"/man/man* "$new/share/man/"
  for file in LICENSE README.md THIRD-PARTY-LICENSES.txt; do mv "$content/$file" "$new/$docs/"; done
  mv "$content/completions/petstore.bash" "$new/$bash_completions/petstore"
  mv "$content/completions/_petstore" "$new/$zsh_completions/"
  mv "$content/completions/petstore.fish" "$new/$fish_completions/"
  mv "$content/petstore" "$new/bin/"
  (cd "$new" && find . -type f) | sed 's/^\.\///' | sort >"$stage/list"
}

# Moves the files into the prefix, the program last. Removes files of the previous version that no longer exist.
place() {
  sed 's/\/[^/]*$//' "$stage/list" | sort -u | while IFS= read -r folder; do
    mkdir -p "$prefix/$folder" 2>/dev/null || fail_to_write "$prefix/$folder"
    [ -w "$prefix/$folder" ] || fail_to_write "$prefix/$folder"
  done
  if [ -f "$prefix/$list" ]; then
    grep -v -x -F -f "$stage/list" "$prefix/$list" >"$stage/old" || :
  else
    : >"$stage/old"
  fi
  mv -f "$stage/list" "$prefix/$list"
  grep -v '^bin/' "$prefix/$list" | while IFS= read -r file; do mv -f "$new/$file" "$prefix/$file"; done
  mv -f "$new/bin/petstore" "$prefix/bin/petstore"
  while IFS= read -r file; do rm -f "$prefix/$file"; done <"$stage/old"
}

advise() {
  case :$PATH: in
    *":$prefix/bin:"*)
      found=$(command -v petstore || :)
      [ "$found" = "$prefix/bin/petstore" ] || say "Another petstore comes first on the PATH: $found"
      ;;
    *) say "$prefix/bin is not on the PATH. Add this line to the startup file of your shell:" \
      "  export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  case $prefix in
    /usr | /usr/local) ;;
    *) say "For completion in zsh, add this line to ~/.zshrc, before compinit:" \
      "  fpath=(\"$prefix/$zsh_completions\" \$fpath)" ;;
  esac
}

uninstall() {
  [ -f "$prefix/$list" ] ||
    fail "this script did not install petstore in $prefix" 'pass the --prefix that you installed with'
  while IFS= read -r file; do
    rm -f "$prefix/$file" || fail "cannot remove $prefix/$file" 'run this script as the user who installed petstore'
  done <"$prefix/$list"
  rm -f "$prefix/$list"
  rmdir "$prefix/$docs" 2>/dev/null || :
  say "Removed petstore from $prefix. Settings and sandbox data are still in your home directory."
}

say() { printf '%s\n' "$@"; }

fail() {
  printf 'error: %s\n  hint: %s\n' "$(redact "$1")" "$(redact "$2")" >&2
  exit 1
}

# Prints a text without the user and password of an address. A password can contain any character, also an @.
redact() {
  case $1 in
    *//*@*) printf '%s\n' "${1%%//*}//[redacted]@${1##*@}" ;;
    *) printf '%s\n' "$1" ;;
  esac
}

fail_to_write() { fail "cannot write to $1" 'pass --prefix <folder>, or run this script as root'; }

fail_usage() {
  printf 'error: %s\n  hint: run install.sh --help\n' "$(redact "$1")" >&2
  exit 2
}

# On the last line, so that half a script runs nothing.
main "$@"
