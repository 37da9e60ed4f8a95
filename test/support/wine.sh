#!/bin/sh
# Runs a Windows program in the chroot that wine.ts made: wine.sh <folder> <program> [argument…].
# It runs in namespaces of its own, so that its mounts and processes end with it.
set -eu
folder=$1
shift
root=$folder/root
# The last run may have left data of another version of petstore.
rm -rf "$root"/prefix/drive_c/users/*/AppData/*/petstore
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mkdir "$root/tmp/app"
mount --bind "$folder/app" "$root/tmp/app"

wine() {
  env -i LC_ALL=C.UTF-8 TERM=xterm-256color HOME=/tmp XDG_RUNTIME_DIR=/tmp PATH=/usr/sbin:/usr/bin WINEPREFIX=/prefix \
    WINESERVER=/usr/lib/wine/wineserver64 WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe=' \
    chroot "$root" "/usr/lib/wine/$@"
}

status=0
if [ -t 1 ]; then
  wine wine64 "$@" || status=$?
else
  # Node.js for Windows cannot open a pipe of Linux.
  wine wine64 "$@" >"$root/tmp/output" 2>&1 || status=$?
  cat "$root/tmp/output"
fi
# Wine saves its registry when its server ends.
wine wineserver64 -k || true
wine wineserver64 -w || true
exit "$status"
