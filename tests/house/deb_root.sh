#!/bin/sh
# SPDX-License-Identifier: MIT
# `make deb-root`: a Debian without anything but what every one has, made by debootstrap in a folder that goes at the end;
# the packages of build/deb/ (`make deb`) installed in it by apt, with what they depend on; and their own tests
# (debian/tests/) run there, one after the other, each with what it asks for. Needs root, debootstrap and a network: without
# them nothing is done, and that is said.
set -u
cd "$(dirname "$0")/../.." || exit 1
skip() {
    echo "skipped: $1"
    exit 0
}
[ "$(id -u)" = 0 ] || skip "the packages on a clean Debian: only root can change into one"
command -v debootstrap >/dev/null || skip "the packages on a clean Debian: debootstrap is missing"
ls build/deb/evenkeel_*.deb >/dev/null 2>&1 || skip "the packages on a clean Debian: make deb first"
. tests/support/expect.sh

root=$folder/root
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
debootstrap --variant=minbase "$suite" "$root" >"$folder/debootstrap" 2>&1 ||
    skip "the packages on a clean Debian: debootstrap made none ($(tail -n 1 "$folder/debootstrap"))"
mount -t proc proc "$root/proc" 2>/dev/null
mount --rbind /sys "$root/sys" 2>/dev/null && mount --make-rslave "$root/sys"
mount --bind /dev "$root/dev" 2>/dev/null
trap 'umount -R "$root/proc" "$root/sys" "$root/dev" 2>/dev/null; rm -rf --one-file-system "$folder"' EXIT

cp /etc/resolv.conf "$root/etc/" 2>/dev/null
mkdir "$root/packages"
cp build/deb/*.deb "$root/packages"
rm -f "$root"/packages/*-dbgsym_*
cp -r debian/tests "$root/packages"
inside() { # inside WORDS...: runs them there, without anything of this environment
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" \
        >"$folder/out" 2>"$folder/err"
    echo $?
}
install() { # install WORDS...: packages, or .deb files, with what they depend on and no more
    inside apt-get install -y --no-install-recommends "$@"
}
# Words on purpose: the names of packages.
# shellcheck disable=SC2046
{
    expect "the lists of packages" 0 "$(inside apt-get update)"
    expect "nothing of it is there" 1 "$(inside dpkg -s evenkeel)"
    expect "the command's package" 0 "$(install "/packages/$(basename "$root"/packages/evenkeel_*.deb)")"
    expect "its test" 0 "$(inside /packages/tests/command)"
    expect "the manual" 0 "$(inside test -s /usr/share/man/man1/evenkeel.1.gz)"
    expect "the library's packages" 0 "$(install $(ls "$root"/packages/libevenkeel*.deb | sed "s|^$root||") \
        $(sed -n '/^Tests: library/,$s/^Depends: //p' debian/tests/control | tr -d , | xargs -n 1 | grep -v evenkeel))"
    expect "its test" 0 "$(inside /packages/tests/library)"
    expect "the Python package" 0 "$(install "/packages/$(basename "$root"/packages/python3-evenkeel_*.deb)")"
    expect "its test" 0 "$(inside /packages/tests/python)"
    expect "they are removed" 0 "$(inside apt-get purge -y evenkeel libevenkeel0 libevenkeel-dev python3-evenkeel)"
    expect "nothing is left" "" "$(find "$root/usr" "$root/etc" "$root/var/lib" -name '*evenkeel*' ! -path "$root/var/lib/apt/*")"
}
result
